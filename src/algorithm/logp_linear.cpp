// Linear broadcast in the LogP model: the root sends every packet to every rank itself, as fast as
// it may.
//
// Its sends are s = max(g, o) apart, and the last one takes L + 2o: L + 2o + (K(P-1) - 1) s, which
// for one packet is BL's L + (P-2) max(o,g) + 2o.
//
// Source: BL, "Example: Broadcasts" (T_lin).

#include "algorithm/logp_shapes.hpp"
#include "algorithm/shapes.hpp"

namespace schedcc {

namespace {

Steps linear(std::uint64_t P, std::uint64_t K, std::uint64_t s) {
  return Steps(K * (P - 1), [=](std::uint64_t i, Transfers& out) {
    out.push_back(copy(0, static_cast<Rank>(1 + i % (P - 1)), static_cast<Chunk>(i / (P - 1))));
    return i * s;
  });
}

}  // namespace

extern const Algorithm logp_linear_algorithm;
const Algorithm logp_linear_algorithm{
    .name = "logp-linear",
    .summary = "LogP: the root sends every packet to every rank",
    .source = "BL, Example: Broadcasts",
    .collectives = {Collective::broadcast, Collective::reduce},
    .machines = {"logp"},
    .refuse = logp_only,
    .order = always_in_order,
    .build =
        [](const Request& r) {
          return rooted(r.problem,
                        linear(r.problem.ranks, r.problem.chunks, r.machine.logp->spacing()));
        },
    .promise =
        [](const Request& r) {
          const LogP& model = *r.machine.logp;
          const std::uint64_t sends = std::uint64_t{r.problem.chunks} * (r.problem.ranks - 1);
          return Promise{model.latency() + (sends - 1) * model.spacing()};
        },
};

}  // namespace schedcc
