#include "format/losses.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/core.h>

#include "analysis/canonical.hpp"
#include "core/counted.hpp"
#include "schedcc/error.hpp"
#include "schedcc/machine.hpp"
#include "schedcc/plan.hpp"
#include "schedcc/program.hpp"

namespace schedcc {

namespace {

using Message = std::tuple<Rank, Rank, bool, std::vector<std::pair<Chunk, std::uint32_t>>>;

std::vector<Message> messages_of(const Step& step) {
  std::vector<Message> result;
  for (const WrittenMessage& m : canonical(step)) {
    std::vector<std::pair<Chunk, std::uint32_t>> runs;
    for (const Run& run : m.runs) runs.emplace_back(run.first, run.count);
    result.emplace_back(m.src, m.dst, m.reduce, std::move(runs));
  }
  return result;
}

/// The messages of each rank in their order, which is that of a rank's program: those of different
/// ranks have none.
std::vector<std::pair<Rank, Message>> by_rank(const std::vector<Message>& messages) {
  std::vector<std::pair<Rank, Message>> result;
  for (const Message& message : messages) {
    result.emplace_back(std::get<0>(message), message);
    result.emplace_back(std::get<1>(message), message);
  }
  std::ranges::stable_sort(result, {}, &std::pair<Rank, Message>::first);
  return result;
}

/// How the messages of two steps differ, as the beginning of a phrase; empty if they do not.
std::string_view different_messages(const Step& before, const Step& after) {
  std::vector<Message> a = messages_of(before), b = messages_of(after);
  if (a == b) return {};
  const bool in_order = by_rank(a) == by_rank(b);
  std::ranges::sort(a);
  std::ranges::sort(b);
  if (a != b) return "messages";
  return in_order ? "" : "the order of a rank's messages within steps";
}

/// The next step that is written, if there is one.
bool next_written(StepStream& stream, Step& step) {
  while (stream.next(step)) {
    if (is_written(step)) return true;
  }
  return false;
}

/// How the steps differ; empty if they do not.
std::string different_steps(const Source& before, const Source& after) {
  const auto a = before.open(), b = after.open();
  Step x, y;
  std::uint64_t x_steps = 0, y_steps = 0;
  std::string first;
  while (true) {
    const bool more_x = next_written(*a, x), more_y = next_written(*b, y);
    x_steps += more_x ? 1 : 0;
    y_steps += more_y ? 1 : 0;
    if (!more_x && !more_y) break;
    if (!first.empty() || !more_x || !more_y) continue;
    if (x.number != y.number) {
      first = fmt::format("the step numbers, starting with {} (read as {})", x.number, y.number);
    } else if (x.rounds != y.rounds) {
      first = fmt::format("the rounds of steps, starting with step {}", x.number);
    } else if (const std::string_view what = different_messages(x, y); !what.empty()) {
      first = fmt::format("{}, starting with step {}", what, x.number);
    }
  }
  if (x_steps != y_steps)
    return fmt::format("{} with transfers or rounds (read as {})", counted(x_steps, "step"),
                       y_steps);
  return first;
}

bool same(std::span<const Holding> a, std::span<const Holding> b) {
  return std::ranges::equal(a, b, [](const Holding& x, const Holding& y) {
    return x.rank == y.rank && x.reduced == y.reduced && x.runs == y.runs;
  });
}

bool same_problem(const Problem& a, const Problem& b) {
  return a.collective == b.collective && a.ranks == b.ranks && a.root == b.root &&
         a.chunks == b.chunks && a.ordered == b.ordered && same(a.pre(), b.pre()) &&
         same(a.post(), b.post());
}

}  // namespace

std::vector<std::string> losses(const Source& before, const Source& after) {
  std::vector<std::string> result;
  if (!same_problem(before.problem, after.problem)) {
    const std::string was = describe(before.problem), is = describe(after.problem);
    result.push_back(was == is ? "chunks that ranks start or end with"
                               : fmt::format("the problem {} (read as {})", was, is));
  }
  if (!before.machine.empty() && before.machine != after.machine) {
    result.push_back(fmt::format(
        "the machine {}{}", before.machine,
        after.machine.empty() ? std::string() : fmt::format(" (read as {})", after.machine)));
  } else if (before.machine.empty() && !after.machine.empty() &&
             after.machine != Machine().spec()) {
    result.push_back(fmt::format("that no machine is named (read as {})", after.machine));
  }
  if (before.title.empty() && !after.title.empty()) {
    result.push_back(fmt::format("that it has no name (read as '{}')", after.title));
  } else if (before.title != after.title) {
    result.push_back(fmt::format("the name '{}'", before.title));
  }
  if (before.nodes != after.nodes) result.emplace_back("the hop level");
  if (after.plan != nullptr) {
    result.emplace_back("the steps, which a plan does not have");
    return result;
  }
  try {
    if (std::string steps = different_steps(before, after); !steps.empty())
      result.push_back(std::move(steps));
  } catch (const InputError&) {
    if (after.program == nullptr) throw;
    result.emplace_back("the steps, which a program of a custom collective does not state");
  }
  return result;
}

std::vector<std::string> losses_of_program(const Source& source) {
  if (source.program == nullptr) return {};
  return {"the threadblocks, channels and dependencies of the program"};
}

}  // namespace schedcc
