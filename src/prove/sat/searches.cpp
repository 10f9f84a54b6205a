// What searches find has to pass the checker. Those of reductions look for the reverse.

#include "prove/sat/searches.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <utility>

#include "machine/rank_rows.hpp"
#include "prove/sat/exchange/exchange_modules.hpp"
#include "prove/sat/exchange/exchange_windows.hpp"
#include "prove/sat/exchange/nested_exchange.hpp"
#include "prove/sat/exchange/translated_exchange.hpp"
#include "prove/sat/placing/deadlines.hpp"
#include "prove/sat/placing/message_steps.hpp"
#include "prove/sat/placing/rarest_first.hpp"
#include "prove/sat/question/packets.hpp"
#include "prove/sat/question/question_limits.hpp"
#include "prove/sat/solve/memory_limit.hpp"

namespace schedcc::prover {

namespace {

/// Looks for a schedule of copies: `search` returns it, and sets the name of its construction.
template <typename Search>
Decision search_copies(const PreparedQuestion& prepared, const Search& search) {
  Decision decision;
  if (!prepared.copies) return decision;
  try {
    auto found = search(*prepared.copies, decision.construction);
    if (!found) return {};
    decision.schedule = prepared.copies->schedule(std::move(found));
    accept(prepared.question, decision.schedule);
    decision.answer = Answer::sat;
  } catch (const LimitsReached&) {
  } catch (const MemoryReached&) {
  } catch (const std::length_error&) {
  }
  return decision;
}

/// Looks for exchanges on machines with rows of ranks, by `search` of the copies and the rows.
template <typename Search>
Decision search_exchanges(const PreparedQuestion& prepared, const char* name,
                          const Search& search) {
  const Question& question = prepared.question;
  const auto rows = rank_rows(question.machine, question.problem.ranks);
  if (!rows) return {};
  return search_copies(prepared, [&](const CopyQuestion& copies, auto& construction) {
    construction = name;
    return search(copies, *rows);
  });
}

}  // namespace

Decision search_packets(const PreparedQuestion& prepared, const SolverLimits& limits,
                        std::uint64_t effort) {
  constexpr std::uint64_t arcs = 300;  // of flows, in about the time that a reception takes
  constexpr std::uint64_t moves = 2;   // of messages between steps, likewise
  return search_copies(prepared, [&](const CopyQuestion& copies, auto& construction) {
    const auto poll = limit_checker(limits);
    if (has_single_goals(copies.chunks)) {
      construction = "local search";
      return place_messages(copies.instance, copies.chunks, moves * effort, poll);
    }
    construction = "deadlines";
    auto found = by_deadlines(copies.instance, copies.chunks, arcs * effort, poll);
    if (found) return found;
    construction = "rarest first";
    return rarest_first(copies.instance, copies.chunks, effort, poll);
  });
}

Decision search_nested(const PreparedQuestion& prepared, const SolverEntry& solver,
                       const SolverLimits& limits) {
  return search_exchanges(
      prepared, "exchanges", [&](const CopyQuestion& copies, const RankRows& rows) {
        return nested_exchange(copies.instance, copies.chunks, rows, solver, limits);
      });
}

Decision search_windows(const PreparedQuestion& prepared, const SolverEntry& solver,
                        const SolverLimits& limits) {
  return search_exchanges(
      prepared, "exchanges", [&](const CopyQuestion& copies, const RankRows& rows) {
        if (!rows.grid) {
          auto found =
              exchange_modules(copies.instance, copies.chunks, rows.columns, solver, limits);
          if (found) return found;
        }
        return exchange_windows(copies.instance, copies.chunks, rows, solver, limits);
      });
}

Decision search_translated(const PreparedQuestion& prepared, const SolverEntry& solver,
                           const SolverLimits& limits) {
  return search_exchanges(prepared, "translated steps", [&](const auto& copies, const auto& rows) {
    return translated_exchange(copies.instance, copies.chunks, rows, solver, limits);
  });
}

}  // namespace schedcc::prover
