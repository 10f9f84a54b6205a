// The catalogue of algorithms, and calls of the functions of their entries.

#include "schedcc/algorithm.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>

#include <fmt/core.h>

#include "algorithm/composition.hpp"
#include "algorithm/entry.hpp"
#include "core/catalogue.hpp"
#include "core/checked.hpp"
#include "core/join.hpp"
#include "core/memory.hpp"
#include "core/names.hpp"
#include "model/algebra.hpp"
#include "model/aliases.hpp"
#include "schedcc/error.hpp"
#include "schedcc/machine.hpp"

namespace schedcc {

namespace {

/// Why an algorithm cannot have irregular blocks; none if it can.
std::optional<std::string> irregular_refusal(const Algorithm& algorithm, const Problem& problem,
                                             const BlockSizes& sizes) {
  const std::string_view collective = info(problem.collective).name;
  const std::uint64_t blocks = block_count(problem.collective, problem.ranks);
  if (blocks == 0) return fmt::format("{} has no blocks that could be irregular", collective);
  if (!algorithm.whole_blocks) {
    std::vector<std::string_view> names;
    for (const Algorithm* a : algorithms()) {
      if (a->whole_blocks && a->serves(problem.collective)) names.push_back(a->name);
    }
    return fmt::format("its blocks are all of one size; for irregular blocks of {} there is {}",
                       collective, join(names, ", "));
  }
  if (sizes.size() == blocks) return std::nullopt;
  return fmt::format("{} sizes are given for {} blocks", sizes.size(), blocks);
}

/// The request must be within the limits.
void validate(const Algorithm& algorithm, const Request& request) {
  Problem asked = request.problem;
  if (AlgorithmEntry::of(algorithm).own_problem != nullptr)
    asked.ordered = false;  // it may reduce or not
  asked.validate();
}

/// Throws InputError with the reason if the algorithm does not serve the request.
void require(const Algorithm& algorithm, const Request& request) {
  validate(algorithm, request);
  if (const auto why = algorithm.reason(request)) {
    throw InputError(
        fmt::format("algorithm '{}' does not serve this problem: {}", algorithm.name, *why));
  }
  // Whether the algorithm's own collective has reductions is known only now.
  if (request.problem.ordered && AlgorithmEntry::of(algorithm).own_problem != nullptr) {
    algorithm.problem(request).validate();
  }
}

/// The least number of times that any schedule moves a chunk: to all other ranks, or from them; a
/// block for one rank, once. 0 if unknown.
Saturating least_moves(const Problem& problem) {
  const std::uint64_t blocks = info(problem.collective).blocks > 0 ? problem.ranks : 1;
  if (problem.collective == Collective::custom) return 0;
  return Saturating(problem.ranks - 1) * problem.chunks * blocks;
}

/// Throws LimitError if a single step does not fit in memory, by least_moves() and the claimed
/// numbers of steps or sizes of messages.
void require_memory_for_steps(const Algorithm& algorithm, const Request& request) {
  if (!algorithm.meets_claim(request)) return;
  const CostClaim claim = algorithm.claim(request);
  const std::uint64_t volume = claim.width == 1 ? claim.steps : claim.volume;
  if (volume == 0) return;
  const std::uint64_t messages = least_moves(request.problem).value() / volume;
  require_memory(
      Saturating(messages) * sizeof(Transfer),
      fmt::format("a step of algorithm '{}' with {} transfers or more", algorithm.name, messages));
}

Steps build_steps(const Algorithm& algorithm, const Request& request) {
  if (request.problem.ranks == 1) return {};
  if (!request.block_sizes) {
    require_memory_for_steps(algorithm, request);
    return AlgorithmEntry::of(algorithm).build(request);
  }
  Request one_chunk_each = request;
  one_chunk_each.problem.chunks = 1;
  one_chunk_each.block_sizes = std::nullopt;
  return expand_blocks(AlgorithmEntry::of(algorithm).build(one_chunk_each), *request.block_sizes);
}

/// Steps that are built on first use: a rank that computes its own operations needs none.
class LazySteps {
 public:
  LazySteps(Algorithm algorithm, Request request)
      : algorithm_(std::move(algorithm)), request_(std::move(request)) {}

  const Steps& get() {
    std::call_once(built_, [this] { steps_ = build_steps(algorithm_, request_); });
    return steps_;
  }

 private:
  Algorithm algorithm_;
  Request request_;
  std::once_flag built_;
  Steps steps_;
};

/// The request on the machine without its limit to the width of messages.
Request with_any_width(Request request) {
  request.machine = request.machine.with_width(0);
  return request;
}

/// Of a composition that serves the request: do all parts answer yes?
bool all_parts(const Algorithm& algorithm, const Request& request,
               bool (Algorithm::*answer)(const Request&) const) {
  return algorithm.serves(request.problem.collective) &&
         std::ranges::all_of(
             AlgorithmEntry::of(algorithm).parts(request),
             [&](const AlgorithmPart& part) { return (part.algorithm.*answer)(part.request); });
}

/// Is the algorithm for a machine of this kind, or for duplex, with no more ports than ranks have
/// here?
bool has_ports_to_spare(const Algorithm& algorithm, Request request) {
  const Machine& machine = request.machine;
  if (!machine.ports() || machine.ports()->both < 2) return false;
  const auto has_all_ports_of = [&](const std::string& other) {
    if (Spec::parse(other).name != machine.name()) return false;
    const Machine made_for = make_machine(other, request.problem.ranks);
    const PortLimits* ports = made_for.ports();
    return ports && ports->send <= machine.ports()->send &&
           ports->receive <= machine.ports()->receive;
  };
  if (!machine.channels() &&
      std::ranges::any_of(algorithm.machines_for(request.parameters), has_all_ports_of)) {
    return true;
  }
  request.machine = Machine();
  return algorithm.made_for(request);
}

}  // namespace

Algorithm::Algorithm(std::shared_ptr<const AlgorithmEntry> entry)
    : name(entry->name),
      summary(entry->summary),
      source(entry->source),
      collectives(entry->collectives),
      machines(entry->machines),
      parameters(entry->parameters),
      whole_blocks(entry->whole_blocks),
      hops(entry->hops),
      disagreement(entry->disagreement),
      entry_(std::move(entry)) {}

bool Algorithm::serves(Collective collective) const {
  return std::ranges::find(collectives, collective) != collectives.end();
}

std::vector<std::string> Algorithm::machines_for(const Parameters& given) const {
  std::vector<std::string> result;
  for (const std::string_view machine : machines) {
    Spec spec = Spec::parse(machine);
    std::erase_if(spec.items, [&](auto& item) {
      std::string& value = item.second.front();
      if (!value.starts_with('{')) return false;
      const std::string key = value.substr(1, value.size() - 2);
      if (!given.has(key)) return true;
      value = given.text(key);
      return false;
    });
    result.push_back(spec.text());
  }
  return result;
}

bool Algorithm::made_for(const Request& request) const {
  if (entry_->parts) {
    return (entry_->fits == nullptr || entry_->fits(request)) &&
           all_parts(*this, request, &Algorithm::made_for);
  }
  const Machine& machine = request.machine;
  return machine.width() == 0 && (entry_->fits == nullptr || entry_->fits(request)) &&
         std::ranges::any_of(machines_for(request.parameters), [&](const std::string& m) {
           return m == machine.name() || m == machine.spec();
         });
}

bool Algorithm::meets_claim(const Request& request) const {
  if (entry_->parts) return all_parts(*this, request, &Algorithm::meets_claim);
  const Request r = with_any_width(request);
  return made_for(r) || has_ports_to_spare(*this, r);
}

bool Algorithm::holds_by_design(const Request& request) const {
  if (entry_->parts) {
    return (entry_->fits == nullptr || entry_->fits(request)) &&
           all_parts(*this, request, &Algorithm::holds_by_design);
  }
  const Request r = with_any_width(request);
  return made_for(r) || (!r.machine.channels() && has_ports_to_spare(*this, r));
}

bool Algorithm::agrees(const Request& request) const {
  return entry_->agrees == nullptr || request.problem.ranks == 1 ||
         request.problem.collective != Collective::allreduce || entry_->agrees(request);
}

Chosen Algorithm::chosen(const Request& request) const {
  return entry_->choose == nullptr || request.problem.ranks == 1 ? Chosen()
                                                                 : entry_->choose(request);
}

CostClaim Algorithm::claim(const Request& request) const {
  return request.problem.ranks == 1 ? CostClaim{.steps = 0} : entry_->claim(request);
}

std::optional<std::string> Algorithm::reason(const Request& request) const {
  const Problem& problem = request.problem;
  if (!serves(problem.collective)) {
    std::vector<std::string_view> names;
    for (const Collective c : collectives) names.push_back(info(c).name);
    return fmt::format("it serves {}, not {}", join(names, ", "), info(problem.collective).name);
  }
  if (request.block_sizes) {
    if (auto why = irregular_refusal(*this, problem, *request.block_sizes)) return why;
  }
  if (hops && std::ranges::none_of(machines, [&](std::string_view m) {
        return m.substr(0, m.find(':')) == request.machine.name();
      })) {
    return fmt::format("its routers copy packets: it is for machine {}, not {}",
                       join(machines, ", "), request.machine.spec());
  }
  if (entry_->refuse != nullptr) {
    if (auto why = entry_->refuse(request)) return why;
  }
  if (!problem.ordered || problem.ranks == 1) return std::nullopt;
  if (entry_->order == nullptr) return "it does not keep the order of operands";
  return entry_->order(request);
}

Problem Algorithm::problem(const Request& request) const {
  if (request.block_sizes) return with_block_sizes(request.problem, *request.block_sizes);
  return entry_->own_problem == nullptr ? request.problem : entry_->own_problem(request);
}

std::uint64_t Algorithm::nodes(const Request& request) const {
  return hops && request.machine.routed() ? request.machine.network()->nodes() : 0;
}

Steps Algorithm::steps(const Request& request) const {
  require(*this, request);
  return build_steps(*this, request);
}

Source from_algorithm(const Algorithm& algorithm, const Request& request, std::string spec) {
  require(algorithm, request);
  Source source;
  source.open = [lazy = std::make_shared<LazySteps>(algorithm, request)] {
    return stream(lazy->get());
  };
  source.problem = algorithm.problem(request);
  const std::string_view title = source.problem.title();
  source.title = title.empty() ? spec : fmt::format("{}: {}", spec, title);
  source.name = std::move(spec);
  source.machine = request.machine.spec();
  source.nodes = algorithm.nodes(request);
  source.chosen = algorithm.chosen(request);
  const auto& queues = AlgorithmEntry::of(algorithm).queues;
  if (queues != nullptr && request.problem.ranks > 1) source.claimed_queues = queues(request);
  return source;
}

Source from_algorithm(std::string_view spec, const Problem& problem, std::string_view machine) {
  const Spec named = algorithm_spec(spec);
  const auto algorithm = named_algorithm(named);
  Request request;
  request.problem = problem;
  request.parameters =
      named.check(algorithm->parameters, fmt::format("algorithm '{}'", named.name));
  request.machine = make_machine(
      machine.empty() ? algorithm->machines_for(request.parameters).front() : std::string(machine),
      problem.ranks);
  return from_algorithm(*algorithm, request, named.text());
}

std::span<const Algorithm* const> algorithms() {
  static const Catalogue<Algorithm> all(algorithm_entries());
  return all.list();
}

namespace {

/// Throws InputError with the algorithms of a collective that is named where an algorithm should
/// be.
void refuse_collective(std::string_view name) {
  const std::string_view collective = without_alias(AliasKind::collective, name);
  const auto found = std::ranges::find(collectives(), collective, &CollectiveInfo::name);
  if (found == collectives().end()) return;
  std::vector<std::string_view> names;
  for (const Algorithm* a : algorithms()) {
    if (a->serves(found->collective)) names.push_back(a->name);
  }
  throw InputError(fmt::format("'{}' is a collective, not an algorithm; its algorithms are {}",
                               name, join(names, ", ")));
}

}  // namespace

const Algorithm& find_algorithm(std::string_view name) {
  const auto found = std::ranges::find(algorithms(), name, &Algorithm::name);
  if (found == algorithms().end()) refuse_collective(name);
  return find_named(algorithms(), "algorithm", name);
}

Spec algorithm_spec(std::string_view text) {
  if (is_composition(text)) return {composition_text(text), {}};
  Spec result = Spec::parse(text);
  result.name = without_alias(AliasKind::algorithm, result.name);
  return result;
}

std::shared_ptr<const Algorithm> named_algorithm(const Spec& spec) {
  if (is_composition(spec.name)) return std::make_shared<const Algorithm>(composition(spec.name));
  return {std::shared_ptr<void>(), &find_algorithm(spec.name)};
}

}  // namespace schedcc
