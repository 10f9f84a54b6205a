// Total exchange on the exponential fat tree, by exclusive or.
//
// In phase i = 0..h-1 the two halves of every subtree of height h_i = h - i exchange their blocks
// for each other: in 2^(h_i - 1) steps l, leaf k sends to k xor 2^(h_i - 1) xor l. All leaves send
// at once, every branch carries exactly its capacity 2^(i-1), and no packet ever waits. Messages of
// phase i take 2 h_i hops, those of phase i+1 two hops less, so phase i+1 may start two steps after
// phase i's last send and its packets arrive right after: n - 1 consecutive arrivals at every leaf,
// the first in step 2h - 1; n + 2h - 2 steps in all. K packets a block keep the pattern, each
// partner K times.
//
// Source: BFT, section 5 ("Phase i for EBFTs") and equation (3); its loop `For l = 0 to 2^{h_i-1}`
// ends one earlier.

#include "algorithm/kernel/exchange.hpp"
#include "algorithm/local_terms.hpp"
#include "algorithm/shapes.hpp"

namespace schedcc::xor_algorithm {

namespace {

using namespace local_terms;

Result kernel(const LocalRequest& r) {
  return result(r, Term<local::Xor>{{r.problem.ranks, r.problem.chunks}, "Xor(ranks, chunks)"},
                {"exchange.hpp"});
}

}  // namespace

extern const AlgorithmEntry entry;
const AlgorithmEntry entry{
    .name = "xor",
    .summary = "total exchange on the exponential fat tree, without queues",
    .source = "BFT, section 5, equation (3)",
    .collectives = {Collective::alltoall},
    .machines = {"fattree:cap=exponential"},
    .reason = powers_of_two_only,
    .kernel = kernel,
    .build = stream_of<kernel>,
    .claim =
        [](const Request& r) {
          const std::uint64_t n = r.problem.ranks, K = r.problem.chunks;
          return CostClaim{.steps = K * (n - 1) + 2 * ceil_log2(n) - 1,
                           .steps_formula = "s (n - 1) + 2h - 1"};
        },
};

}  // namespace schedcc::xor_algorithm
