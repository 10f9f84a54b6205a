// Trees: a list of edges, each with a formula in the step and K.

#include <fmt/core.h>

#include "algorithm/fractional_tree/fractional_tree.hpp"
#include "algorithm/kernel/chain.hpp"
#include "algorithm/kernel/fractional_tree.hpp"
#include "algorithm/shapes.hpp"
#include "prove/symbolic/rank_classes.hpp"
#include "prove/symbolic/schedules.hpp"

namespace schedcc::prover {

namespace {

SymbolicSchedule tree(std::uint64_t P) {
  SymbolicSchedule schedule;
  schedule.ranks = P;
  schedule.reversible = true;
  schedule.enumerated_property = "its edges are those that the formulas of its kind describe";
  return schedule;
}

/// Adds an edge; calls `poll_limits` from time to time.
void add(SymbolicSchedule& schedule, std::uint32_t family, Rank from, Rank to, std::uint64_t start,
         std::uint64_t place, const PollLimits& poll_limits) {
  if (schedule.edges.size() % poll_interval == 0 && poll_limits) poll_limits();
  schedule.edges.push_back(
      {family, from, to, static_cast<std::uint32_t>(start), static_cast<std::uint32_t>(place)});
}

// Fractional trees. Families: down, right.

std::vector<Arrival> fractional_inverse(const SymbolicSchedule& schedule, const EdgeSequence& edges,
                                        const Term& start, const Term& first, const Term& p) {
  const std::uint64_t r = schedule.run;
  if (r == 0) return {{Condition(true), 0, start + p, {}}};
  const Term run = p / Term(r) * Term(r + 1), place = p % Term(r);
  if (edges.family == 0) return {{Condition(true), 0, start + run + place, {}}};
  if (edges.count == 1) return {{place == first, 0, start + run + Term(r), {}}};
  const Term x = place - first;
  const Condition here = !(place < first) && x < Term(edges.count);
  return {{here, 0, start + x + run + Term(r), {x}}};
}

SymbolicSchedule fractional(std::uint64_t P, std::uint64_t r, std::uint64_t last,
                            const PollLimits& poll_limits) {
  SymbolicSchedule schedule = tree(P);
  schedule.run = local::fractional_run(P, r);
  schedule.rank_classes = [](const SymbolicSchedule& f, const PollLimits& w) {
    return rank_classes(f, true, fractional_inverse, w);
  };
  const Term t = step_variable(), K = chunks_variable();
  const Term start = variable("start"), place = variable("place");
  const local::RunPosition<Term> position = local::run_position(t - start, schedule.run);
  const Condition begun = !(t < start);
  const Condition down = begun && local::sends_down(position, schedule.run, K);
  const Condition right = begun && local::sends_right(position, place, schedule.run, K);
  schedule.families.push_back({{}, down, Term(0), Term(0), {local::down_packet(position)}});
  schedule.families.push_back(
      {{}, right, Term(0), Term(0), {local::right_packet(position, place)}});
  const std::vector<fractional::Wave> waves = fractional_waves(P, r, last);
  for (std::uint64_t b = 0; b < waves.size(); ++b) {
    for (const fractional::Edge& e : waves[b].down)
      add(schedule, 0, e.from, e.to, b, 0, poll_limits);
    for (const fractional::Edge& e : waves[b].right)
      add(schedule, 1, e.from, e.to, b, e.packet, poll_limits);
  }
  schedule.steps = local::fractional_steps(Term(fractional_depth(P, r)), K, schedule.run);
  return schedule;
}

}  // namespace

SymbolicSchedule symbolic_fractional(const Request& request, std::uint64_t P,
                                     const PollLimits& poll_limits) {
  return fractional(P, request.parameters.integer("r"), request.problem.root, poll_limits);
}

SymbolicSchedule symbolic_binary(const Request& request, std::uint64_t P,
                                 const PollLimits& poll_limits) {
  return fractional(P, 1, request.problem.root, poll_limits);
}

namespace {

/// Edge v -> v + 1 carries packet j in step v + gap j.
template <std::uint64_t gap>
std::vector<RankClass> chain_rank_classes(const SymbolicSchedule& schedule,
                                          const PollLimits& poll_limits) {
  const auto inverse = [](const SymbolicSchedule&, const EdgeSequence&, const Term& start,
                          const Term&, const Term& p) {
    return std::vector<Arrival>{
        {Condition(true), 0, gap == 1 ? start + p : start + Term(gap) * p, {}}};
  };
  return rank_classes(schedule, true, inverse, poll_limits);
}

}  // namespace

SymbolicSchedule symbolic_chain(const Request& request, std::uint64_t P,
                                const PollLimits& poll_limits) {
  const std::uint64_t gap = local::Chain(P, 1, chain_gap(request.machine)).gap();
  SymbolicSchedule schedule = tree(P);
  schedule.simplex = gap > 1;
  schedule.rank_classes = gap == 1 ? chain_rank_classes<1> : chain_rank_classes<2>;
  const Term t = step_variable(), K = chunks_variable(), start = variable("start");
  schedule.families.push_back({{},
                               local::chain_sends(t, start, K, gap),
                               Term(0),
                               Term(0),
                               {local::chain_packet(t, start, gap)}});
  for (Rank v = 0; v + 1 < P; ++v) add(schedule, 0, v, v + 1, v, 0, poll_limits);
  schedule.steps = local::chain_steps(Term(P), K, gap);
  return schedule;
}

// Packets one after another: linear, binomial, k-nomial trees. The schedule of one packet is a
// table, and S, its steps, are the period.

SymbolicSchedule symbolic_serial(const Algorithm& algorithm, const Request& request,
                                 std::uint64_t P, const PollLimits& poll_limits) {
  Request one = request;
  one.problem.collective = Collective::broadcast;
  one.problem.ranks = static_cast<Rank>(P);
  one.problem.chunks = 1;
  one.problem.root = 0;
  SymbolicSchedule schedule = tree(P);
  const Steps steps = AlgorithmEntry::of(algorithm).build(one);
  const std::uint64_t S = steps.span();
  schedule.run = S;
  schedule.rank_classes = [](const SymbolicSchedule& f, const PollLimits& w) {
    const auto inverse = [](const SymbolicSchedule& g, const EdgeSequence&, const Term&,
                            const Term& place, const Term& p) {
      return std::vector<Arrival>{{Condition(true), 0, p * Term(g.run) + place, {}}};
    };
    return rank_classes(f, false, inverse, w);
  };
  const Term t = step_variable(), K = chunks_variable();
  const Term packet = local::serial_packet(t, Term(S));
  schedule.families.push_back({{},
                               local::serial_place(t, Term(S)) == variable("place") && packet < K,
                               Term(0),
                               Term(0),
                               {packet}});
  Transfers transfers;
  for (std::uint64_t row = 0; row < steps.size(); ++row) {
    transfers.clear();
    const std::uint64_t place = steps.fill(row, transfers);
    for (const Transfer& e : transfers) add(schedule, 0, e.src, e.dst, 0, place, poll_limits);
  }
  schedule.steps = K * Term(S);
  return schedule;
}

}  // namespace schedcc::prover
