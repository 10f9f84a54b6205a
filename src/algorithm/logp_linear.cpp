// Linear broadcast in the LogP model: the root sends every packet to every rank, as fast as the
// model allows.
//
// Its sends are s = max(g, o) apart, and the last one takes L + 2o: L + 2o + (K(P-1) - 1) s, which
// for one packet is BL's L + (P-2) max(o,g) + 2o.
//
// Source: BL, "Example: Broadcasts" (T_lin).

#include <fmt/core.h>

#include "algorithm/kernel/logp_linear.hpp"
#include "algorithm/local_terms.hpp"
#include "algorithm/logp_shapes.hpp"
#include "algorithm/shapes.hpp"

namespace schedcc::logp_linear_algorithm {

namespace {

using namespace local_terms;

/// Its steps are cycles, and receives come later than sends: reverse() of steps does not apply.
Result kernel(const LocalRequest& r) {
  const WideProblem& p = r.problem;
  const LogP& logp = *r.machine.timing();
  require_product(p.chunks * p.ranks, logp.spacing(), "the number of cycles");
  const bool reduction = p.reduction();
  const local::LogpLinear linear(p.ranks, p.chunks, logp.L, logp.o, logp.g, reduction);
  const Term<local::LogpLinear> from_zero{
      linear,
      fmt::format("LogpLinear(ranks, chunks, {}, {}, {}, {})", logp.L, logp.o, logp.g, reduction)};
  return result(r, reroot(from_zero, p.ranks, p.root, 0, 0), {"logp_linear.hpp"});
}

}  // namespace

extern const AlgorithmEntry entry;
const AlgorithmEntry entry{
    .name = "logp-linear",
    .summary = "LogP: the root sends every packet to every rank",
    .source = "BL, Example: Broadcasts",
    .collectives = {Collective::broadcast, Collective::reduce},
    .machines = {"logp"},
    .reason = logp_only,
    .order = always_in_order,
    .kernel = kernel,
    .build = stream_of<kernel>,
    .claim =
        [](const Request& r) {
          const LogP& model = *r.machine.timing();
          const std::uint64_t sends = std::uint64_t{r.problem.chunks} * (r.problem.ranks - 1);
          return CostClaim{.steps = model.latency() + (sends - 1) * model.spacing(),
                           .width = 1,
                           .idle = true,
                           .busiest = sends};
        },
};

}  // namespace schedcc::logp_linear_algorithm
