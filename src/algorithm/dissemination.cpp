// The dissemination barrier, to radix k: in step i rank r sends to the ranks r + k^i, r + 2 k^i,
// ..., r + (k-1) k^i all that it has heard of, and so after ceil(log_k P) steps, with k - 1 ports,
// has heard of all ranks.
//
// Before step i that are the k^i ranks up to itself. If P is not a power of k some of it comes
// again in the last step; a barrier's tokens may, and its messages are empty all the same.
// Distances of P and more are left out: without that a rank would send to itself (P = 6, k = 3,
// step 1, j = 2).
//
// Source: Hensgen, Finkel, Manber 1988, "Two algorithms for barrier synchronization"; MPICH,
// dissemination with k - 1 ports.

#include <fmt/core.h>

#include "algorithm/kernel/dissemination.hpp"
#include "algorithm/local_terms.hpp"
#include "algorithm/shapes.hpp"

namespace schedcc::dissemination_algorithm {

namespace {

using namespace local_terms;

Result kernel(const LocalRequest& r) {
  const Vector v(r);
  const std::uint64_t k = r.parameters.integer("k");
  return result(r,
                Term<local::Dissemination>{{r.problem.ranks, v.total, k},
                                           fmt::format("Dissemination(ranks, {}, {})", v.text, k)},
                {"blocks.hpp", "dissemination.hpp"});
}

}  // namespace

extern const AlgorithmEntry entry;
const AlgorithmEntry entry{
    .name = "dissemination",
    .summary = "every rank sends all that it has heard of to ranks at distances k^i, 2 k^i, ...",
    .source = "Hensgen, Finkel, Manber 1988",
    .collectives = {Collective::barrier},
    .machines = {"duplex", "kport:k={k-1}"},
    .parameters = {{.name = "k",
                    .summary = "a rank sends to k - 1 others in a step",
                    .min = 2,
                    .max = (std::uint64_t{1} << 31) - 1,
                    .default_value = "2"}},
    .kernel = kernel,
    .build = stream_of<kernel>,
    .claim =
        [](const Request& r) {
          const std::uint64_t P = r.problem.ranks;
          const std::uint64_t k = std::min<std::uint64_t>(r.parameters.integer("k"), P);
          return CostClaim{.steps = ceil_log(k, P), .volume = 0, .steps_formula = "log_k P"};
        },
};

}  // namespace schedcc::dissemination_algorithm
