// Bine trees: binomial trees with shorter distances, by negabinary numbers (in base -2).
//
// In step i partners are rho(i) = 1, -1, 3, -5, 11, ... ranks apart, up from even ranks and down
// from odd ones, which is Swing's exchange (swing_tree.hpp): a third less than the powers of two.
//
// Broadcast: the holders send in the steps lg - 1, ..., 0, over the longest distances first; ranks
// that are reached already get nothing. So all are reached for every even P, in lg = ceil(log2 P)
// steps. Scatter: to each its subtree's blocks. For P = 2^h a subtree is an interval of ranks
// modulo P, so that a reduce keeps the order of operands if the root is rank 0.
//
// Allgather: the tree of each block's rank at once, counted downwards from odd ranks, in which P -
// 1 blocks leave each rank. Reversed it is the reduce-scatter, both in sequence are the allreduce.
// In the total exchange the blocks for a rank take its tree to it: for P = 2^h h P/2 blocks leave
// each rank. Allgather, reduce-scatter and allreduce serve odd P, too, with more ports
// (swing_ring.hpp).
//
// With `whole` partners exchange whole vectors, in an allreduce of lg steps. If P is not a power of
// two contributions would count twice (docs/papers.md): then the first ranks act in pairs, for two
// more steps. Beyond 4 acting ranks the ranks' sums are those of different windows.
//
// The published rule for blocks, by the highest bit of nu(b), is not used: it fails for some even P
// (docs/papers.md).
//
// Source: De Sensi et al., "Bine Trees: Enhancing Collective Operations by Optimizing Communication
// Locality", SC 2025, doi 10.1145/3712285.3759835, arXiv 2508.17311; even P that are not powers of
// two, and odd P: schedcc's own rules.

#include <algorithm>
#include <bit>
#include <memory>
#include <utility>

#include <fmt/core.h>

#include "algorithm/kernel/excess.hpp"
#include "algorithm/kernel/swing.hpp"
#include "algorithm/local_terms.hpp"
#include "algorithm/shapes.hpp"
#include "algorithm/swing_ring.hpp"
#include "algorithm/swing_tree.hpp"
#include "schedcc/error.hpp"

namespace schedcc::bine_algorithm {

namespace {

SharedTrees trees(std::uint64_t P) { return SwingRing(P).trees(); }

bool whole(const Request& r) { return r.parameters.has("whole"); }

/// The offsets at and below each offset in a tree, in ascending order.
std::vector<std::vector<Rank>> subtrees(const TorusTrees& trees) {
  std::vector<std::vector<Rank>> result(trees.ranks());
  for (Rank x = 0; x < trees.ranks(); ++x) result[x].push_back(x);
  for (std::uint64_t t = trees.steps(); t-- > 0;) {
    for (const Rank x : trees.receivers(0, t)) {
      std::vector<Rank>& parent = result[trees.tree(0).parent[x]];
      parent.insert(parent.end(), result[x].begin(), result[x].end());
    }
  }
  for (std::vector<Rank>& members : result) std::ranges::sort(members);
  return result;
}

/// From rank 0 the message, all K chunks at once, or the blocks of a subtree, of K chunks each.
Steps from_zero(std::uint64_t P, std::uint32_t K, bool blocks) {
  const SharedTrees all = trees(P);
  std::vector<std::vector<Rank>> below;
  if (blocks) below = subtrees(*all);
  return every_step(all->steps(), [=, below = std::move(below)](std::uint64_t t, Transfers& out) {
    for (const Rank x : all->receivers(0, t)) {
      const Rank from = all->tree(0).parent[x];
      if (!blocks) {
        out.push_back(copy(from, x, 0, K));
        continue;
      }
      for (std::size_t i = 0, j = 0; i < below[x].size(); i = j) {
        for (j = i + 1; j < below[x].size() && below[x][j] == below[x][j - 1] + 1;) ++j;
        out.push_back(copy(from, x, below[x][i] * K, static_cast<std::uint32_t>(j - i) * K));
      }
    }
  });
}

Steps total_exchange(std::uint64_t P, std::uint32_t K) {
  const SharedTrees all = trees(P);
  return every_step(all->steps(), [=, below = subtrees(*all)](std::uint64_t i, Transfers& out) {
    for (Rank dst = 0; dst < P; ++dst) {
      for (const Rank x : all->receivers(0, all->steps() - 1 - i)) {
        const Rank from = all->rank(dst, x), to = all->rank(dst, all->tree(0).parent[x]);
        for (const Rank y : below[x]) {
          const std::uint64_t origin = all->rank(dst, y);
          out.push_back(copy(from, to, static_cast<Chunk>((origin * P + dst) * K), K));
        }
      }
    }
  });
}

}  // namespace

}  // namespace schedcc::bine_algorithm

namespace schedcc {

Steps from_kernel(const local::BineTree& kernel, std::uint64_t P) {
  return bine_algorithm::from_zero(P, static_cast<std::uint32_t>(kernel.chunks()),
                                   kernel.in_blocks());
}
Steps from_kernel(const local::BineExchange& kernel, std::uint64_t P) {
  return bine_algorithm::total_exchange(P, static_cast<std::uint32_t>(kernel.chunks()));
}

}  // namespace schedcc

namespace schedcc::bine_algorithm {

namespace {

using namespace local_terms;

/// Whole vectors: of the first ranks 2i acts for 2i + 1, too, so that 2^h ranks act.
Result whole_vectors(const LocalRequest& r) {
  const std::uint64_t P = r.problem.ranks, K = r.problem.chunks, acting = std::bit_floor(P);
  const Term<local::SwingVectors> exchange{{acting, K},
                                           "SwingVectors(std::bit_floor(ranks), chunks)"};
  const Term<local::ExcessFolded<local::SwingVectors>> folded{
      {exchange.kernel, P}, fmt::format("ExcessFolded({}, ranks)", exchange.text)};
  const Term<local::ReturnToExcess> last{{P, K}, "ReturnToExcess(ranks, chunks)"};
  return result(r, sequence(reverse_reducing(last), sequence(folded, last)),
                {"blocks.hpp", "flows.hpp", "swing.hpp", "excess.hpp"});
}

Result kernel(const LocalRequest& r) {
  if (r.parameters.has("whole")) return whole_vectors(r);
  const bool exchange = r.problem.collective == Collective::alltoall;
  if (!exchange && !r.problem.rooted()) return swing_ring_kernel(r);
  require_closed_swing(r.problem.ranks);
  const std::uint64_t P = r.problem.ranks, K = r.problem.chunks;
  const Headers headers{"blocks.hpp", "flows.hpp", "swing.hpp"};
  if (exchange)
    return result(r, Term<local::BineExchange>{{P, K}, "BineExchange(ranks, chunks)"}, headers);
  const bool blocks = r.problem.in_blocks();
  return rooted(
      r, Term<local::BineTree>{{P, K, blocks}, fmt::format("BineTree(ranks, chunks, {})", blocks)},
      headers);
}

Steps build(const Request& r) {
  const std::uint64_t P = r.problem.ranks;
  if (whole(r)) return stream_of<kernel>(r);
  if (r.problem.collective == Collective::alltoall) return total_exchange(P, r.problem.chunks);
  if (r.problem.rooted())
    return rooted(r.problem, from_zero(P, r.problem.chunks, r.problem.in_blocks()));
  return from_allgather(r.problem, SwingRing(P).allgather(r.problem.total_chunks()));
}

std::optional<std::string> reason(const Request& r) {
  const std::uint64_t P = r.problem.ranks;
  if (whole(r)) {
    if (r.problem.collective == Collective::allreduce) return std::nullopt;
    return "only allreduce can send whole vectors";
  }
  if (P % 2 == 0 || P == 1) return std::nullopt;
  if (r.problem.rooted() || r.problem.collective == Collective::alltoall)
    return fmt::format("its partners differ in parity, and the number of ranks, {}, is odd", P);
  return SwingRing(P).refusal(r);
}

std::optional<std::string> order(const Request& r) {
  const std::uint64_t P = r.problem.ranks;
  if (whole(r)) {
    if (P <= 2) return std::nullopt;
    return "the windows of ranks that are added up wrap from the last rank to rank 0";
  }
  if (r.problem.rooted()) return trees_in_order(r, build);
  return torus_order(r, *trees(P));
}

CostClaim claim(const Request& r) {
  const std::uint64_t P = r.problem.ranks, K = r.problem.chunks;
  const bool halving = std::has_single_bit(P);
  if (whole(r)) {
    const std::uint64_t steps =
        static_cast<std::uint64_t>(std::bit_width(P)) - 1 + (halving ? 0 : 2);
    const std::string_view formula = halving ? "lg" : "lg + 1";
    return {
        .steps = steps, .volume = steps * K, .steps_formula = formula, .volume_formula = formula};
  }
  const std::uint64_t steps = SwingRing(P).steps();
  if (r.problem.collective == Collective::alltoall) {
    std::uint64_t blocks = halving ? steps * P / 2 : 0;
    if (!halving) {
      for (const auto& members : subtrees(*trees(P))) blocks += members.size();
      blocks -= P;  // of offset 0
    }
    return {.steps = steps,
            .volume = K * blocks,
            .steps_formula = "lg",
            .volume_formula = halving ? "lg P/2" : ""};
  }
  if (r.problem.rooted()) {
    const bool blocks = r.problem.in_blocks();
    CostClaim result{.steps = steps, .steps_formula = "lg"};
    if (!blocks) {
      result.volume = steps * K;
      result.volume_formula = "lg";
    } else if (halving) {
      result.volume = (P - 1) * K;
      result.volume_formula = "P - 1";
    }
    return result;
  }
  return SwingRing(P).claim(r);
}

}  // namespace

extern const AlgorithmEntry entry;
const AlgorithmEntry entry{
    .name = "bine",
    .summary =
        "binomial trees and butterflies with the distances 1, 1, 3, 5, 11, ... to either side",
    .source = "De Sensi et al. 2025, doi 10.1145/3712285.3759835",
    .collectives = {Collective::allreduce, Collective::reduce_scatter, Collective::allgather,
                    Collective::broadcast, Collective::reduce, Collective::scatter,
                    Collective::gather, Collective::alltoall},
    .machines = {"duplex", "kport"},
    .parameters = {{.name = "whole",
                    .summary = "allreduce: whole vectors, in half as many steps",
                    .kind = Parameter::Kind::flag}},
    .whole_blocks = true,
    .reason = reason,
    .order = order,
    .agrees = [](const Request& r) { return !whole(r) || r.problem.ranks < 8; },
    .disagreement = "with whole and 8 or more ranks",
    .kernel = kernel,
    .build = build,
    .claim = claim,
};

}  // namespace schedcc::bine_algorithm
