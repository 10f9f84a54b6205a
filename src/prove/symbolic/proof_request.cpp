// A request for a proof for every K: read, and refused if the prover has no formulas for the
// schedule.

#include "prove/symbolic/proof_request.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "algorithm/composition/composition.hpp"
#include "algorithm/shapes.hpp"
#include "core/elapsed.hpp"
#include "core/join.hpp"
#include "model/problem_text.hpp"
#include "prove/symbolic/schedules.hpp"
#include "schedcc/algorithm.hpp"
#include "schedcc/error.hpp"
#include "schedcc/machine.hpp"
#include "schedcc/problem.hpp"
#include "schedcc/prove.hpp"

namespace schedcc::prover {

namespace {

[[noreturn]] void refuse(std::string_view algorithm, const std::string& why) {
  throw InputError(fmt::format("no proof of '{}' for every K: {}", algorithm, why));
}

const SymbolicScheduleEntry& entry_of(std::string_view algorithm) {
  for (const SymbolicScheduleEntry& entry : symbolic_schedules()) {
    if (entry.algorithm == algorithm) return entry;
  }
  refuse(algorithm, "the prover has no formulas for its schedule; it has those of " +
                        names_of_symbolic_schedules());
}

Collective collective_of(const SymbolicQuestion& question, const Algorithm& algorithm,
                         const SymbolicSchedule& schedule) {
  const Collective first = algorithm.collectives.front();
  const Collective wanted = question.collective.value_or(first);
  const bool reversed = (first == Collective::broadcast && wanted == Collective::reduce) ||
                        (first == Collective::allgather && wanted == Collective::reduce_scatter);
  if (wanted != first && !(schedule.reversible && reversed)) {
    refuse(algorithm.name, fmt::format("its formulas are for {}{}", info(first).name,
                                       !schedule.reversible             ? ""
                                       : first == Collective::broadcast ? " and reduce"
                                                                        : " and reduce-scatter"));
  }
  return wanted;
}

void check_ranks(const SymbolicQuestion& question, const ProofRequest& proof) {
  const std::string_view name = proof.algorithm->name;
  const std::uint64_t P = question.ranks;
  if (proof.entry->powers_of_two) {
    if (const auto why = power_of_two_refusal(P)) refuse(name, *why);
  }
  if (P < 2) refuse(name, "one rank sends no message");
  if (P > proof.entry->max_ranks) {
    refuse(name, fmt::format("the prover takes at most {} ranks of it, not {}",
                             proof.entry->max_ranks, P));
  }
  const Collective collective = proof.algorithm->collectives.front();
  if (question.root && !info(collective).rooted) throw InputError(has_no_root(collective));
  if (const std::uint64_t root = question.root.value_or(0); root >= P) {
    throw InputError(no_such_rank("root", root, P));
  }
}

/// Does a branch carry as many packets per step as there are ranks below it?
bool is_exponential_tree(const Machine& machine) {
  if (!machine.routed() || machine.network()->levels().empty()) return false;
  return std::ranges::all_of(machine.network()->levels(), [](const Network::Level& level) {
    return level.capacity == level.ranks;
  });
}

void check_machine(const ProofRequest& proof) {
  const Machine& machine = proof.machine;
  const std::string_view name = proof.algorithm->name;
  if (proof.schedule.links ? !is_exponential_tree(machine)
                           : !machine.ports() || machine.channels() || machine.network()) {
    refuse(name, fmt::format("its formulas are not for machine '{}'; they are {}", machine.spec(),
                             proof.schedule.links ? "for fattree:cap=exponential"
                                                  : "for machines whose only limit is the ports"));
  }
  const bool blocks =
      proof.schedule.kind == PacketKind::block || proof.schedule.kind == PacketKind::pair;
  if (blocks && machine.width() != 0) {
    refuse(name, "its messages are blocks of K chunks, and the machine has a width");
  }
}

/// The number of steps that the algorithm claims must be the formula's, where the claim can be
/// evaluated.
void compare_claim(const Algorithm& algorithm, Request request, const SymbolicSchedule& schedule) {
  if (schedule.ranks > 4096) return;
  for (const std::uint32_t K : {1U, 2U, 3U, 7U, 30U}) {
    request.problem.chunks = K;
    if (algorithm.reason(request)) continue;
    const std::uint64_t claimed = algorithm.claim(request).steps;
    if (claimed != evaluate(schedule.steps, {{"K", K}})) {
      throw InternalError(
          fmt::format("the algorithm claims {} steps for K = {}, the formula says {}", claimed, K,
                      steps_text(schedule.steps)));
    }
  }
}

/// The schedule for the least number of ranks, of which only what all have in common is used.
SymbolicSchedule traits(const ProofRequest& proof) {
  Request least = proof.request;
  least.problem.ranks = 2;
  least.problem.root = 0;
  return proof.entry->make(*proof.algorithm, least, 2, nullptr);
}

void complete(SymbolicSchedule& schedule, const ProofRequest& proof, std::uint64_t ranks,
              std::uint64_t root) {
  schedule.ranks = ranks;
  schedule.root = root;
  schedule.simplex = proof.machine.simplex();
}

void list_ranks(ProofRequest& proof, const PollLimits& poll_limits) {
  const std::uint64_t ranks = proof.schedule.ranks, root = proof.schedule.root;
  proof.schedule = proof.entry->make(*proof.algorithm, proof.request, ranks, poll_limits);
  complete(proof.schedule, proof, ranks, root);
  compare_claim(*proof.algorithm, proof.request, proof.schedule);
}

/// The numbers of a packet of this kind.
std::vector<std::string_view> packet_names(PacketKind kind) {
  switch (kind) {
    case PacketKind::packet:
      return {"packet"};
    case PacketKind::block:
      return {"block"};
    case PacketKind::pair:
      return {"from", "to"};
    case PacketKind::pair_packet:
      break;
  }
  return {"from", "to", "packet"};
}

/// Sets what the proof is about, but for the steps.
void describe(const ProofRequest& request, SymbolicProof& proof) {
  proof.schedule = request.spec;
  proof.machine = request.machine.spec();
  proof.collective = request.collective;
  proof.ranks = request.schedule.ranks;
  if (info(request.collective).rooted) proof.root = request.schedule.root;
  proof.packet_names = packet_names(request.schedule.kind);
}

}  // namespace

std::string names_of_symbolic_schedules() {
  std::vector<std::string_view> names;
  for (const SymbolicScheduleEntry& entry : symbolic_schedules()) names.push_back(entry.algorithm);
  return join(names, ", ");
}

ProofRequest proof_request(const SymbolicQuestion& question) {
  const Spec spec = algorithm_spec(question.algorithm);
  if (named_algorithm(spec) && is_composition(spec.name)) {
    throw InputError(
        fmt::format("'{}' is a composition; formulas are proved of single algorithms", spec.name));
  }
  const Algorithm& algorithm = find_algorithm(spec.name);
  ProofRequest result{};
  result.algorithm = &algorithm;
  Request& request = result.request;
  request.parameters = spec.check(algorithm.parameters, fmt::format("algorithm '{}'", spec.name));
  result.entry = &entry_of(algorithm.name);
  result.spec = spec.text();
  check_ranks(question, result);
  const std::uint64_t P = question.ranks, root = question.root.value_or(0);
  // A machine with ports has the same rule for all ranks, and ebft one for every height.
  const auto some_ranks = static_cast<Rank>(std::min<std::uint64_t>(P, 1024));
  result.machine =
      make_machine(question.machine.empty() ? algorithm.machines_for(request.parameters).front()
                                            : question.machine,
                   some_ranks);
  request.machine = result.machine;
  request.problem.collective = algorithm.collectives.front();
  request.problem.ranks = static_cast<Rank>(std::min<std::uint64_t>(P, UINT32_MAX - 1));
  request.problem.root = static_cast<Rank>(std::min<std::uint64_t>(root, UINT32_MAX - 1));
  if (const auto why = result.entry->reason(request)) refuse(algorithm.name, *why);
  result.schedule = traits(result);
  complete(result.schedule, result, P, root);
  result.own_machine =
      std::ranges::find(algorithm.machines, result.machine.name()) != algorithm.machines.end() ||
      result.schedule.links;
  result.collective = collective_of(question, algorithm, result.schedule);
  check_machine(result);
  return result;
}

SymbolicProof prove(ProofRequest& request, const SymbolicOptions& options) {
  const auto start = SolverLimits::Clock::now();
  SymbolicProof proof;
  proof.verdict = Verdict::unknown;
  std::string steps;
  try {
    list_ranks(request, limit_checker(options.limits));
    steps = steps_text(request.schedule.steps);
    proof = prove(request.schedule, options);
  } catch (const LimitsReached&) {  // before the first query
  }
  describe(request, proof);
  proof.steps = std::move(steps);
  proof.seconds = seconds_since(start);
  return proof;
}

SymbolicProof prove_all_chunks(const SymbolicQuestion& question, const SymbolicOptions& options) {
  ProofRequest request = proof_request(question);
  if (!has_z3()) throw InputError("schedcc was built without Z3, which proofs for all chunks need");
  return prove(request, options);
}

}  // namespace schedcc::prover
