// PAT, parallel aggregated trees: an allgather whose far steps carry few blocks and whose near ones
// carry many.
//
// Let Q be the least power of two >= P. Rank r gets the block of rank r + s, for s in 1..P-1, from
// rank r + l, where l is the lowest bit of s: a binomial tree for each block, all of them rotations
// of one. With the aggregation A, a power of two up to Q/2, and D = Q/A:
//
//   Upper levels   for c = A/2, A/4, ..., 1 over the distance cD: r sends to r - cD the blocks r,
//                  r + 2cD, r + 4cD, ...
//   Lower levels   for q = 1, ..., D-1 (q < P) over the distance l, the lowest bit of q: r sends to
//                  r - l the blocks r + q - l, and D, 2D, ... further.
//
// NCCL serves the lower levels in another order of q; any does in which q - l is before q. Steps:
// log2 A + min(D, P) - 1, which is lg for A = Q/2 and P - 1 for A = 1; each rank sends P - 1 blocks
// through one port. NCCL doubles A only while it is below floor(P/2), and so never reaches Q/2 for
// P = 2^j + 1, where it takes a step more than it has to.
//
// The reduce-scatter is the reverse. For P >= 4 rank b - 3 sends its contribution to block b to
// rank b - 2, which passes the two on: for some b that wraps from the last rank to rank 0.
//
// Source: Jeaugey 2025, arXiv 2506.20252.

#include <algorithm>
#include <bit>

#include <fmt/core.h>

#include "algorithm/kernel/pat.hpp"
#include "algorithm/local_terms.hpp"
#include "algorithm/shapes.hpp"

namespace schedcc::pat_algorithm {

namespace {

using namespace local_terms;

std::uint64_t aggregation(const Parameters& given, std::uint64_t P) {
  return given.has("aggregation") ? given.integer("aggregation") : local::max_aggregation(P);
}

std::optional<std::string> reason(const Request& r) {
  const std::uint64_t P = r.problem.ranks, A = aggregation(r.parameters, P);
  if (!std::has_single_bit(A))
    return fmt::format("the aggregation must be a power of two, not {}", A);
  const std::uint64_t most = local::max_aggregation(P);
  if (A <= most || P == 1) return std::nullopt;
  return fmt::format("for {} ranks the aggregation is at most {}", P, most);
}

Result kernel(const LocalRequest& r) {
  const Vector v(r);
  const std::string text =
      r.parameters.has("aggregation") ? r.parameters.text("aggregation") : "max_aggregation(ranks)";
  return from_allgather(r,
                        Term<local::PatAllgather>{
                            {r.problem.ranks, v.total, aggregation(r.parameters, r.problem.ranks)},
                            fmt::format("PatAllgather(ranks, {}, {})", v.text, text)},
                        {"blocks.hpp", "pat.hpp"});
}

std::optional<std::string> order(const Request& r) {
  if (r.problem.ranks <= 3) return std::nullopt;
  return "for block b rank b - 3 (modulo P) sends its contribution to rank b - 2, and for some b "
         "there is rank 0 between the two";
}

}  // namespace

extern const AlgorithmEntry entry;
const AlgorithmEntry entry{
    .name = "pat",
    .summary = "rotated binomial trees: few blocks over far distances, many over near ones",
    .source = "Jeaugey 2025, arXiv 2506.20252",
    .collectives = {Collective::allgather, Collective::reduce_scatter},
    .machines = {"duplex"},
    .parameters = {{.name = "aggregation",
                    .summary = "subtrees that are served at once, a power of two (default: the "
                               "most, which takes lg steps)",
                    .min = 1,
                    .max = std::uint64_t{1} << 31}},
    .reason = reason,
    .order = order,
    .kernel = kernel,
    .scaling = larger_blocks,
    .build = stream_of<kernel>,
    .claim =
        [](const Request& r) {
          const std::uint64_t P = r.problem.ranks, lg = ceil_log2(P);
          if (!r.parameters.has("aggregation")) return all_blocks_once(r.problem, lg, "lg");
          const std::uint64_t A = aggregation(r.parameters, P), D = (std::uint64_t{1} << lg) / A;
          return all_blocks_once(r.problem, ceil_log2(A) + std::min(D, P) - 1,
                                 "log A + min(2^lg / A, P) - 1");
        },
    .choose =
        [](const Request& r) {
          return chosen_if_open(r, "aggregation", local::max_aggregation(r.problem.ranks));
        },
};

}  // namespace schedcc::pat_algorithm
