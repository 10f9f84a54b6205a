// The formulas of `cost`, compared with schedules. (docs/ledger compares the formulas as printed.)

#include "catch.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/integers.hpp"
#include "cost/printed_formulas.hpp"
#include "costs.hpp"

using namespace costs;

TEST_CASE("FT, section 2: the best s of the formulas") {
  for (const Rank P : {5u, 64u, 1000u}) {
    Problem problem;
    problem.ranks = P;
    const CostModel model = alpha_beta(3, 1);
    for (const char* name :
         {"chain", "binary-tree", "fractional-tree:r=3", "butterfly", "circulant"}) {
      if (std::string(name) == "butterfly" && P != 64) continue;
      double least = 1e300;
      double star = 0;
      for (std::uint32_t s = 1; s <= 5000; ++s) {
        problem.chunks = s;
        const auto formulas = time_formulas(Spec::parse(name), problem, Machine{}, model, 5000);
        REQUIRE(formulas.size() >= 2);
        least = std::min(least, formulas[0].seconds);
        star = formulas[1].seconds;
      }
      INFO(name << " P " << P);
      CHECK(star <= least * (1 + 1e-12));  // real s
      CHECK(star >= least * 0.99);
    }
  }
}

TEST_CASE("formulas are for algorithms that there are") {
  for (const std::string_view name : algorithms_with_formulas())
    CHECK_NOTHROW(find_algorithm(name));
}

TEST_CASE("BL, broadcasts in LogP: the formulas are times, or no schedule is above them") {
  for (const char* times : {"L=6,o=2,g=4", "L=9,o=3,g=1", "L=30,o=1,g=2"}) {
    std::string model = "logp:" + std::string(times);
    for (const char* key : {",o", ",g"}) model.insert(model.find(key), "s");
    for (const char* name : {"logp-linear", "logp-binary", "logp-binomial", "logp-knomial:k=3",
                             "logp-kary:k=3", "logp-kary:k=4"}) {
      for (const Rank P : {2u, 4u, 9u, 16u, 27u, 64u, 81u}) {
        const CostReport report = timed(name, Collective::broadcast, P, 1, 1,
                                        make_cost_model(model + "s"), "logp:" + std::string(times));
        INFO(name << " " << times << " P " << P);
        REQUIRE(report.formulas.size() == 1);
        const double formula = report.formulas[0].seconds;
        if (report.formulas[0].text.find("at most") == std::string::npos) {
          CHECK(close(*report.asynchronous, formula));
        } else {
          CHECK(*report.asynchronous <= formula + 1e-9);
        }
      }
    }
  }
}

TEST_CASE("CC, BSP: log_{h+1} P alpha + s beta, for P a power of h + 1") {
  const CostModel model = make_cost_model("bsp:l=100s,g=1s/B");
  for (const auto& [P, h] :
       {std::pair<Rank, int>{8, 1}, {9, 2}, {27, 2}, {16, 3}, {25, 4}, {7, 6}}) {
    const std::string name = fmt::format("bsp-butterfly:h={}", h),
                      machine = fmt::format("bsp:h={}", h);
    for (const Collective c :
         {Collective::allgather, Collective::reduce_scatter, Collective::scatter,
          Collective::gather, Collective::broadcast, Collective::reduce, Collective::allreduce}) {
      const std::uint32_t K = info(c).in_blocks() ? 1 : P;
      const CostReport report = timed(name, c, P, K, std::uint64_t{P} * 10, model, machine);
      INFO(name << " " << info(c).name << " P " << P);
      REQUIRE(!report.formulas.empty());
      // s beta counts the block that a rank keeps as well: at most P/(P-1) too much.
      const double latency = 100.0 * static_cast<double>(report.steps);
      const double bytes = report.seconds - latency;
      CHECK(close(latency + bytes * P / (P - 1.0), report.formulas[0].seconds));
    }
  }
}

TEST_CASE("CC: the formulas of the butterflies are those of the schedules") {
  const CostModel model = alpha_beta(7, 0.5);
  for (const Rank P : {4u, 8u, 64u}) {
    for (const auto& [name, c] :
         {std::pair("recursive-doubling", Collective::allgather),
          std::pair("recursive-doubling", Collective::allreduce),
          std::pair("ring", Collective::allreduce), std::pair("ring", Collective::allgather),
          std::pair("binomial-tree", Collective::scatter),
          std::pair("pairwise", Collective::alltoall)}) {
      const std::uint32_t K = c == Collective::allreduce ? P : 1;
      const CostReport report = timed(name, c, P, K, 64 * 30, model);
      INFO(name << " " << info(c).name << " " << P);
      REQUIRE(report.formulas.size() == 1);
      CHECK(close(report.seconds, report.formulas[0].seconds));
    }
    // s/k + h messages of size k.
    const CostReport broadcast = timed("butterfly", Collective::broadcast, P, 20, 2000, model);
    CHECK(close(broadcast.seconds, broadcast.formulas[0].seconds));
    CHECK(broadcast.formulas[1].seconds <= broadcast.formulas[0].seconds);
    const double h = ceil_log2(P);
    CHECK(broadcast.formulas[1].seconds <= 2 * (h * 7 + 2000 * 0.5) * (1 + 1e-12));
  }
}
