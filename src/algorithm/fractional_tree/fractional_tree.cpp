// Fractional tree broadcast: the nodes of a binary tree are groups of r PUs that form a chain.
//
// Packets come in runs of r. A group's PUs forward every packet down the chain, and the last one to
// the head of the down successor group. After each run the i-th PU sends the run's i-th packet to
// the head of the right successor, while the next run arrives. So every PU receives r packets in a
// row and pauses for a step, in the right successor just as in the down one, which starts one step
// earlier:
//     PU receives packet 0 in step b  ->  sends down packet q of run m in step b + 1 + m (r+1) + q,
//                                         sends right packet i of run m in step b + 1 + m (r+1) +
//                                         r.
// Down successors have b' = b + r (b of the head), right ones b' = b + r + 1. Hence the recurrence
//     P_i = r + P_{i-r} + P_{i-r-1},   P_i = i + 1 for i <= r
// for the PUs reachable within i steps, N_i of kernel/fractional_tree.hpp. PUs with the same b, a
// wave, have the same operations in every step, so a step is a loop over the active waves.
//
// FT's d + s (1 + 1/r) counts one step too many: packet s - 1 arrives s - 1 + ceil(s/r) - 1 steps
// after packet 0. Where P <= r + 1 there is no right successor and so no pause: the chain, P - 2 +
// K steps.
//
// Sequential programs. A PU that calls send and receive in sequence needs two substeps for a step.
// The messages of a step form paths, so two are enough if they alternate along a path; if all PUs
// send first, a path completes from its end, one message after another. So each message has its
// half of the step, and the transfers of the first half are listed first. Let the phase of a PU be
// q when it sends down packet q of a run and -1 when it sends right. The predecessor of a PU in the
// chain is a phase ahead of it, and PU i sends to the head on the right when it has phase i - 1.
//   - In the root's group, and below an even number of edges to the right, the half is the phase
//     modulo 2: every PU changes its order from step to step. All of them send right in the same
//     half.
//   - So the heads on the right, below an odd number, receive in the same half always. In their
//     groups the half is that of the position in the chain: PUs keep one order, and
//     neighbours differ. PU i sends right in the half of i; their successors are of the first kind
//     again.
//
// Cost: O(P) to lay out, O(1) per transfer. Source: FT, section 3, figures 1 and 2.

#include "algorithm/fractional_tree/fractional_tree.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "algorithm/fractional_tree/embedding.hpp"
#include "algorithm/fractional_tree/layout.hpp"
#include "algorithm/kernel/fractional_tree.hpp"
#include "algorithm/local_terms.hpp"
#include "algorithm/shapes.hpp"

namespace schedcc {

namespace {

using fractional::Edge;

/// The edges of a wave, by their half of the step.
struct Halves {
  std::array<std::vector<Edge>, 2> down, down_by_packet, right;
};

std::vector<Halves> in_halves(const std::vector<fractional::Wave>& waves) {
  std::vector<Halves> result;
  for (const fractional::Wave& wave : waves) {
    Halves& halves = result.emplace_back();
    for (const Edge& e : wave.down) {
      (e.by_packet ? halves.down_by_packet : halves.down)[e.half ? 1 : 0].push_back(e);
    }
    for (const Edge& e : wave.right) halves.right[e.half ? 1 : 0].push_back(e);
  }
  return result;
}

/// Appends a packet over each of the edges.
inline void send(const std::vector<Edge>& edges, std::uint64_t packet, Transfers& out) {
  if (edges.size() <= 1) {  // mostly so in chains
    if (!edges.empty()) out.push_back(copy(edges[0].from, edges[0].to, static_cast<Chunk>(packet)));
    return;
  }
  const std::size_t begin = out.size();
  out.resize(begin + edges.size());
  std::ranges::transform(
      edges, out.begin() + static_cast<std::ptrdiff_t>(begin),
      [first = static_cast<Chunk>(packet)](const Edge& e) { return copy(e.from, e.to, first); });
}

}  // namespace

Steps fractional_broadcast(const std::vector<fractional::Wave>& all, std::uint64_t steps,
                           std::uint64_t K, std::uint64_t r) {
  const auto waves = std::make_shared<const std::vector<Halves>>(in_halves(all));
  // Steps from a PU's first send to its last.
  const std::uint64_t busy = r == 0 ? K : ceil_div(K, r) * (r + 1);

  // Both halves have the waves in their order; a step is divided between waves.
  return every_step_in_parts(steps, [=](std::uint64_t t, const RowParts& parts, Transfers& out) {
    const std::uint64_t first = t < busy ? 0 : t - busy + 1, count = waves->size();
    const std::uint64_t end = std::min<std::uint64_t>(t + 1, count);
    for (const std::size_t half : {0U, 1U}) {
      const auto before = [&](std::uint64_t part) {
        const std::uint64_t place = 2 * count * part / parts.of;
        return std::clamp(place - std::min(place, half * count), first, std::max(first, end));
      };
      const std::uint64_t next = before(parts.end);
      for (std::uint64_t start = before(parts.first); start < next; ++start) {
        const Halves& wave = (*waves)[start];
        const auto position = local::run_position(t - start, r);
        if (local::sends_down(position, r, K)) {
          const std::uint64_t packet = local::down_packet(position);
          send(wave.down[half], packet, out);
          send(wave.down_by_packet[(half + position.place) % 2], packet, out);
        }
        if (!local::sends_right(position, std::uint64_t{0}, r, K)) continue;
        for (const Edge& e : wave.right[half]) {
          const std::uint64_t i = e.packet;
          if (local::sends_right(position, i, r, K))
            out.push_back(copy(e.from, e.to, static_cast<Chunk>(local::right_packet(position, i))));
        }
      }
    }
  });
}

Steps fractional_tree(std::uint64_t P, std::uint64_t K, std::uint64_t r, std::uint64_t last) {
  return fractional_broadcast(fractional_waves(P, r, last), fractional_tree_steps(P, K, r), K,
                              local::fractional_run(P, r));
}

Steps from_kernel(const local::FractionalTree& kernel, std::uint64_t P) {
  return fractional_tree(P, kernel.chunks(), kernel.run(), kernel.last());
}

local_terms::Result fractional_kernel(const LocalRequest& r, std::uint64_t group) {
  using namespace local_terms;
  if (r.machine.simplex()) {
    throw InputError("the kernel of fractional trees is for duplex ranks");
  }
  return rooted(
      r,
      Term<local::FractionalTree>{{r.problem.ranks, r.problem.chunks, group, r.problem.root},
                                  fmt::format("FractionalTree(ranks, chunks, {}, root)", group)},
      {"fractional_tree.hpp"});
}

std::vector<fractional::Wave> fractional_waves(std::uint64_t P, std::uint64_t r,
                                               std::uint64_t last) {
  // Each edge is in a wave, and then in one of its halves.
  require_memory_for_ranks(P, 2 * sizeof(Edge), "a tree");
  const fractional::Group group = local::fractional_group(P, r);
  const std::vector<std::uint64_t> sizes = local::tree_sizes(P, group);
  fractional::Layout layout(group, sizes, sizes.size());
  layout.tree(0, P, {}, sizes.size() - 1, last);
  return std::move(layout).waves();
}

std::uint64_t fractional_depth(std::uint64_t P, std::uint64_t r) {
  if (local::fractional_run(P, r) == 0) return P - 2;  // the last PU of a chain
  return fractional::depth(P, local::fractional_group(P, r)) - 1;
}

std::uint64_t fractional_tree_steps(std::uint64_t P, std::uint64_t K, std::uint64_t r) {
  return local::fractional_steps(fractional_depth(P, r), K, local::fractional_run(P, r));
}

namespace {

/// `chain`, the r of a tree without pauses, or the least r < chain that takes fewer steps(P, K, r),
/// the fewest. d does not decrease with r, so that no larger r can be better than r without its
/// pauses.
std::uint64_t fewest(decltype(fractional_tree_steps) steps, std::uint64_t P, std::uint64_t K,
                     std::uint64_t chain) {
  std::uint64_t best = chain;
  std::uint64_t least = steps(P, K, chain);
  for (std::uint64_t r = 1; r < chain; ++r) {
    const std::uint64_t found = steps(P, K, r);
    if (found < least) std::tie(least, best) = std::pair(found, r);
    if (found - (ceil_div(K, r) - 1) >= least) break;
  }
  return best;
}

std::uint64_t best_duplex_group(std::uint64_t P, std::uint64_t K) {
  return fewest(fractional_tree_steps, P, K, std::max<std::uint64_t>(P - 1, 1));
}

std::uint64_t best_simplex_group(std::uint64_t P, std::uint64_t K) {
  return fewest(simplex_fractional_tree_steps, P, K, K);
}

std::uint64_t best_coupled_group(std::uint64_t P, std::uint64_t K) {
  return best_duplex_group(std::max<std::uint64_t>(ceil_div(P, 2), 2), K);
}

// In the formulas d is the step in which the last PU receives packet 0, counted from 0; of couples,
// in their tree.

CostClaim duplex_claim(std::uint64_t P, std::uint64_t s, std::uint64_t r) {
  if (local::fractional_run(P, r) == 0)
    return {.steps = P - 2 + s, .width = 1, .hops = P - 1, .steps_formula = "P - 2 + s"};
  const std::uint64_t d = fractional_depth(P, r);
  return {.steps = d + s + ceil_div(s, r) - 1,
          .width = 1,
          // The root sends right, too, unless the last PU is the one below its group.
          .busiest = s + (P > r + 2 ? ceil_div(s, r) : 0),
          .hops = d,  // down only: there are all PUs that can be reached before the last step
          .steps_formula = "d + s + ceil(s/r) - 1"};
}

CostClaim simplex_claim(std::uint64_t P, std::uint64_t K, std::uint64_t r) {
  // Up to four PUs have no right successors, but the pause for them.
  return {.steps = simplex_fractional_tree_steps(P, K, r),
          .width = 1,
          .idle = (P == 3 || P == 4) && K > r,
          .steps_formula = P == 2 ? "s" : "d + 2s + ceil(s/r) - 2"};
}

CostClaim coupled_claim(std::uint64_t P, std::uint64_t K, std::uint64_t r) {
  const bool chain = local::fractional_run(ceil_div(P, 2), r) == 0;
  return {.steps = coupled_fractional_tree_steps(P, K, r),
          .width = 1,
          .steps_formula = P == 2  ? "s"
                           : chain ? "2 (ceil(P/2) - 2 + s)"
                                   : "2 (d + s + ceil(s/r) - 1)"};
}

}  // namespace

const FractionalTree& fractional_tree_for(const Machine& machine, bool coupled) {
  static constexpr FractionalTree on_duplex{fractional_tree, duplex_claim, best_duplex_group};
  static constexpr FractionalTree on_simplex{simplex_fractional_tree, simplex_claim,
                                             best_simplex_group};
  static constexpr FractionalTree in_couples{coupled_fractional_tree, coupled_claim,
                                             best_coupled_group};
  if (coupled) return in_couples;
  return machine.simplex() ? on_simplex : on_duplex;
}

}  // namespace schedcc

namespace schedcc::fractional_tree_algorithm {

namespace {

const FractionalTree& tree(const Request& r) {
  return fractional_tree_for(r.machine, r.parameters.has("coupled"));
}

std::uint64_t group_size(const Request& r) {
  if (const Embedding* layout = embedding(r)) return embedded_group(*layout, r);
  return r.parameters.has("r") ? r.parameters.integer("r")
                               : tree(r).best(r.problem.ranks, r.problem.chunks);
}

Steps build(const Request& r) {
  const Problem& p = r.problem;
  if (const Embedding* layout = embedding(r)) return layout->build(r, group_size(r));
  return rooted(p, tree(r).build(p.ranks, p.chunks, group_size(r), p.root));
}

local_terms::Result kernel(const LocalRequest& r) {
  if (r.parameters.has("coupled") || r.parameters.has("layout")) {
    throw InputError("the kernel of fractional trees has neither couples nor layouts");
  }
  return fractional_kernel(r, r.parameters.has("r") ? r.parameters.integer("r")
                                                    : fractional_tree_for(r.machine).best(
                                                          r.problem.ranks, r.problem.chunks));
}

std::optional<std::string> reason(const Request& r) {
  const Embedding* layout = embedding(r);
  const bool coupled = r.parameters.has("coupled");
  if (coupled && layout != nullptr) return "couples are for simplex ranks, layouts for duplex ones";
  if (coupled && r.machine.ports() && r.machine.ports()->both > 1) {
    return "couples make two simplex ranks act as one duplex rank (FT, footnote 2), and duplex "
           "ranks need none; give --machine simplex";
  }
  if (layout == nullptr) return std::nullopt;
  // If no r is served, the reason is the one against an r.
  return layout->reason(r, std::max<std::uint64_t>(group_size(r), 1));
}

std::optional<std::string> order(const Request& r) {
  const Embedding* layout = embedding(r);
  if (layout == nullptr) return trees_in_order(r, build);
  // With the r of the reduction: where modules take in more messages than they send out, the
  // broadcast has another one, or none.
  const std::uint64_t group = std::max<std::uint64_t>(group_size(r), 1);
  return trees_in_order(r, [&](const Request& forward) { return layout->build(forward, group); });
}

/// On a network it is for the network's layout, without one for ports only.
bool fits(const Request& r) {
  const Embedding* layout = embedding(r);
  if (layout != nullptr) return layout->fits(r, group_size(r));
  return r.machine.channels() == nullptr;
}

}  // namespace

extern const AlgorithmEntry entry;
const AlgorithmEntry entry{
    .name = "fractional-tree",
    .summary = "a binary tree whose nodes are groups of r ranks in a chain",
    .source = "FT, section 3; coupled: section 1, footnote 2; layouts: section 4",
    .collectives = {Collective::broadcast, Collective::reduce},
    .machines = {"duplex", "simplex", "crossbar", "mesh", "cluster"},
    .fits = fits,
    .other_on_simplex = true,
    .parameters = {{.name = "r",
                    .summary = "ranks in a group (default: the r with the fewest steps)",
                    .min = 1,
                    .max = UINT32_MAX},
                   {.name = "coupled",
                    .summary = "for simplex: two ranks act as one duplex rank",
                    .kind = Parameter::Kind::flag},
                   {.name = "layout",
                    .summary =
                        "placement of the groups on a network: crossbar, crossbar-thin, mesh",
                    .kind = Parameter::Kind::text,
                    .choices = {"crossbar", "crossbar-thin", "mesh"}}},
    .reason = reason,
    .order = order,
    .kernel = kernel,
    .build = build,
    .claim =
        [](const Request& r) {
          if (const Embedding* layout = embedding(r)) return layout->claim(r, group_size(r));
          return tree(r).claim(r.problem.ranks, r.problem.chunks, group_size(r));
        },
    .choose = [](const Request& r) { return chosen_if_open(r, "r", group_size(r)); },
};

}  // namespace schedcc::fractional_tree_algorithm
