// Sparbit: an allgather in ceil(log2 P) steps whose far steps carry few blocks.
//
// Over the distances d = 2^(lg-1), ..., 2, 1 rank r sends to r + d its own block and those of the
// ranks 2d, 4d, ... before it, floor(ceil(P/d)/2) blocks in all: P - 1 blocks through one port. So
// half of the blocks go to the next rank only; in Bruck's allgather they go the furthest. It is the
// reflection of `pat` with the largest aggregation.
//
// Open MPI reads the number of blocks from a bit mask of P, and sends each block as a message.
//
// Source: Loch, Koslovski 2021, arXiv 2109.08751.

#include <fmt/core.h>

#include "algorithm/kernel/pat.hpp"
#include "algorithm/local_terms.hpp"
#include "algorithm/shapes.hpp"

namespace schedcc::sparbit_algorithm {

namespace {

using namespace local_terms;

Result kernel(const LocalRequest& r) {
  const Vector v(r);
  return result(
      r,
      Term<local::Sparbit>{{r.problem.ranks, v.total}, fmt::format("Sparbit(ranks, {})", v.text)},
      {"blocks.hpp", "pat.hpp"});
}

}  // namespace

extern const AlgorithmEntry entry;
const AlgorithmEntry entry{
    .name = "sparbit",
    .summary = "distances halve while the blocks in a message double, for every P",
    .source = "Loch, Koslovski 2021, arXiv 2109.08751",
    .collectives = {Collective::allgather},
    .machines = {"duplex"},
    .whole_blocks = true,
    .kernel = kernel,
    .build = stream_of<kernel>,
    .claim =
        [](const Request& r) {
          return all_blocks_once(r.problem, ceil_log2(r.problem.ranks), "lg");
        },
};

}  // namespace schedcc::sparbit_algorithm
