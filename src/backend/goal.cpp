// GOAL, the text format of the simulators LogGOPSim and ATLAHS (Hoefler, Schneider, Lumsdaine:
// LogGOPSim, HPDC 2010): for each rank its sends and receives, and what each waits for.
//
// Here a rank is a program: in a step first its sends, then its receives (on LogP in the order in
// which they start), and each begins when the one before it has ended. That is what `cost` times,
// too. A message is a send with the step as its tag. What GOAL has no words for, the problem and
// what a message carries, stands in comments, as lines of the .sched format.

#include <algorithm>

#include <fmt/format.h>

#include "backend/cpp_table.hpp"
#include "backend/limits.hpp"
#include "backend/sched_header.hpp"
#include "backend/text.hpp"
#include "frontend/import/goal.hpp"
#include "schedcc/error.hpp"
#include "schedcc/format.hpp"

namespace schedcc {

namespace {

using cpp::Operation;

/// Throws InputError for problems that GOAL cannot say.
void refuse(const Source& source, const EmitOptions&) {
  if (source.hop_level()) {
    throw InputError("GOAL knows ranks only; a hop-level schedule moves chunks through routers");
  }
  most::check("GOAL", most::goal_ranks, "ranks", source.problem.ranks);
}

/// Throws InputError for steps that GOAL cannot say.
void refuse_steps(const Source& source) {
  const auto stream = source.open();
  for (Step step; stream->next(step);) {
    if (step.number >= UINT32_MAX) {
      throw InputError(
          fmt::format("step {} is above 2^32 - 2; GOAL has no tag for its messages", step.number));
    }
    if (step.rounds != 1) {
      throw InputError(
          fmt::format("step {} takes {} rounds; GOAL has none", step.number, step.rounds));
    }
    for (const Transfer& t : step.transfers) {
      if (std::max(t.src, t.dst) >= source.problem.ranks) {
        throw InputError(fmt::format("in step {}, rank {} is none of the {} ranks", step.number,
                                     std::max(t.src, t.dst), source.problem.ranks));
      }
      if (t.src == t.dst) {
        throw InputError(fmt::format("in step {}, rank {} sends to itself; in GOAL none does",
                                     step.number, t.src));
      }
    }
  }
}

class GoalWriter {
 public:
  GoalWriter(const EmitOptions& options, Output& out)
      : bytes_(options.parameters.integer("bytes")),
        delay_(options.machine.logp ? options.machine.logp->o + options.machine.logp->L : 0),
        text_(out) {}

  void write(const Source& source, const cpp::Table& table) {
    write_header(text_, source, "// ");
    text_.print("num_ranks {}\n", source.problem.ranks);
    for (Rank rank = 0; rank < source.problem.ranks; ++rank) {
      text_.print("rank {} {{\n", rank);
      write_rank(rank, table.of(rank));
      text_.put("}\n");
    }
    text_.flush();
  }

 private:
  void write_rank(Rank rank, std::span<const Operation> operations) {
    std::uint64_t number = 0;
    const Operation* annotated = nullptr;
    while (!operations.empty()) {
      const Operation& first = operations.front();
      const auto end = std::ranges::find_if(operations, [&](const Operation& o) {
        return o.step != first.step || o.peer != first.peer || o.receive != first.receive;
      });
      const auto message = operations.first(static_cast<std::size_t>(end - operations.begin()));
      operations = operations.subspan(message.size());
      if (!first.receive) {
        if (annotated == nullptr || annotated->step != first.step) {
          text_.print("// step {}\n", first.step);
        }
        annotated = &first;
        annotate(rank, message);
      }
      write_message(number++, message);
    }
  }

  /// A line for its copies, and one for its reductions.
  void annotate(Rank rank, std::span<const Operation> message) {
    const Rank peer = message.front().peer;
    while (!message.empty()) {
      std::vector<Run> runs;
      const bool reduce = message.front().reduce;
      while (!message.empty() && message.front().reduce == reduce) {
        runs.push_back({message.front().first, message.front().count});
        message = message.subspan(1);
      }
      text_.print("// {} -> {} : ", rank, peer);
      write_ranges(text_, runs);
      text_.put(reduce ? " reduce\n" : "\n");
    }
  }

  void write_message(std::uint64_t number, std::span<const Operation> message) {
    const Operation& first = message.front();
    std::uint64_t chunks = 0;
    for (const Operation& o : message) chunks += o.count;
    text_.print(FMT_COMPILE("o{}: {} {}b {} {} tag {} cpu 0 nic 0\n"), number,
                first.receive ? "recv" : "send", chunks * bytes_, first.receive ? "from" : "to",
                first.peer, first.receive ? first.step - delay_ : first.step);
    if (number > 0) text_.print(FMT_COMPILE("o{} requires o{}\n"), number, number - 1);
  }

  std::uint64_t bytes_, delay_;
  Text text_;
};

void write_goal(const Source& source, const EmitOptions& options, Output& out) {
  refuse(source, options);
  refuse_steps(source);
  GoalWriter(options, out).write(source, cpp::by_rank(source, options.machine));
}

}  // namespace

extern const Format goal_format;
const Format goal_format{
    .name = "goal",
    .summary = "GOAL, for the simulators LogGOPSim and ATLAHS",
    .extensions = {".goal"},
    .parameters = {{.name = "bytes",
                    .summary = "bytes of a chunk",
                    .least = 1,
                    .most = max_transfer_count,
                    .standard = "1"}},
    .refuse = refuse,
    .write = write_goal,
    .read = read_goal,
    .recognises = is_goal,
};

}  // namespace schedcc
