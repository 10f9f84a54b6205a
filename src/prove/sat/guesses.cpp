#include "prove/sat/guesses.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "machine/rank_rows.hpp"
#include "prove/sat/clauses/broadcast_messages.hpp"
#include "prove/sat/clauses/broadcast_slack.hpp"
#include "prove/sat/clauses/pair_exchange.hpp"
#include "prove/sat/portfolio.hpp"
#include "prove/sat/question/packets.hpp"
#include "prove/sat/question/question_limits.hpp"
#include "prove/sat/searches.hpp"
#include "prove/sat/solve/memory_limit.hpp"

namespace schedcc::prover {

namespace {

/// What a guess leads to: a schedule, if one is found.
struct Guess {
  Decision decision;
  std::size_t pairings = 0;  ///< that were found, and guessed to preserve a schedule
};

/// Looks for a schedule that the hints, which are not sound, allow.
Guess guess(const PreparedQuestion& prepared, const SolverEntry& solver, const SolverLimits& limits,
            const Hints& hints) {
  Guess result;
  try {
    const Encoding encoding = encode(prepared, hints, limit_checker(limits));
    if (hints.pairings > 0 && encoding.pairings == 0) return {};
    require_room(limits, encoding.formula);
    Decision decision = solve(prepared, encoding, {&solver}, limits);
    if (decision.answer == Answer::sat) result.decision = std::move(decision);
    result.pairings = encoding.pairings;
  } catch (const LimitsReached&) {
  } catch (const MemoryReached&) {
  } catch (const std::length_error&) {
  }
  return result;
}

/// Are there only chunks that go from one rank to one other? Then search_packets() is also worth a
/// long search.
bool single_goals_only(const PreparedQuestion& prepared) {
  return prepared.copies && has_single_goals(prepared.copies->chunks);
}

/// The limits, and at most `time`, or half of the time that is left if that is more.
SolverLimits within(SolverLimits limits, std::chrono::seconds time) {
  const auto now = SolverLimits::Clock::now(), then = now + time;
  const auto half = now + (limits.deadline.value_or(now) - now) / 2;
  limits.deadline = std::min(limits.deadline.value_or(then), std::max(then, half));
  return limits;
}

/// Looks for sums along trees, where contributions are summed: those that pairings preserve, as
/// many as there are, then fewer.
Decision decide_by_sums(const PreparedQuestion& prepared, const SolverEntry& solver,
                        const SolverLimits& limits) {
  for (std::size_t most = SIZE_MAX;;) {
    const SolverLimits limited = within(limits, std::chrono::seconds(5));
    Guess found = guess(prepared, solver, limited, Hints{.pairings = most, .sum_trees = true});
    if (found.decision.answer == Answer::sat || most == 0) return std::move(found.decision);
    most = std::max<std::size_t>(found.pairings, 1) - 1;
  }
}

/// Looks for a pipeline: repeated exchanges (on meshes first), messages in rows and columns, any
/// messages.
Decision decide_by_pipeline(const PreparedQuestion& prepared, const SolverEntry& solver,
                            const SolverLimits& limits) {
  const Question& question = prepared.question;
  using Messages = PipelineLines::Messages;
  std::vector<std::pair<Hints, std::chrono::seconds>> kinds;
  const auto rows = rank_rows(question.machine, question.problem.ranks);
  const bool mesh = rows && rows->grid && !rows->torus;
  if (mesh) kinds.emplace_back(Hints{.exchanges = true}, 20);
  if (rows && rows->rows > 1 && rows->columns > 1) {
    const auto first = static_cast<std::uint64_t>(std::bit_width(rows->columns - 1));
    kinds.emplace_back(Hints{.pipeline = {{Messages::rows_then_columns, rows->columns, first}}}, 3);
    kinds.emplace_back(Hints{.pipeline = {{Messages::rows_or_columns, rows->columns}}}, 7);
  }
  if (!mesh) kinds.emplace_back(Hints{.exchanges = true}, 10);
  kinds.emplace_back(Hints{.pipeline = PipelineLines{}}, 10);
  for (const auto& [hints, time] : kinds) {
    Guess found = guess(prepared, solver, within(limits, time), hints);
    if (found.decision.answer == Answer::sat) return std::move(found.decision);
  }
  return {};
}

/// The effort of a short search packet by packet.
constexpr std::uint64_t soon = 100'000;
/// That of a long one.
constexpr std::uint64_t long_search = 2'000'000;

/// The rows of the grid, if it is a broadcast by one port over so few ranks of one that formulas of
/// their messages are not large.
std::optional<RankRows> grid_of_broadcast(const PreparedQuestion& prepared) {
  constexpr std::uint64_t most_ranks = 64;
  const CopyQuestion& copies = *prepared.copies;
  if (copies.instance.ranks > most_ranks || !takes_one_port(copies.instance) ||
      !is_broadcast(copies.instance, copies.chunks))
    return std::nullopt;
  const auto rows = rank_rows(prepared.question.machine, copies.instance.ranks);
  return rows && rows->grid ? rows : std::nullopt;
}

/// Messages that take few channels, for some time: longer ones in long rows.
Decision decide_by_short_messages(const PreparedQuestion& prepared, const SolverEntry& solver,
                                  const SolverLimits& limits) {
  const bool long_row = prepared.copies->instance.ranks > 24;
  const Hints hints{.short_messages = long_row ? std::size_t{8} : std::size_t{5}};
  const std::chrono::seconds time(long_row ? 40 : 20);
  return guess(prepared, solver, within(limits, time), hints).decision;
}

/// Are the clauses of the question in a row fast, since a broadcast can lose little? With as much
/// room on rings there are schedules, which short messages are faster to find.
bool is_tight(const PreparedQuestion& prepared, bool ring) {
  const Instance& instance = prepared.copies->instance;
  return decided_by_messages(instance, prepared.copies->chunks) &&
         broadcast_slack(instance.ranks) <= instance.ranks / (ring ? 8 : 2);
}

/// Exchanges of pairs, for some time, in groups that are mixed early on tori, where models are
/// many, and later on meshes, where otherwise there are none if nearly all pairs are of two ranks.
Decision decide_by_pairs(const PreparedQuestion& prepared, const SolverEntry& solver,
                         const SolverLimits& limits, bool torus) {
  const Hints hints{.pairs = torus ? MixedFrom{0, 2} : MixedFrom{3, 4}};
  const SolverLimits limited = within(limits, std::chrono::seconds(60));
  Decision found = guess(prepared, solver, limited, hints).decision;
  if (found.answer == Answer::sat) found.construction = "exchanges of pairs";
  return found;
}

/// Looks for a schedule on a machine with ports: packet by packet, soon or, if there is no pipeline
/// either, for some seconds.
Decision decide_by_packets(const PreparedQuestion& prepared, const SolverEntry& solver,
                           const SolverLimits& limits) {
  Decision found = search_packets(prepared, limits, soon);
  if (single_goals_only(prepared)) return found;
  if (found.answer == Answer::sat) return found;
  using std::chrono::seconds;
  const auto grid = grid_of_broadcast(prepared);
  const std::uint64_t width = grid ? std::min(grid->rows, grid->columns) : 0;
  if (width == 1) {
    return is_tight(prepared, grid->torus) ? Decision()
                                           : decide_by_short_messages(prepared, solver, limits);
  }
  if (width == 2 || width == 3) {
    found = decide_by_pairs(prepared, solver, limits, grid->torus);
    if (found.answer == Answer::sat) return found;
  }
  found = search_nested(prepared, solver, within(limits, seconds(10)));
  if (found.answer != Answer::sat)
    found = search_windows(prepared, solver, within(limits, seconds(20)));
  if (found.answer != Answer::sat) found = decide_by_pipeline(prepared, solver, limits);
  if (found.answer != Answer::sat) {
    found = search_packets(prepared, within(limits, seconds(5)), long_search);
  }
  return found;
}

}  // namespace

Decision decide_by_guesses(const PreparedQuestion& prepared, const SolverEntry& solver,
                           const SolverLimits& limits) {
  const Question& question = prepared.question;
  constexpr double some = 1'000, many = 4'000, large = 100'000;  // possible transfers
  const double possible = possible_transfers(question);
  if (possible < some) return {};
  if (counted_bound(question).steps.value_or(0) > question.steps) return {};
  if (prepared.copies && prepared.copies->prices(limit_checker(limits))) return {};
  if (prepared.clauses_refusal()) return {};
  if (question.machine.ports()) {
    if (!prepared.copies) return decide_by_sums(prepared, solver, limits);
    Decision found = possible < many ? search_packets(prepared, limits, soon)
                                     : decide_by_packets(prepared, solver, limits);
    if (found.answer == Answer::sat) return found;
  }
  if (possible < large) return {};
  Hints hints;
  hints.straight = true;
  hints.order = hints.relax = hints.guess = hints.forced = hints.messages = false;
  Hints paired = hints;
  paired.counts = false;  // of no help here
  const SolverLimits limited = within(limits, std::chrono::seconds(10));
  for (std::size_t most = SIZE_MAX; most > 0;) {
    paired.pairings = most;
    Guess found = guess(prepared, solver, limited, paired);
    if (found.decision.answer == Answer::sat) return std::move(found.decision);
    most = std::max<std::size_t>(found.pairings, 1) - 1;
  }
  if (question.machine.ports() && single_goals_only(prepared)) {
    Decision found =
        search_packets(prepared, within(limits, std::chrono::seconds(10)), long_search);
    if (found.answer == Answer::sat) return found;
  }
  return guess(prepared, solver, within(limits, std::chrono::seconds(5)), hints).decision;
}

}  // namespace schedcc::prover
