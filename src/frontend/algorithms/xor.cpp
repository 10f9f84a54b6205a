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

#include <bit>

#include "frontend/algorithms/shapes.hpp"

namespace schedcc {

namespace {

Steps build(const Request& r) {
  const Rank n = r.problem.ranks;
  const std::uint32_t K = r.problem.chunks;
  const std::uint32_t h = ceil_log2(n);
  return Steps(std::uint64_t{K} * (n - 1), [=](std::uint64_t row, Transfers& out) {
    const auto left =
        static_cast<Rank>(n - 1 - row / K);  // partners still to come, this one included
    const Rank half = std::bit_floor(left);  // 2^(h_i - 1)
    const Rank l = 2 * half - 1 - left;
    const auto j = static_cast<std::uint32_t>(row % K);
    for (Rank k = 0; k < n; ++k) {
      const Rank partner = k ^ half ^ l;
      out.push_back(copy(k, partner, (k * n + partner) * K + j));
    }
    const std::uint64_t phase = h - static_cast<std::uint32_t>(std::bit_width(left));
    return row + 2 * phase;
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
