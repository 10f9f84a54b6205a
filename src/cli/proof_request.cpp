// A request for a proof for every K: read, and refused where there is no closed form for it.

#include "cli/proof_request.hpp"

#include <algorithm>
#include <bit>

#include <fmt/core.h>

#include "cli/prove_options.hpp"
#include "cli/requests.hpp"
#include "cli/sources.hpp"
#include "core/join.hpp"
#include "schedcc/algorithm.hpp"
#include "schedcc/error.hpp"
#include "schedcc/machine.hpp"
#include "schedcc/problem.hpp"

namespace schedcc::cli {

namespace {

using namespace prover;

std::string symbolic_schedule_names() {
  std::vector<std::string_view> names;
  for (const SymbolicScheduleEntry& entry : symbolic_schedules()) names.push_back(entry.algorithm);
  return join(names, ", ");
}

void check_usage(const ProveOptions& o) {
  if (o.arguments.size() != 1) {
    throw UsageError("--all-chunks takes one algorithm: prove ALGORITHM --all-chunks");
  }
  if (const std::string& name = o.arguments.front(); is_file(name)) {
    throw UsageError(
        fmt::format("'{}' is a file, whose number of chunks is fixed (schedcc verify checks it); "
                    "--all-chunks takes an algorithm with a closed form: {}",
                    name, symbolic_schedule_names()));
  }
  static constexpr const char* search =
      "is for finding a schedule; --all-chunks proves that of an algorithm";
  const struct {
    bool given;
    const char *option, *why;
  } others[] = {
      {o.chunks.has_value(), "--chunks",
       "cannot be combined with --all-chunks, which proves all numbers of chunks"},
      {o.block_sizes.has_value(), "--block-sizes",
       "cannot be combined with --all-chunks, which proves all numbers of chunks"},
      {o.from.has_value(), "--from", "is for files; --all-chunks takes an algorithm"},
      {o.problem.has_value(), "--problem", "is for files; --all-chunks takes an algorithm"},
      {o.strict_format, "--strict-format", "is for files; --all-chunks takes an algorithm"},
      {o.steps.has_value(), "--steps",
       "is a number to decide; with --all-chunks the number of steps is a formula, which is "
       "proved"},
      {o.ordered, "--ordered", "is about the order of operands, which --all-chunks does not prove"},
      {o.rounds.has_value(), "--rounds", search},
      {o.pareto, "--pareto", search},
      {o.assume_bound, "--assume-bound", search},
      {o.no_wait, "--no-wait", search},
      {o.emit.has_value(), "--emit",
       "is for a schedule that is found; --all-chunks writes its queries with --smt2 and "
       "--certificate"},
      {o.output.has_value(), "--output",
       "is for a schedule that is found; --all-chunks writes its queries with --smt2 and "
       "--certificate"}};
  for (const auto& [given, option, why] : others) {
    if (given) throw UsageError(fmt::format("{} {}", option, why));
  }
  if (o.solver && *o.solver != "z3") {
    throw UsageError("--all-chunks proves formulas over unbounded integers: only --solver z3 can");
  }
  check_outputs(o);
  if (!o.ranks) {
    throw UsageError(
        "--all-chunks needs --ranks P: it proves every number of chunks for one number of ranks");
  }
}

[[noreturn]] void refuse(std::string_view algorithm, const std::string& why) {
  throw InputError(fmt::format("no proof of '{}' for every K: {}", algorithm, why));
}

const SymbolicScheduleEntry& entry_of(std::string_view algorithm) {
  for (const SymbolicScheduleEntry& entry : symbolic_schedules()) {
    if (entry.algorithm == algorithm) return entry;
  }
  refuse(algorithm, "the prover has no formulas for its schedule; it has those of " +
                        symbolic_schedule_names());
}

Collective collective_of(const ProveOptions& options, const Algorithm& algorithm,
                         const SymbolicSchedule& form) {
  const Collective first = algorithm.collectives.front();
  if (!options.collective) return first;
  const Collective asked = find_collective(*options.collective);
  const bool reversed = (first == Collective::broadcast && asked == Collective::reduce) ||
                        (first == Collective::allgather && asked == Collective::reduce_scatter);
  if (asked != first && !(form.reversible && reversed)) {
    refuse(algorithm.name, fmt::format("its formulas are for {}{}", info(first).name,
                                       !form.reversible                 ? ""
                                       : first == Collective::broadcast ? " and reduce"
                                                                        : " and reduce-scatter"));
  }
  return asked;
}

void check_ranks(const ProveOptions& options, const ProofRequest& theorem) {
  const std::string_view name = theorem.algorithm->name;
  const std::uint64_t P = *options.ranks;
  if (theorem.entry->powers_of_two && !std::has_single_bit(P)) {
    refuse(name, fmt::format("it needs P = 2^h ranks, and {} is no power of two", P));
  }
  if (P < 2) refuse(name, "one rank sends no message");
  if (P > theorem.entry->most_ranks) {
    refuse(name, fmt::format("the prover takes at most {} ranks of it, not {}",
                             theorem.entry->most_ranks, P));
  }
  const CollectiveInfo& collective = info(theorem.algorithm->collectives.front());
  if (options.root && !collective.rooted) {
    throw UsageError(fmt::format("{} has no root", collective.name));
  }
  if (const std::uint64_t root = options.root.value_or(0); root >= P) {
    throw InputError(fmt::format("root {} is not one of the ranks 0..{}", root, P - 1));
  }
}

void check_machine(const ProofRequest& theorem) {
  const Machine& machine = theorem.machine;
  const std::string_view name = theorem.algorithm->name;
  if (theorem.form.links ? machine.spec() != "fattree:cap=exponential" && machine.spec() != "ebft"
                         : !machine.ports() || machine.channels() || machine.network()) {
    refuse(name, fmt::format("its formulas are not for machine '{}'; they are {}", machine.spec(),
                             theorem.form.links ? "for fattree:cap=exponential"
                                                : "for machines that have ports alone"));
  }
  const bool blocks =
      theorem.form.kind == PacketKind::block || theorem.form.kind == PacketKind::pair;
  if (blocks && machine.width() != 0) {
    refuse(name, "its messages are blocks of K chunks, and the machine has a width");
  }
}

/// The number of steps that the catalogue promises is the formula's, where it can be asked.
void compare_promise(const Algorithm& algorithm, Request request, const SymbolicSchedule& form) {
  if (form.ranks > 4096) return;
  for (const std::uint32_t K : {1U, 2U, 3U, 7U, 30U}) {
    request.problem.chunks = K;
    if (algorithm.reason(request)) continue;
    const std::uint64_t promised = algorithm.claim(request).steps;
    if (promised != evaluate(form.steps, {{"K", K}})) {
      throw InternalError(
          fmt::format("the algorithm claims {} steps for K = {}, the formula says {}", promised, K,
                      form.steps_text));
    }
  }
}

/// What the form is whatever the number of ranks; its steps are left out.
SymbolicSchedule traits(const ProofRequest& theorem) {
  Request least = theorem.request;
  least.problem.ranks = 2;
  least.problem.root = 0;
  SymbolicSchedule form = theorem.entry->make(*theorem.algorithm, least, 2, nullptr);
  form.steps_text.clear();
  return form;
}

void complete(SymbolicSchedule& form, const ProofRequest& theorem, std::uint64_t ranks,
              std::uint64_t root) {
  form.ranks = ranks;
  form.root = root;
  form.simplex = theorem.machine.simplex();
}

}  // namespace

ProofRequest theorem(const ProveOptions& options) {
  check_usage(options);
  const NamedAlgorithm named(options.arguments.front());
  ProofRequest result{};
  result.algorithm = named.algorithm;
  const Algorithm& algorithm = *result.algorithm;
  result.entry = &entry_of(algorithm.name);
  result.schedule = named.spec.text();
  Request& request = result.request;
  request.parameters = named.parameters;
  check_ranks(options, result);
  const std::uint64_t P = *options.ranks, root = options.root.value_or(0);
  // A machine of ports has the same rule for all ranks, and ebft one for every height.
  const auto some_ranks = static_cast<Rank>(std::min<std::uint64_t>(P, 1024));
  result.machine = make_machine(named.machine(options.machine), some_ranks);
  request.machine = result.machine;
  request.problem.collective = algorithm.collectives.front();
  request.problem.ranks = static_cast<Rank>(std::min<std::uint64_t>(P, UINT32_MAX - 1));
  request.problem.root = static_cast<Rank>(std::min<std::uint64_t>(root, UINT32_MAX - 1));
  if (const auto why = result.entry->refuse(request)) refuse(algorithm.name, *why);
  result.form = traits(result);
  complete(result.form, result, P, root);
  result.own_machine =
      std::ranges::find(algorithm.machines, result.machine.name()) != algorithm.machines.end() ||
      result.form.links;
  result.collective = collective_of(options, algorithm, result.form);
  check_machine(result);
  return result;
}

void list_ranks(ProofRequest& theorem, const std::function<void()>& watch) {
  const std::uint64_t ranks = theorem.form.ranks, root = theorem.form.root;
  theorem.form = theorem.entry->make(*theorem.algorithm, theorem.request, ranks, watch);
  complete(theorem.form, theorem, ranks, root);
  compare_promise(*theorem.algorithm, theorem.request, theorem.form);
}

}  // namespace schedcc::cli
