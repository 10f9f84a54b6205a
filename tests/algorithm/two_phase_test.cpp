// The pipelined two-phase broadcast: its steps for any number of ports, and its time on a BSP
// machine with a port for every rank, as described at the top of its file.

#include "catch.hpp"
#include "run.hpp"
#include "schedcc/cost.hpp"

using namespace schedcc;

TEST_CASE("two-phase takes a period more than there are parts of P - 1 chunks") {
  for (Rank P = 2; P <= 14; ++P) {
    for (std::uint64_t k = 2; k <= P + 1; ++k) {
      const std::uint64_t period =
          (P - 1 + std::min<std::uint64_t>(k, P - 1) - 1) / std::min<std::uint64_t>(k, P - 1);
      for (std::uint32_t K = 1; K <= 3 * P; ++K) {
        const std::uint64_t parts = (K + P - 2) / (P - 1);
        for (const char* collective : {"broadcast", "reduce"}) {
          Report report;
          const run::Case c{"two-phase", P, K, "kport:k=" + std::to_string(k), collective, K % P};
          CHECK(run::fault(c, &report).empty());
          if (P == 2) {
            CHECK(report.steps == K);
          } else {
            CHECK(report.steps <= (parts + 1) * period);
            CHECK(report.steps + 1 >= (parts + 1) * period);  // the last chunk may be alone
          }
        }
      }
    }
  }
}

TEST_CASE(
    "in the BSP model two-phase takes (S + 1)(l + g b/S), less the root's share of the last") {
  const CostModel model = make_cost_model("bsp:l=1us,g=0.1ns/B,h=63");
  const Rank P = 64;
  const std::uint64_t bytes = 63 * 64 * 1000;
  for (const std::uint32_t S : {1u, 4u, 16u}) {
    const auto [algorithm, request] = run::ready({"two-phase", P, S * (P - 1), "bsp:h=63"});
    const CostReport report = cost(from_algorithm(*algorithm, request, "two-phase"),
                                   request.machine, model, {bytes, false, {}});
    const double part = static_cast<double>(bytes) / S;
    CHECK(*report.synchronous ==
          Approx((S + 1) * 1e-6 + 0.1e-9 * part * (S + (P - 2.0) / (P - 1))));
  }
}
