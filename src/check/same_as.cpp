// same-as: every rank ends with the same expressions as in another schedule for the same problem,
// so that a program which changes from one to the other gets the same bits.
//
// Both schedules are followed by expressions, with common numbers; then those that a rank ends with
// are compared. A sum in an order that is not fixed is equal to none of another schedule.

#include <algorithm>
#include <optional>

#include <fmt/core.h>

#include "analysis/expression_text.hpp"
#include "analysis/held_expressions.hpp"
#include "check/checks.hpp"
#include "check/levels.hpp"
#include "check/shape.hpp"
#include "machine/lowering.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

extern const CheckEntry same_as_check;

namespace {

using Id = Expressions::Id;

bool same_chunks(const Runs& a, const Runs& b) { return std::ranges::equal(a, b); }

/// Why the sums of two problems cannot be compared; empty if they can.
std::string difference(const Problem& a, const Problem& b) {
  if (a.collective != b.collective)
    return fmt::format("it is for {}, not {}", info(b.collective).name, info(a.collective).name);
  if (a.ranks != b.ranks) return fmt::format("it has P = {}, not {}", b.ranks, a.ranks);
  if (a.total_chunks() != b.total_chunks())
    return fmt::format("it has {} chunks, not {}", b.total_chunks(), a.total_chunks());
  if (a.root != b.root) return fmt::format("its root is {}, not {}", b.root, a.root);
  if (!a.declared()) return {};
  for (Rank rank = 0; rank < a.ranks; ++rank) {
    if (!same_chunks(a.start(rank), b.start(rank)))
      return fmt::format("rank {} starts with other chunks", rank);
    if (!same_chunks(a.goal(rank), b.goal(rank)))
      return fmt::format("rank {} must end with other chunks", rank);
  }
  return {};
}

}  // namespace

void require_steps(const Source& source) {
  if (!source.is_program()) return;
  throw InputError({source.file, 0, 0},
                   "only schedules are compared by --same-as, and this is a program; with "
                   "--machine M its steps are");
}

namespace {

class SameAsCheck : public Check {
 public:
  explicit SameAsCheck(const Context& c) : Check(c), other_(*c.options.same_as) {
    const Problem& problem = c.problem;
    if (!problem.reduction())
      throw InputError(fmt::format("{} has no sums that --same-as could compare", problem.name()));
    other_.source.problem.validate();
    if (const std::string why = difference(problem, other_.source.problem); !why.empty())
      throw InputError(fmt::format("its sums are not compared with those of {}: {}", name(), why));
    require_steps(other_.source);
    require_level(other_.source, other_.machine);
  }

  void finish(const Holdings*) override {
    try {
      compare();
    } catch (const LimitError& error) {
      context.undecided(same_as_check.name, error.what());
    }
  }

 private:
  struct Difference {
    Rank rank;
    Chunk chunk;
    Id own, other;
  };

  std::string_view name() const {
    return other_.source.file.empty() ? other_.source.name : other_.source.file;
  }

  /// The other schedule, at the level at which it is checked.
  std::unique_ptr<StepStream> open_other() {
    const Context there{.problem = other_.source.problem,
                        .machine = other_.machine,
                        .options = context.options,
                        .nodes = other_.source.node_count(),
                        .hop_level = other_.source.hop_level(),
                        .from_file = !other_.source.file.empty(),
                        .reporter = unused_reporter_,
                        .report = unused_report_};
    auto steps = well_formed_steps(other_.source.open(), there, Malformed::dropped);
    if (!is_lowered(other_.source, other_.machine)) return steps;
    return lower(std::move(steps), other_.machine, other_.source.problem.ranks);
  }

  void compare() {
    Expressions expressions;
    const Run compared = context.share.chunks(context.problem);
    if (compared.count == 0) return;
    const std::vector<Run> all{compared};
    HeldExpressions own(context.problem, context.nodes, context.machine.latency(), all,
                        expressions);
    own.follow(*context.reopen());
    HeldExpressions other(context.problem, other_.source.node_count(), other_.machine.latency(),
                          all, expressions);
    other.follow(*open_other());
    std::optional<Difference> found;
    std::vector<std::pair<Run, Id>> pieces;
    context.problem.for_each_goal([&](Rank rank, const Runs& goal) {
      for (const Run whole : goal) {
        const Run run = common(whole, compared);
        if (run.count == 0) continue;
        if (found && run.first >= found->chunk) return;
        pieces.clear();
        own.each(rank, run, [&](Run piece, Id id) { pieces.emplace_back(piece, id); });
        for (const auto& [piece, id] : pieces) {
          other.each(rank, piece, [&, id = id](Run part, Id there) {
            if (id != there && (!found || part.first < found->chunk))
              found = Difference{rank, part.first, id, there};
          });
        }
      }
    });
    if (found) report(*found, expressions);
  }

  void report(const Difference& found, const Expressions& expressions) {
    context.reporter.error(same_as_check.name, [&] {
      Finding finding;
      finding.rank = found.rank;
      finding.chunk = found.chunk;
      finding.message = fmt::format(
          "the sum of chunk {1} at rank {0} differs from the one in {2}: {3}", found.rank,
          found.chunk, name(),
          schedcc::difference(expressions, found.own, found.other, context.problem.ranks).text());
      return finding;
    });
  }

  OtherSchedule other_;
  Reporter unused_reporter_{0, false};  ///< its own checks say what is wrong with the other one
  Report unused_report_;
};

}  // namespace

const CheckEntry same_as_check{
    .name = "same-as",
    .summary = "every rank ends with the same sums as in another schedule (--same-as)",
    .by_step = true,
    .applies = [](const Context& c) { return c.options.same_as != nullptr; },
    .make = make_check<SameAsCheck>,
};

}  // namespace schedcc
