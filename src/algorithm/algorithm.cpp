// What an algorithm answers to a request: whether it serves it, its claim, its problem, its steps.

#include "schedcc/algorithm.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>

#include <fmt/core.h>

#include "algorithm/entry.hpp"
#include "core/join.hpp"
#include "core/memory.hpp"
#include "core/saturating.hpp"
#include "model/algebra.hpp"
#include "schedcc/error.hpp"
#include "schedcc/machine.hpp"

namespace schedcc {

namespace {

/// Why an algorithm cannot have irregular blocks; none if it can.
std::optional<std::string> irregular_refusal(const Algorithm& algorithm, const Problem& problem,
                                             const BlockSizes& sizes) {
  const std::string_view collective = info(problem.collective).name;
  const std::uint64_t blocks = block_count(problem.collective, problem.ranks);
  if (blocks == 0) return fmt::format("{} has no blocks whose sizes could differ", collective);
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

/// Throws InputError with the reason if the algorithm does not serve the request.
void require(const Algorithm& algorithm, const Request& request) {
  request.problem.validate();
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
  const std::uint64_t blocks = problem.in_blocks() ? problem.ranks : 1;
  if (problem.declared()) return 0;
  return Saturating(problem.ranks - 1) * problem.chunks * blocks;
}

/// Throws LimitError if a single step does not fit in memory, by least_moves() and the claimed
/// numbers of steps or sizes of messages. All of few moves fit.
void require_memory_for_steps(const Algorithm& algorithm, const Request& request) {
  constexpr std::uint64_t few = 1 << 16;
  if (least_moves(request.problem).value() <= few || !algorithm.meets_claim(request)) return;
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
  const AlgorithmEntry& entry = AlgorithmEntry::of(algorithm);
  if (request.block_sizes)
    return expand_blocks(entry.build(for_one_chunk(request)), *request.block_sizes);
  require_memory_for_steps(algorithm, request);
  const Scaling how = scaling(algorithm, request);
  if (how == Scaling::none) return entry.build(request);
  const Request one = for_one_chunk(request);
  return scaled(
      entry.phases ? entry.phases(one) : std::vector{SchedulePhase{entry.build(one), how}},
      request.problem.chunks);
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

bool Algorithm::agrees(const Request& request) const {
  return entry_->agrees == nullptr || request.problem.ranks == 1 ||
         request.problem.collective != Collective::allreduce || entry_->agrees(request);
}

ChosenParameters Algorithm::chosen(const Request& request) const {
  return entry_->choose == nullptr || request.problem.ranks == 1 ? ChosenParameters()
                                                                 : entry_->choose(request);
}

CostClaim Algorithm::claim(const Request& request) const {
  if (request.problem.ranks == 1) return {.steps = 0};
  CostClaim claim = entry_->claim(request);
  if (request.problem.tokens()) {
    claim.volume = 0;
    claim.volume_formula = {};
  }
  return claim;
}

std::optional<std::string> Algorithm::reason(const Request& request) const {
  const Problem& problem = request.problem;
  if (!serves(problem.collective)) {
    std::vector<std::string_view> names;
    for (const Collective c : collectives) names.push_back(info(c).name);
    const bool tokens = problem.tokens() && serves(Collective::allgather);
    return fmt::format(
        "it serves {}, not {}{}", join(names, ", "), info(problem.collective).name,
        tokens ? "; its allgather of empty messages is one: '(...) as barrier'" : "");
  }
  if (request.block_sizes) {
    if (auto why = irregular_refusal(*this, problem, *request.block_sizes)) return why;
  }
  if (hops && std::ranges::none_of(machines, [&](std::string_view m) {
        return m.substr(0, m.find(':')) == request.machine.name();
      })) {
    return fmt::format("it sends along the links of {}, not of {}", join(machines, ", "),
                       request.machine.spec());
  }
  if (entry_->reason != nullptr) {
    if (auto why = entry_->reason(request)) return why;
  }
  if (!problem.ordered || problem.ranks == 1) return std::nullopt;
  if (entry_->order == nullptr) return "it does not keep the order of operands";
  return entry_->order(request);
}

Problem Algorithm::problem(const Request& request) const {
  if (request.block_sizes) return with_block_sizes(request.problem, *request.block_sizes);
  if (entry_->own_problem == nullptr) return request.problem;
  if (scaling(*this, request) == Scaling::none) return entry_->own_problem(request);
  return scaled(entry_->own_problem(for_one_chunk(request)), request.problem.chunks);
}

std::uint64_t Algorithm::nodes(const Request& request) const {
  return hops && request.machine.routed() ? request.machine.network()->nodes() : 0;
}

Steps Algorithm::steps(const Request& request) const {
  require(*this, request);
  return build_steps(*this, request);
}

std::uint64_t chunk_unit(const Algorithm& algorithm, const Request& request) {
  const auto& unit = AlgorithmEntry::of(algorithm).chunk_unit;
  return unit == nullptr || request.problem.ranks == 1 ? 1 : unit(request);
}

Scaling scaling(const Algorithm& algorithm, const Request& request) {
  const AlgorithmEntry& entry = AlgorithmEntry::of(algorithm);
  if (request.problem.ranks == 1 || request.block_sizes) return Scaling::none;
  if (entry.scaling != nullptr) return entry.scaling(request);
  return entry.whole_blocks ? larger_blocks(request) : Scaling::none;
}

Request for_one_chunk(Request request) {
  request.problem.chunks = 1;
  request.block_sizes = std::nullopt;
  return request;
}

Scaling larger_blocks(const Request& request) {
  return request.problem.in_blocks() ? Scaling::blocks : Scaling::none;
}

Scaling blocks_or_packets(const Request& request) {
  if (request.problem.in_blocks()) return Scaling::blocks;
  return request.problem.reduction() ? Scaling::packets_backwards : Scaling::packets;
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

Source from_algorithm(std::string_view spec, const Problem& problem, std::string_view machine,
                      std::optional<BlockSizes> block_sizes) {
  const Spec named = algorithm_spec(spec);
  const auto algorithm = named_algorithm(named);
  Request request;
  request.problem = problem;
  request.parameters =
      named.check(algorithm->parameters, fmt::format("algorithm '{}'", named.name));
  request.machine = make_machine(
      machine.empty() ? algorithm->machines_for(request.parameters).front() : std::string(machine),
      problem.ranks);
  request.block_sizes = std::move(block_sizes);
  return from_algorithm(*algorithm, request, named.text());
}

}  // namespace schedcc
