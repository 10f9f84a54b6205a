// Rabenseifner's allreduce: recursive halving and doubling for any number of ranks.
//
// Of P ranks let 2^h be as many as halving can use, h = floor(log2 P), and e = P - 2^h the rest. If
// there is a rest, ranks 2i + 1 for i < e first send their vectors to their neighbours 2i, which
// act for both of them, and get the result from them in the end. Between these two steps is the
// butterfly on 2^h ranks: 2h + 2 steps, or 2h if P = 2^h. The acting ranks represent one rank or
// two neighbours each, so that intervals of them are intervals of ranks: operands keep their order.
//
// Source: Rabenseifner 2004, doi 10.1007/978-3-540-24685-5_1 (halving and doubling); Thakur,
// Rabenseifner, Gropp 2005, doi 10.1177/1094342005051521 (the excess ranks).

#include <bit>

#include "algorithm/doubling.hpp"
#include "algorithm/kernel/excess.hpp"
#include "algorithm/shapes.hpp"

namespace schedcc::rabenseifner_algorithm {

namespace {

using namespace local_terms;

Result kernel(const LocalRequest& r) {
  const std::uint64_t P = r.problem.ranks, K = r.problem.chunks;
  const auto butterfly = butterfly_allreduce(std::bit_floor(P), K, "std::bit_floor(ranks)");
  const Term<local::ExcessFolded<std::remove_const_t<decltype(butterfly.kernel)>>> acting{
      {butterfly.kernel, P}, fmt::format("ExcessFolded({}, ranks)", butterfly.text)};
  const Term<local::ReturnToExcess> last{{P, K}, "ReturnToExcess(ranks, chunks)"};
  return result(r, sequence(reverse_reducing(last), sequence(acting, last)),
                {"blocks.hpp", "doubling.hpp", "excess.hpp"});
}

}  // namespace

extern const AlgorithmEntry entry;
const AlgorithmEntry entry{
    .name = "rabenseifner",
    .summary = "recursive halving and doubling, neighbours acting for excess ranks",
    .source = "Rabenseifner 2004, doi 10.1007/978-3-540-24685-5_1",
    .collectives = {Collective::allreduce},
    .machines = {"duplex"},
    .order = always_in_order,
    .kernel = kernel,
    .build = stream_of<kernel>,
    .claim =
        [](const Request& r) {
          const Rank P = r.problem.ranks;
          const auto h = static_cast<std::uint64_t>(std::bit_width(P) - 1);
          const bool excess = !std::has_single_bit(P);
          const std::uint64_t K = r.problem.chunks, acting = std::bit_floor(P);
          const std::uint64_t halving = K % acting == 0 ? 2 * (K - K / acting) : 0;
          return CostClaim{.steps = excess ? 2 * h + 2 : 2 * h,
                           .volume = halving == 0 ? 0 : halving + (excess ? 2 * K : 0),
                           .steps_formula = excess ? "2h + 2" : "2h",
                           .volume_formula = excess ? "2 (2 - 1/2^h)" : "2 (1 - 1/2^h)"};
        },
};

}  // namespace schedcc::rabenseifner_algorithm
