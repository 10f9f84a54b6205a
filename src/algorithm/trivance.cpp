// Trivance: exchanges with the ranks at distances 1, 3, 9, ... to both sides at once.
//
// On a ring of P ranks there are L = ceil(log3 P) steps; the distance of step k is 3^k, the last
// one ceil((P - 3^(L-1))/2). In a step of the reduce-scatter a rank sends to both ranks at its
// distance, through two ports. Which blocks it sends follows from the tree of each block, which
// grows backwards from the block's rank (torus_trees.hpp), for every P. P - 1 blocks leave each
// rank; for P = 3^h half of them through each port.
//
// On a torus with D dimensions there are up to D such collectives at once, one for every two ports,
// each for a part of every block: collective p begins in dimension p and continues with the next
// one after each step. Steps: the sum of ceil(log3 a_e) for sides a_e.
//
// With `whole` ranks exchange whole vectors, L steps for an allreduce. That is right for P = 2 and
// P = 3^h only: else the windows of the last step overlap, and contributions count twice
// (docs/papers.md). The windows begin at different ranks, and so do the sums.
//
// Source: "Trivance", arXiv 2602.17254; the trees: schedcc's own form of its blocks.

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "algorithm/kernel/trivance.hpp"
#include "algorithm/local_terms.hpp"
#include "algorithm/shapes.hpp"
#include "algorithm/torus_trees.hpp"
#include "schedcc/error.hpp"

namespace schedcc::trivance_algorithm {

namespace {

TorusSides sides_of(const Request& r) { return torus_sides(r, {r.problem.ranks}); }

std::uint64_t once(const TorusSides& sides) {
  std::uint64_t steps = 0;
  for (const Rank side : sides) steps += ceil_log(3, side);
  return steps;
}

/// The trees of so many parts of a block.
SharedTrees trees(const TorusSides& sides, std::uint64_t P, std::uint64_t parts) {
  const std::size_t D = sides.size();
  const TorusCoordinates coordinates(sides);
  std::vector<std::uint64_t> visits;
  for (const Rank side : sides) visits.push_back(ceil_log(3, side));
  std::vector<OffsetTree> all;
  for (std::size_t p = 0; p < std::min<std::uint64_t>(D, parts); ++p) {
    const std::vector<DimensionTurn> turns = round_robin(visits, p);
    const auto neighbours = [&](Rank x, std::uint64_t i, std::vector<Rank>& result) {
      const auto [e, turn] = turns[i];
      const std::uint64_t side = sides[e], place = coordinates.of(x, e);
      const std::uint64_t d = local::trivance_distance(side, turn);
      for (const std::uint64_t to : {(place + d) % side, (place + side - d) % side})
        result.push_back(coordinates.moved(x, e, place, to));
    };
    all.push_back(grown_tree(P, turns.size(), neighbours));
  }
  return std::make_shared<const TorusTrees>(sides, false, once(sides), std::move(all));
}
SharedTrees trees(const Request& r) { return trees(sides_of(r), r.problem.ranks, ports_of(r) / 2); }

}  // namespace

}  // namespace schedcc::trivance_algorithm

namespace schedcc {

Steps from_kernel(const local::TrivanceAllgather& kernel, std::uint64_t P) {
  return every_step(kernel.steps(), [all = trivance_algorithm::trees({static_cast<Rank>(P)}, P, 1),
                                     total = kernel.total()](std::uint64_t t, Transfers& out) {
    all->copies(t, total, all->ranks(), out);
  });
}

}  // namespace schedcc

namespace schedcc::trivance_algorithm {

namespace {

using namespace local_terms;

bool whole(const Parameters& given) { return given.has("whole"); }

Result kernel(const LocalRequest& r) {
  const std::uint64_t P = r.problem.ranks;
  const Headers headers{"blocks.hpp", "trivance.hpp"};
  if (whole(r.parameters)) {
    return result(
        r, Term<local::TrivanceVectors>{{P, r.problem.chunks}, "TrivanceVectors(ranks, chunks)"},
        headers);
  }
  if (const std::size_t sides = torus_sides(r, {P}).size(); sides > 1) {
    throw InputError(fmt::format(
        "a search for the next of a rank's blocks that is not empty has a formula for one ring, "
        "not for {} dimensions",
        sides));
  }
  const Vector v(r);
  return from_allgather(r,
                        Term<local::TrivanceAllgather>{
                            {P, v.total}, fmt::format("TrivanceAllgather(ranks, {})", v.text)},
                        headers);
}

Steps build(const Request& r) {
  return whole(r.parameters) ? stream_of<kernel>(r) : torus_collective(r, trees(r));
}

std::optional<std::string> refusal(const LocalRequest& r) {
  const std::uint64_t P = r.problem.ranks;
  if (auto why = sides_mismatch(r.parameters, P)) return why;
  if (P == 1) return std::nullopt;
  if (ports_of(r.machine) < 2) {
    return fmt::format("ranks send to both sides at once, which needs 2 ports; {} has 1",
                       r.machine.spec());
  }
  if (!whole(r.parameters)) return std::nullopt;
  if (r.problem.collective != Collective::allreduce) return "only allreduce can send whole vectors";
  if (r.parameters.has("sides")) return "whole vectors are for one ring, without sides";
  if (P == 2 || power(3, ceil_log(3, P)) == P) return std::nullopt;
  return fmt::format("with whole vectors it needs P = 3^h ranks, and {} is not a power of three",
                     P);
}

std::optional<std::string> order(const Request& r) {
  if (!whole(r.parameters)) return torus_order(r, *trees(r));
  if (r.problem.ranks <= 3) return std::nullopt;
  return "the windows of ranks that are added up wrap from the last rank to rank 0";
}

}  // namespace

extern const AlgorithmEntry entry;
const AlgorithmEntry entry{
    .name = "trivance",
    .summary = "exchanges at distances 1, 3, 9, ... to both sides at once",
    .source = "arXiv 2602.17254",
    .collectives = {Collective::allreduce, Collective::reduce_scatter, Collective::allgather},
    .machines = {"kport:k=2", "kport"},
    .parameters =
        {{.name = "sides",
          .summary =
              "dimensions of the torus, such as 4x4x4 (default: those of the machine, or one ring)",
          .kind = Parameter::Kind::text},
         {.name = "whole",
          .summary = "allreduce: whole vectors, on 3^h ranks",
          .kind = Parameter::Kind::flag}},
    .reason = [](const Request& r) { return refusal(LocalRequest(r)); },
    .wide_reason = refusal,
    .order = order,
    .agrees = [](const Request& r) { return !whole(r.parameters) || r.problem.ranks == 2; },
    .disagreement = "with whole and more than 2 ranks",
    .kernel = kernel,
    .scaling = larger_blocks,
    .build = build,
    .claim =
        [](const Request& r) {
          const std::uint64_t steps = once(sides_of(r));
          const bool ring = sides_of(r).size() == 1;
          if (whole(r.parameters)) {
            return CostClaim{.steps = steps,
                             .volume = steps * r.problem.chunks,
                             .steps_formula = "ceil(log3 P)",
                             .volume_formula = "ceil(log3 P)"};
          }
          return torus_claim(
              r, steps, [&](std::uint64_t K) { return trees(r)->volume(K); },
              ring ? "ceil(log3 P)" : "the sum of log3 a over the sides",
              ring ? "2 ceil(log3 P)" : "2 times the sum of log3 a over the sides");
        },
};

}  // namespace schedcc::trivance_algorithm
