#include "prove/sat/packet_search.hpp"

#include <algorithm>
#include <utility>

#include "prove/sat/deadlines.hpp"
#include "prove/sat/encoding.hpp"
#include "prove/sat/memory_limit.hpp"
#include "prove/sat/question_limits.hpp"
#include "prove/sat/rarest_first.hpp"

namespace schedcc::prover {

Decision search_packets(const Question& question, const SolverLimits& limits,
                        std::uint64_t effort) {
  constexpr std::uint64_t arcs = 300;  // of flows, in about the time that a reception takes
  Decision decision;
  try {
    const auto copies = copy_question(question);
    const auto shared = [](const Delivery& chunk) { return chunk.goals.size() > 1; };
    if (!copies || std::ranges::none_of(copies->chunks, shared)) return {};
    const auto poll = limit_checker(limits);
    auto found = by_deadlines(copies->instance, copies->chunks, arcs * effort, poll);
    decision.construction = found ? "deadlines" : "rarest first";
    if (!found) found = rarest_first(copies->instance, copies->chunks, effort, poll);
    if (!found) return {};
    decision.schedule = copies->schedule(std::move(found));
    accept(question, decision.schedule);
    decision.answer = Answer::sat;
  } catch (const LimitsReached&) {
  } catch (const MemoryReached&) {
  }
  return decision;
}

}  // namespace schedcc::prover
