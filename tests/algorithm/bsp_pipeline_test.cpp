// The pipeline of scatters and allgathers: its supersteps for any number of levels, the ports that
// it needs, and its time on a BSP machine, as stated at the top of bsp_pipeline.cpp.

#include <algorithm>

#include "catch.hpp"
#include "run.hpp"
#include "schedcc/cost.hpp"

using namespace schedcc;

namespace {

/// The least radix r with r^levels >= N, by trying.
std::uint64_t radix(std::uint64_t N, std::uint64_t levels) {
  for (std::uint64_t r = 2;; ++r) {
    std::uint64_t reach = 1;
    for (std::uint64_t i = 0; i < levels && reach < N; ++i) reach *= r;
    if (reach >= N) return r;
  }
}

}  // namespace

TEST_CASE("bsp-pipeline begins a part of P - 1 chunks in every superstep") {
  int volumes = 0;
  for (Rank P = 2; P <= 21; ++P) {
    for (std::uint64_t levels = 1; levels <= 4; ++levels) {
      const std::uint64_t N = P - 1, r = radix(N, levels);
      std::uint64_t needed = 0;  // levels, where fewer do
      for (std::uint64_t reach = 1; reach < N; reach *= r) ++needed;
      const std::uint64_t stages = std::max<std::uint64_t>(1, needed) + needed;
      const std::uint64_t ports = std::max((stages - 1) * (r - 1), std::min(r, N));
      const std::string name = "bsp-pipeline:levels=" + std::to_string(levels);
      for (const std::uint32_t K : {1u, P - 1u, P + 0u, 3 * (P - 1u), 3 * P + 1u}) {
        for (const char* collective : {"broadcast", "reduce"}) {
          Report report;
          run::Case c{name, P, K, "bsp:h=" + std::to_string(ports), collective, K % P};
          INFO(P << " ranks, " << levels << " levels, " << K << " chunks");
          CHECK(run::fault(c, &report).empty());
          CHECK(report.steps == (K + N - 1) / N + stages - 1);
          const auto [algorithm, request] = run::ready(c);
          if (const std::uint64_t claimed = algorithm->claim(request).volume; claimed != 0) {
            CHECK(report.volume == claimed);
            ++volumes;
          }
          if (ports == 1) continue;
          c.machine = "bsp:h=" + std::to_string(ports - 1);
          CHECK(algorithm->reason(run::ready(c).request));
        }
      }
    }
  }
  CHECK(volumes > 100);
}

TEST_CASE("in the BSP model bsp-pipeline takes no more than (S + 2m - 1)(l + g b/S (1 + 1/r))") {
  const CostModel model = make_cost_model("bsp:l=1us,g=0.1ns/B,h=64");
  for (const Rank P : {26, 65, 100}) {
    const std::uint64_t N = P - 1, r = radix(N, 2), bytes = N * 48 * 1000;
    for (const std::uint32_t S : {1u, 4u, 16u}) {
      const auto [algorithm, request] =
          run::ready({"bsp-pipeline:levels=2", P, S * static_cast<std::uint32_t>(N), "bsp:h=64"});
      const CostReport report = cost(from_algorithm(*algorithm, request, "bsp-pipeline"),
                                     request.machine, model, {bytes, false, {}});
      const double part = 0.1e-9 * static_cast<double>(bytes) / S;
      const double share = 1 + 1 / static_cast<double>(r);
      CHECK(*report.synchronous <= (S + 3) * (1e-6 + part * share));
      CHECK(*report.synchronous >= S * (1e-6 + part));
    }
  }
}

TEST_CASE("bsp-pipeline takes as few levels as the ports allow") {
  const auto steps = [](Rank P, std::uint64_t h) {
    Report report;
    CHECK(run::fault({"bsp-pipeline", P, P - 1u, "bsp:h=" + std::to_string(h)}, &report).empty());
    return report.steps;  // a part takes two for each level
  };
  CHECK(steps(26, 25) == 2);  // one level: all 25 others at once
  CHECK(steps(26, 24) == 4);  // two of five: 3 * 4 ports
  CHECK(steps(26, 12) == 4);
  CHECK(steps(26, 11) == 6);  // three of three: 5 * 2 ports
  CHECK(steps(26, 9) == 10);  // five of two: 9 ports
}
