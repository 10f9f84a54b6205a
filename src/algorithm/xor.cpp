// Total exchange on the exponential fat tree, by exclusive or.
//
// In phase i = 0..h-1 the two halves of every subtree of height h_i = h - i exchange what they have
// for each other: in 2^(h_i - 1) steps l, leaf k sends to k xor 2^(h_i - 1) xor l. All leaves send
// at once, every branch carries exactly its capacity 2^(i-1), and no packet ever waits. Messages of
// phase i take 2 h_i hops, those of phase i+1 two hops less, so phase i+1 may start two steps after
// phase i's last dispatch and its packets arrive right behind: n - 1 arrivals in a row at every
// leaf, from step 2h - 1 on, n + 2h - 2 steps in all. K packets a block keep the pattern, each
// partner K times.
//
// Source: BFT, section 5 ("Phase i for EBFTs") and equation (3); its loop `For l = 0 to 2^{h_i-1}`
// ends one earlier.

#include "algorithm/closed_forms.hpp"
#include "algorithm/shapes.hpp"

namespace schedcc {

namespace {

Steps build(const Request& r) {
  const Rank n = r.problem.ranks;
  const std::uint32_t K = r.problem.chunks;
  const std::uint32_t h = ceil_log2(n);
  return Steps(std::uint64_t{K} * (n - 1), [=](std::uint64_t row, Transfers& out) {
    const std::uint64_t u = row / K, j = row % K;
    const auto difference = static_cast<Rank>(closed::xor_partner<std::uint64_t>(0, u, n));
    for (Rank k = 0; k < n; ++k) {
      const Rank partner = k ^ difference;
      out.push_back(copy(k, partner, (k * n + partner) * K + static_cast<Chunk>(j)));
    }
    return closed::xor_step<std::uint64_t>(u, j, K, h, n);
  });
}

}  // namespace

extern const Algorithm xor_algorithm;
const Algorithm xor_algorithm{
    .name = "xor",
    .summary = "total exchange on the exponential fat tree, without a queue",
    .source = "BFT, section 5, equation (3)",
    .collectives = {Collective::alltoall},
    .machines = {"fattree:cap=exponential"},
    .refuse = powers_of_two_only,
    .build = build,
    .promise =
        [](const Request& r) {
          const std::uint64_t n = r.problem.ranks, K = r.problem.chunks;
          return Promise{.steps = K * (n - 1) + 2 * ceil_log2(n) - 1,
                         .steps_formula = "s (n - 1) + 2h - 1"};
        },
};

}  // namespace schedcc
