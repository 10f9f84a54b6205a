// BFB: breadth-first broadcasts of all ranks at once, in as many phases as the diameter has links.
//
// In phase t every rank gets the shards of the ranks t links away, divided among its links such
// that the busiest has the least load U_t (bfb_fractions.hpp), for capacity 1. Messages of any
// size, as on tori: a phase is a step. On networks, whose links carry a capacity of chunks per
// step, a phase of shards of K chunks takes K U_t steps, without a gap between phases:
//     K (U_1 + ... + U_D) steps.
// That is the bound of the bottleneck, K (P - 1)/d for P ranks with d links each, on rings, tori,
// hypercubes, and many other symmetric graphs, though not on all.
//
// K U_t is whole: shards are cut into thirds or quarters where links share them that way. A
// reduce-scatter is the reverse, on the reversed links, and an allreduce both.
//
// Source: Zhao et al., "Efficient Direct-Connect Topologies for Collective Communications"
// (arXiv 2202.03356).

#include <algorithm>
#include <memory>
#include <numeric>
#include <vector>

#include <fmt/core.h>

#include "algorithm/forest/bfb_fractions.hpp"
#include "algorithm/forest/link_machine.hpp"
#include "algorithm/shapes.hpp"
#include "core/counted.hpp"
#include "core/saturating.hpp"

namespace schedcc::bfb_algorithm {

namespace {

bool both_ways(const Request& r) { return r.problem.collective == Collective::allreduce; }

bool has_switches(const Request& r) {
  const LinkGraph graph = graph_of(r, false);
  return graph.nodes > graph.ranks;
}

/// The number of chunks whose multiples can be divided; 0 if it is 2^32 or more.
std::uint64_t chunk_unit(const Request& r) {
  if (graph_refusal(r) || has_switches(r)) return 1;
  Saturating result = both_ways(r) ? r.problem.ranks : 1;
  std::uint64_t shard = 1;
  for (const bool backwards : directions(r.problem.collective)) {
    const std::uint64_t own = breadth_first(graph_of(r, backwards))->chunk_unit();
    if (own == 0) return 0;
    shard = std::lcm(shard, own);
  }
  result *= shard;
  return result.value() > UINT32_MAX ? 0 : result.value();
}

/// A phase: parts of shards by link, and where on its link each begins.
struct Phase {
  std::uint64_t first_step, steps;
  std::vector<ShardPart> parts;
  std::vector<std::uint64_t> begin;
};

Phase phase_of(const BreadthFirst& search, std::size_t t, std::uint64_t K, bool routed,
               std::uint64_t first_step) {
  const auto [numerator, denominator] = search.loads()[t];
  Phase result{first_step, routed ? K / denominator * numerator : 1, search.parts(t, K), {}};
  std::uint64_t sent = 0;
  for (std::size_t i = 0; i < result.parts.size(); ++i) {
    if (i > 0 && result.parts[i].link != result.parts[i - 1].link) sent = 0;
    result.begin.push_back(sent);
    sent += result.parts[i].count;
  }
  return result;
}

/// An allgather, phase by phase; on networks in each step a link carries its capacity.
class Phases {
 public:
  explicit Phases(const Request& r, bool backwards)
      : problem_(r.problem), routed_(r.machine.routed()), graph_(graph_of(r, backwards)) {
    const auto search = breadth_first(graph_);
    const std::uint64_t K = block_of(problem_, 0).count;
    for (std::size_t t = 0; t < search->loads().size(); ++t)
      phases_.push_back(phase_of(*search, t, K, routed_, steps()));
  }

  std::uint64_t steps() const {
    return phases_.empty() ? 0 : phases_.back().first_step + phases_.back().steps;
  }

  void fill(std::uint64_t step, Transfers& out) const {
    const auto after = std::ranges::upper_bound(phases_, step, {}, &Phase::first_step);
    const Phase& phase = *(after - 1);
    for (std::size_t i = 0; i < phase.parts.size(); ++i) {
      const auto& [link, source, first, count] = phase.parts[i];
      const auto& [from, to, capacity] = graph_.links[link];
      const std::uint64_t begin = phase.begin[i], end = begin + count;
      const std::uint64_t before = (step - phase.first_step) * capacity;
      const std::uint64_t low = routed_ ? std::max(begin, before) : begin;
      const std::uint64_t high = routed_ ? std::min(end, before + capacity) : end;
      if (low >= high) continue;
      const std::uint64_t chunk = block_of(problem_, source).first + first + (low - begin);
      out.push_back(
          copy(from, to, static_cast<Chunk>(chunk), static_cast<std::uint32_t>(high - low)));
    }
  }

 private:
  Problem problem_;
  bool routed_;
  LinkGraph graph_;
  std::vector<Phase> phases_;
};

Steps allgather(const Request& r, bool backwards) {
  const auto phases = std::make_shared<const Phases>(r, backwards);
  return every_step(phases->steps(),
                    [phases](std::uint64_t t, Transfers& out) { phases->fill(t, out); });
}

std::optional<std::string> reason(const Request& r) {
  if (auto why = graph_refusal(r)) return why;
  if (r.problem.ranks == 1) return std::nullopt;
  if (has_switches(r))
    return fmt::format("it needs links from rank to rank; {} has switches", r.machine.spec());
  if (!r.machine.routed()) {
    RankPairs messages;
    for (const auto& link : graph_of(r, false).links) messages.emplace(link.from, link.to);
    if (auto why = messages_refusal(r.machine, messages)) return why;
  }
  const std::uint64_t unit = chunk_unit(r);
  if (unit == 0) return "its blocks would be cut into 2^32 chunks or more";
  if (r.problem.chunks % unit == 0) return std::nullopt;
  return fmt::format("{} must have a multiple of {} to be divided evenly over the links, not {}",
                     both_ways(r) ? "a vector" : "a block", counted(unit, "chunk"),
                     r.problem.chunks);
}

/// What the busiest link carries in a phase.
std::uint64_t largest_message(const Phase& phase) {
  std::uint64_t result = 0;
  for (std::size_t i = 0; i < phase.parts.size(); ++i)
    result = std::max(result, phase.begin[i] + phase.parts[i].count);
  return result;
}

/// Adds the steps of an allgather of blocks of K chunks, and where a phase is a step the volume;
/// K is a multiple of the unit, or nothing depends on the result.
void add_cost(const Request& r, bool backwards, std::uint64_t K, Saturating& steps,
              Saturating& volume) {
  const auto search = breadth_first(graph_of(r, backwards));
  const bool divides = K % std::max<std::uint64_t>(search->chunk_unit(), 1) == 0;
  for (std::size_t t = 0; t < search->loads().size(); ++t) {
    const auto [numerator, denominator] = search->loads()[t];
    const Saturating load = ceil_div(Saturating(K) * numerator, denominator);
    if (r.machine.routed()) {
      steps += load;
    } else {
      steps += 1;
      volume += divides ? largest_message(phase_of(*search, t, K, false, 0)) : load;
    }
  }
}

CostClaim claim(const Request& r) {
  const std::uint64_t K = both_ways(r) ? r.problem.chunks / r.problem.ranks : r.problem.chunks;
  Saturating steps = 0, volume = 0;
  for (const bool backwards : directions(r.problem.collective))
    add_cost(r, backwards, K, steps, volume);
  CostClaim result{.steps = steps.value(), .volume = volume.value()};
  if (r.machine.routed()) {
    result.steps_formula = both_ways(r) ? "2 s (U_1 + ... + U_D) / P" : "s (U_1 + ... + U_D)";
  } else {
    result.steps_formula = both_ways(r) ? "2 D" : "D";
    result.volume_formula = "the largest messages";
  }
  return result;
}

}  // namespace

extern const AlgorithmEntry entry;
const AlgorithmEntry entry{
    .name = "bfb",
    .summary = "breadth-first broadcasts of all ranks at once, balanced over the links",
    .source = "arXiv 2202.03356",
    .collectives = {Collective::allgather, Collective::reduce_scatter, Collective::allreduce},
    .machines = {"torus:ports=4", "torus", "mesh", "topology"},
    .fits = [](const Request& r) { return !reason(r); },
    .reason = reason,
    .order =
        [](const Request& r) { return order_refusal(r, reverse_reducing(allgather(r, true))); },
    .whole_only = "its trees are balanced over all links of the network together",
    .build =
        [](const Request& r) {
          return on_links(r.problem, [&](bool backwards) { return allgather(r, backwards); });
        },
    .claim = claim,
    .chunk_unit = chunk_unit,
};

}  // namespace schedcc::bfb_algorithm
