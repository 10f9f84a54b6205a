// Swing: an allreduce by partners at distances 1, 1, 3, 5, 11, ..., in turn to either side.
//
// On a ring of an even number of ranks, in step i of the reduce-scatter rank r exchanges with r +
// rho(i), or r - rho(i) if it is odd, rho(i) = 1, -1, 3, -5, 11, ...: half as far on average as the
// distances 1, 2, 4, 8, .... Which blocks it sends follows from the tree of each block, which grows
// backwards from the block's rank (torus_trees.hpp): after lg = ceil(log2 P) steps all ranks are in
// it, for every even P. Each rank sends P - 1 blocks in all. A ring of an odd number of ranks is
// that of the even number below it, and the last rank (swing_ring.hpp).
//
// On a torus with D dimensions there are 2D such collectives at once, each for a part of every
// block: collective p begins in dimension p mod D and continues with the next one after each step,
// and for p >= D all directions are reversed. A rank sends a message of each in a step; there
// are as many collectives as ranks have ports, at most 2D. Steps: the sum of ceil(log2 a_e) for
// sides a_e, twice for the allreduce. If all sides are equal a link serves one of the 2D
// collectives in a step.
//
// Source: De Sensi, Bonato, Saam, Hoefler, "Swing: Short-cutting Rings for Higher Bandwidth
// Allreduce", NSDI 2024, arXiv 2401.09356; the trees: schedcc's own form of the paper's blocks.

#include <algorithm>

#include <fmt/core.h>

#include "algorithm/local_terms.hpp"
#include "algorithm/shapes.hpp"
#include "algorithm/swing_ring.hpp"
#include "algorithm/swing_tree.hpp"

namespace schedcc {

SharedTrees swing_trees(const TorusSides& sides, std::uint64_t parts) {
  const std::size_t D = sides.size();
  const TorusCoordinates coordinates(sides);
  std::vector<std::uint64_t> visits;
  std::uint64_t P = 1;
  for (const Rank side : sides) {
    visits.push_back(ceil_log2(side));
    P *= side;
  }
  std::vector<OffsetTree> trees;
  std::uint64_t steps = 0;
  for (std::uint64_t p = 0; p < parts; ++p) {
    const std::vector<DimensionTurn> turns = round_robin(visits, p);
    steps = turns.size();
    trees.push_back(grown_tree(P, steps, [&](Rank x, std::uint64_t i, std::vector<Rank>& result) {
      const auto [e, turn] = turns[i];
      const Rank place = coordinates.of(x, e);
      const std::uint64_t partner = swing_partner(place, turn, sides[e], p >= D);
      result.push_back(coordinates.moved(x, e, place, partner));
    }));
  }
  return std::make_shared<const TorusTrees>(sides, true, steps, std::move(trees));
}

}  // namespace schedcc

namespace schedcc::swing_algorithm {

namespace {

TorusSides sides_of(const Request& r) { return torus_sides(r, {r.problem.ranks}); }

/// Is it one ring whose ranks cannot all be paired?
bool odd_ring(const TorusSides& sides) { return sides.size() == 1 && sides[0] % 2 == 1; }

/// How many collectives run at once.
std::uint64_t parts(const Request& r, const TorusSides& sides) {
  if (odd_ring(sides)) return 1;
  return std::min<std::uint64_t>(2 * sides.size(), ports_of(r));
}

SharedTrees trees(const Request& r) {
  const TorusSides sides = sides_of(r);
  if (odd_ring(sides)) return SwingRing(sides[0]).trees();
  return swing_trees(sides, parts(r, sides));
}

Steps build(const Request& r) {
  const TorusSides sides = sides_of(r);
  if (!odd_ring(sides)) return torus_collective(r, trees(r));
  return from_allgather(r.problem, SwingRing(sides[0]).allgather(r.problem.total_chunks()));
}

local_terms::Result kernel(const LocalRequest& r) {
  const std::size_t sides = torus_sides(r, {r.problem.ranks}).size();
  if (sides > 1) {
    throw InputError(fmt::format(
        "the blocks that a rank holds have a formula for one ring, not for {} dimensions", sides));
  }
  require_one_part(std::min<std::uint64_t>(2 * sides, ports_of(r.machine)));
  return swing_ring_kernel(r);
}

std::optional<std::string> reason(const Request& r) {
  if (auto why = sides_refusal(r)) return why;
  if (r.problem.ranks == 1) return std::nullopt;
  const TorusSides sides = sides_of(r);
  if (odd_ring(sides)) return SwingRing(sides[0]).refusal(r);
  for (const Rank side : sides) {
    if (side % 2 == 1)
      return fmt::format("its partners differ in parity, and a ring of {} ranks is odd", side);
  }
  return std::nullopt;
}

}  // namespace

extern const AlgorithmEntry entry;
const AlgorithmEntry entry{
    .name = "swing",
    .summary =
        "partners at distances 1, 1, 3, 5, 11, ... to either side; on tori in all dimensions",
    .source = "De Sensi et al. 2024, arXiv 2401.09356",
    .collectives = {Collective::allreduce, Collective::reduce_scatter, Collective::allgather},
    .machines = {"duplex", "kport"},
    .parameters =
        {{.name = "sides",
          .summary =
              "dimensions of the torus, such as 4x4x4 (default: those of the machine, or one ring)",
          .kind = Parameter::Kind::text}},
    .reason = reason,
    .order = [](const Request& r) { return torus_order(r, *trees(r)); },
    .kernel = kernel,
    .scaling =
        [](const Request& r) {
          const TorusSides sides = sides_of(r);
          return parts(r, sides) > 1 || odd_ring(sides) ? Scaling::none : larger_blocks(r);
        },
    .build = build,
    .claim =
        [](const Request& r) {
          const TorusSides sides = sides_of(r);
          if (odd_ring(sides)) return SwingRing(sides[0]).claim(r);
          std::uint64_t steps = 0;
          for (const Rank side : sides) steps += ceil_log2(side);
          const bool one = parts(r, sides) == 1, ring = sides.size() == 1;
          CostClaim claim = torus_claim(
              r, steps,
              [&](std::uint64_t K) {
                return one ? K * (r.problem.ranks - 1) : trees(r)->volume(K);
              },
              ring ? "lg" : "the sum of log a over the sides",
              ring ? "2 lg" : "2 times the sum of log a over the sides");
          if (one)
            claim.volume_formula =
                r.problem.collective == Collective::allreduce ? "2 (1 - 1/P)" : "P - 1";
          return claim;
        },
};

}  // namespace schedcc::swing_algorithm
