// agreement: all ranks that end with a sum end with the same expression, so that they have the same
// bits. Correct sums may differ in their rounding errors: a warning.
//
// Most algorithms need no expressions. If the last addition to a chunk is made once in the whole
// schedule, all complete sums are copies of its result; and if each sum that occurs is always made
// of the same two, equal sums are the same expressions. Holdings knows both. Only other chunks are
// followed by expressions, in a second pass over the steps; then the ranks' expressions are
// compared with that of the first rank. The steps of a file are kept for that pass, as long as they
// are not too many: to read it again takes longer.

#include <algorithm>
#include <optional>

#include <fmt/core.h>

#include "analysis/expression_text.hpp"
#include "analysis/held_expressions.hpp"
#include "analysis/shared_sums.hpp"
#include "check/checks.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

extern const CheckEntry agreement_check;

namespace {

using Id = Expressions::Id;

class AgreementCheck : public Check {
 public:
  explicit AgreementCheck(const Context& c) : Check(c) {
    if (c.from_file) kept_ = std::make_shared<Schedule>();
  }

  bool follows_chunks() const override { return true; }
  void follow(const StepEnds& ends, std::size_t) override {
    if (kept_ == nullptr) return;
    const Step& step = ends.sent;
    if (!step.origins.empty() || kept_->transfers() + step.transfers.size() > max_kept) {
      kept_ = nullptr;
    } else {
      kept_->append({.number = step.number, .transfers = step.transfers});
    }
  }

  void finish(const Holdings* holdings) override {
    const std::vector<Run> chunks = holdings->may_disagree();
    if (chunks.empty()) return;
    try {
      compare(*holdings, chunks);
    } catch (const LimitError& error) {
      leave_undecided(error.what());
    }
  }

 private:
  /// The verdict is unknown only if the check can violate it, or was asked for; else there is a
  /// note that it was not made.
  void leave_undecided(const std::string& why) {
    const auto& chosen = context.options.checks;
    const bool asked = chosen && std::ranges::find(*chosen, agreement_check.name) != chosen->end();
    if (context.options.strict || asked) return context.undecided(agreement_check.name, why);
    std::erase_if(context.report.checks,
                  [](const CheckResult& result) { return result.check == agreement_check.name; });
    context.reporter.note(agreement_check.name, "undecided", [&] {
      Finding finding;
      finding.message = "undecided: whether all ranks end with the same sums: " + why;
      return finding;
    });
  }

  /// The expression of a chunk at the first rank that has it, and that rank.
  struct First {
    Id id = Expressions::unset;
    Rank rank = 0;
    friend bool operator==(const First&, const First&) = default;
  };
  struct Difference {
    Chunk chunk;
    First first, other;
  };

  void compare(const Holdings& holdings, const std::vector<Run>& chunks) {
    Expressions expressions;
    HeldExpressions held(context.problem, context.nodes, context.machine.latency(), chunks,
                         expressions);
    held.follow(*(kept_ != nullptr ? stream(kept_) : context.reopen()));
    RunMap<std::uint8_t> followed;
    for (const Run run : chunks) followed.assign(run, 1);
    context.problem.for_each_goal([&](Rank rank, const Runs& goal) {
      for (const Run run : goal) {
        followed.each(run, [&](Run part, std::uint8_t follow) {
          if (follow == 0) return;
          holdings.each_right(rank, part, [&](Run right) { compare(held, rank, right); });
        });
      }
    });
    if (found_) report(expressions);
  }

  /// Compares the chunks of a run at a rank, up to the first that differs.
  void compare(const HeldExpressions& held, Rank rank, Run run) {
    std::optional<std::pair<Run, Id>> same;  // chunks of one expression
    const auto compare_them = [&] {
      if (same) compare(same->first, {same->second, rank});
    };
    held.each(rank, run, [&](Run piece, Id id) {
      if (same && same->second == id) {
        same->first.count += piece.count;
        return;
      }
      compare_them();
      same.emplace(piece, id);
    });
    compare_them();
  }

  void compare(Run run, const First& own) {
    if (found_ && run.first >= found_->chunk) return;
    added_.clear();
    first_.each(run, [&](Run part, const First& first) {
      if (first.id == Expressions::unset) {
        added_.push_back(part);
      } else if (first.id != own.id && (!found_ || part.first < found_->chunk)) {
        found_ = Difference{part.first, first, own};
      }
    });
    for (const Run part : added_) first_.assign(part, own);
  }

  void report(const Expressions& expressions) {
    context.reporter.warning(agreement_check.name, [&] {
      const auto& [chunk, first, other] = *found_;
      Finding finding;
      finding.rank = other.rank;
      finding.chunk = chunk;
      finding.message = fmt::format(
          "ranks {} and {} end with different sums of chunk {}: {}", first.rank, other.rank, chunk,
          difference(expressions, first.id, other.id, context.problem.ranks).text());
      return finding;
    });
  }

  static constexpr std::uint64_t max_kept = std::uint64_t{1} << 24;  ///< transfers, 256 MiB

  std::shared_ptr<Schedule> kept_;  ///< nullptr: they are not kept, or too many
  RunMap<First> first_;
  std::vector<Run> added_;
  std::optional<Difference> found_;
};

}  // namespace

const CheckEntry agreement_check{
    .name = "agreement",
    .summary =
        "all ranks that end with a reduction result evaluated the same expression (a warning)",
    .needs_holdings = true,
    .follows = true,
    .by_step = true,
    .applies = [](const Context& c) { return shares_sums(c.problem); },
    .make = make_check<AgreementCheck>,
};

}  // namespace schedcc
