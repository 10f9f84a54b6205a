// The bucket algorithm: rings along one dimension of a torus after another.
//
// The reduce-scatter goes around all rings of the first dimension, with all blocks for the ranks of
// a coordinate at once, then around those of the second one with what remains, and so on; the
// allgather is its reverse. With sides a_e that takes the sum of (a_e - 1) steps, and P - 1 blocks
// leave each rank. Every message goes to a neighbour.
//
// With more ports the blocks are cut into up to 2D parts: part p begins in dimension p mod D,
// upwards for p < D, else downwards. If all sides are equal no two parts use a link in a step; else
// two may share a message.
//
// Source: Jain, Sabharwal, "Optimal Bucket Algorithms for Large MPI Collectives on Torus
// Interconnects", ICS 2010, doi 10.1145/1810085.1810093.

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/core.h>

#include "algorithm/kernel/bucket.hpp"
#include "algorithm/local_terms.hpp"
#include "algorithm/shapes.hpp"
#include "algorithm/torus_trees.hpp"
#include "machine/mesh.hpp"
#include "machine/parameters.hpp"

namespace schedcc::bucket_algorithm {

namespace {

TorusSides sides_of(const Request& r) {
  const Rank P = r.problem.ranks;
  const auto rows = static_cast<Rank>(near_square(P));
  return torus_sides(r, {rows, P / rows});
}

std::uint64_t parts(const Request& r, const TorusSides& sides) {
  return std::min<std::uint64_t>(2 * sides.size(), ports_of(r));
}

std::uint64_t once(const TorusSides& sides) {
  std::uint64_t steps = 0;
  for (const Rank side : sides) steps += side - 1;
  return steps;
}

/// The tree of part p. In the reduce-scatter the rank at offset x sends in the first dimension, in
/// the order of the part, in which x is not 0; there it is y = 1 .. a - 1 ranks from the start.
OffsetTree tree(const TorusSides& sides, std::uint64_t P, std::uint64_t p) {
  const std::size_t D = sides.size();
  const std::uint64_t steps = once(sides);
  OffsetTree result(P);
  const TorusCoordinates coordinates(sides);
  for (Rank x = 1; x < P; ++x) {
    std::uint64_t before = 0;  // the steps of the dimensions before
    std::size_t e = p % D;
    while (coordinates.of(x, e) == 0) {
      before += sides[e] - 1;
      e = (e + 1) % D;
    }
    const std::uint64_t side = sides[e], place = coordinates.of(x, e);
    const std::uint64_t y = p < D ? place : side - place;
    const std::uint64_t next = p < D ? (place + 1) % side : place - 1;
    result.parent[x] = coordinates.moved(x, e, place, next);
    result.step[x] = static_cast<std::uint32_t>(steps - before - y);
  }
  return result;
}

SharedTrees trees(const Request& r) {
  const TorusSides sides = sides_of(r);
  std::vector<OffsetTree> all;
  for (std::uint64_t p = 0; p < parts(r, sides); ++p)
    all.push_back(tree(sides, r.problem.ranks, p));
  return std::make_shared<const TorusTrees>(sides, false, once(sides), std::move(all));
}

Steps build(const Request& r) { return torus_collective(r, trees(r)); }

}  // namespace

}  // namespace schedcc::bucket_algorithm

namespace schedcc {

Steps from_kernel(const local::BucketAllgather& kernel, std::uint64_t P) {
  TorusSides sides;
  for (const std::uint64_t side : kernel.sides()) sides.push_back(static_cast<Rank>(side));
  const auto all = std::make_shared<const TorusTrees>(
      sides, false, kernel.steps(), std::vector<OffsetTree>{bucket_algorithm::tree(sides, P, 0)});
  return every_step(kernel.steps(), [=, total = kernel.total()](std::uint64_t t, Transfers& out) {
    all->copies(t, total, all->ranks(), out);
  });
}

}  // namespace schedcc

namespace schedcc::bucket_algorithm {

namespace {

using namespace local_terms;

Result kernel(const LocalRequest& r) {
  const std::uint64_t rows = near_square(r.problem.ranks);
  const std::vector<std::uint64_t> near{rows, r.problem.ranks / rows}, sides = torus_sides(r, near);
  require_one_part(std::min<std::uint64_t>(2 * sides.size(), ports_of(r.machine)));
  // Of another number of ranks the last side is another one.
  std::string text;
  std::uint64_t others = 1;
  for (std::size_t e = 0; e + 1 < sides.size(); others *= sides[e++])
    text += fmt::format("{}, ", sides[e]);
  const Vector v(r);
  return from_allgather(
      r,
      Term<local::BucketAllgather>{
          {sides, v.total},
          fmt::format("BucketAllgather({{{}ranks / {}}}, {})", text, others, v.text)},
      {"blocks.hpp", "bucket.hpp"});
}

/// On a torus: its own sides.
bool fits(const Request& r) {
  if (r.machine.shape<Mesh>() == nullptr || r.problem.ranks == 1) return true;
  Request without = r;
  without.parameters = {};
  return sides_of(r) == sides_of(without);
}

}  // namespace

extern const AlgorithmEntry entry;
const AlgorithmEntry entry{
    .name = "bucket",
    .summary = "rings along one dimension of a torus after another, or along all at once",
    .source = "Jain, Sabharwal 2010, doi 10.1145/1810085.1810093",
    .collectives = {Collective::allreduce, Collective::reduce_scatter, Collective::allgather},
    .machines = {"torus", "duplex", "kport"},
    .fits = fits,
    .parameters = {{.name = "sides",
                    .summary = "dimensions of the torus, such as 4x4x4 (default: those of the "
                               "machine, or nearly a square)",
                    .kind = Parameter::Kind::text}},
    .reason = sides_refusal,
    .order = [](const Request& r) { return torus_order(r, *trees(r)); },
    .kernel = kernel,
    .scaling =
        [](const Request& r) {
          return parts(r, sides_of(r)) > 1 ? Scaling::none : larger_blocks(r);
        },
    .build = build,
    .claim =
        [](const Request& r) {
          const TorusSides sides = sides_of(r);
          const bool one = parts(r, sides) == 1;
          CostClaim claim = torus_claim(
              r, once(sides),
              [&](std::uint64_t K) {
                return one ? K * (r.problem.ranks - 1) : trees(r)->volume(K);
              },
              "the sum of a - 1 over the sides", "2 times the sum of a - 1 over the sides");
          if (one)
            claim.volume_formula =
                r.problem.collective == Collective::allreduce ? "2 (1 - 1/P)" : "P - 1";
          return claim;
        },
};

}  // namespace schedcc::bucket_algorithm
