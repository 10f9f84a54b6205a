// Times that the papers print, beside what `cost` and `tune` say.

#include "catch.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "algorithm/fractional_tree.hpp"
#include "core/integers.hpp"
#include "costs.hpp"

using namespace costs;

TEST_CASE("FT: d of the recurrence, for small and large groups") {
  for (const std::uint64_t r : {1u, 2u, 3u, 16u, 17u, 18u, 33u, 100u, 999u}) {
    for (const std::uint64_t P : {2u, 17u, 18u, 19u, 64u, 1000u, 16384u, 100000u}) {
      std::vector<std::uint64_t> sizes;
      for (std::uint64_t i = 0; sizes.empty() || sizes.back() < P; ++i) {
        sizes.push_back(i <= r ? i + 1 : r + sizes[i - r] + sizes[i - r - 1]);
      }
      if (P > r + 1) CHECK(fractional_tree_steps(P, 1, r) == sizes.size() - 1);
    }
  }
}

TEST_CASE("FT, performance example: P = 1024, k/t = 4096") {
  // k = 4096 t: 4096 million bytes of 1 ps, a start-up of 1 us.
  const CostModel model = make_cost_model("alpha-beta:alpha=1us,beta=1ps/B");
  const std::uint64_t bytes = 4'096'000'000;
  const double k = 4096e-6;
  const auto ft7 = [&](std::uint64_t r, std::uint32_t s) {
    Problem problem;
    problem.ranks = 1024;
    problem.chunks = s;
    return time_formulas(Spec::parse(fmt::format("fractional-tree:r={}", r)), problem, Machine{},
                         model, bytes)
               .front()
               .seconds /
           k;
  };
  // "r = 8 ... d = 57 ... s = 456 ... T = 1.389 k", and "r = 10 and s = 503 ... 1.387 k".
  CHECK(std::round(1000 * ft7(8, 456)) == 1389);
  CHECK(std::round(1000 * ft7(10, 503)) == 1387);
  CHECK(ft7(8, 456) / ft7(10, 503) < 1.002);  // "less than 0.2 % better"
  // The schedules themselves, one step less than the formula.
  const Timed report = timed("fractional-tree:r=8", Collective::broadcast, 1024, 456, bytes, model);
  CHECK(report.steps == 57 + 456 + 57 - 1);
  CHECK(std::round(1000 * report.seconds / k) == 1387);
  // The exact optimum over all integers r and s.
  const auto best = tuner({"fractional-tree"}, Collective::broadcast, 1024, model).best(bytes);
  CHECK(best->spec.text() == "fractional-tree:r=10");
  CHECK(best->seconds / k < 1.387);
  CHECK(best->seconds / k > 1.380);
}

TEST_CASE("FT, figure 3: the peaks") {
  // The improvement of fractional trees over the best of chain and binary tree. The text says 1.29
  // for P = 64 and up to 1.8 for P = 16384. The paper's own T_r^*, T_1^*, T_infinity^*
  // give 1.280, 1.574 and 1.779 (below), exact integer optima over r and s 1.282, 1.572 and 1.778:
  // P = 64 stays below 1.29.
  const CostModel model = make_cost_model("alpha-beta:alpha=1us,beta=1ps/B");
  struct Peak {
    Rank P;
    double k_over_t;
    double schedules, formulas;
  };
  for (const Peak& peak : {Peak{64, 169.8, 1.281, 1.280}, Peak{1024, 4748, 1.572, 1.574},
                           Peak{16384, 89443, 1.778, 1.779}}) {
    double highest = 0, highest_formula = 0;
    auto tree = tuner({"fractional-tree"}, Collective::broadcast, peak.P, model);
    auto simple = tuner({"chain", "binary-tree"}, Collective::broadcast, peak.P, model);
    const double d1 = static_cast<double>(fractional_tree_steps(peak.P, 1, 1)) - 1;
    for (int i = -10; i <= 10; ++i) {
      const double k = peak.k_over_t * std::pow(10, i / 80.0);
      const auto bytes = static_cast<std::uint64_t>(k * 1e6);
      highest = std::max(highest, simple.best(bytes)->seconds / tree.best(bytes)->seconds);
      const auto square = [](double x) { return x * x; };
      const double chain = square(std::sqrt(k) + std::sqrt(peak.P - 2.0));
      const double binary = square(std::sqrt(2 * k) + std::sqrt(d1));
      double fractional = binary;
      for (std::uint64_t r = 1; r < 60; ++r) {
        const double d = static_cast<double>(fractional_tree_steps(peak.P, 1, r)) - 1;
        const auto R = static_cast<double>(r);
        fractional =
            std::min(fractional, (1 + 1 / R) * square(std::sqrt(k) + std::sqrt(d * R / (R + 1))));
      }
      highest_formula = std::max(highest_formula, std::min(chain, binary) / fractional);
    }
    INFO("P = " << peak.P << ": " << highest << " and " << highest_formula);
    CHECK(std::abs(highest - peak.schedules) < 0.002);
    CHECK(std::abs(highest_formula - peak.formulas) < 0.002);
  }
}

TEST_CASE("FT, section 2: the best s of the formulas") {
  const double k = 5000, t = 3;
  for (const Rank P : {5u, 64u, 1000u}) {
    Problem problem;
    problem.ranks = P;
    const CostModel model = alpha_beta(t, 1);
    for (const char* name :
         {"chain", "binary-tree", "fractional-tree:r=3", "butterfly", "circulant"}) {
      if (std::string(name) == "butterfly" && P != 64) continue;
      double least = 1e300;
      double star = 0;
      for (std::uint32_t s = 1; s <= 5000; ++s) {
        problem.chunks = s;
        const auto formulas = time_formulas(Spec::parse(name), problem, Machine{}, model, 5000);
        REQUIRE(formulas.size() == 2);
        least = std::min(least, formulas[0].seconds);
        star = formulas[1].seconds;
      }
      INFO(name << " P " << P);
      CHECK(star <= least * (1 + 1e-12));  // real s
      CHECK(star >= least * 0.99);
    }
    // FT prints s = sqrt(2kd/t) for the binary tree; the T_1* that follows needs sqrt(kd/(2t)).
    const double d = static_cast<double>(fractional_tree_steps(P, 1, 1)) - 1;
    const auto T = [&](double s) { return (d + 2 * s) * (t + k / s); };
    const double star = std::pow(std::sqrt(2 * k) + std::sqrt(d * t), 2);
    CHECK(close(T(std::sqrt(k * d / (2 * t))), star));
    CHECK(T(std::sqrt(2 * k * d / t)) > star * 1.0001);
  }
}

TEST_CASE("FT (6) as printed is above what the circulant schedule takes") {
  // P = 1024, k/t = 1000: s - 1 + 10 steps of t + k/s.
  const double t = 1, k = 1000;
  const double printed = std::pow(std::sqrt(k) + std::sqrt(10 * t), 2);
  const double corrected = std::pow(std::sqrt(k) + std::sqrt(9 * t), 2);
  const auto best = tuner({"circulant"}, Collective::broadcast, 1024,
                          make_cost_model("alpha-beta:alpha=1s,beta=1us/B"))
                        .best(1'000'000'000);
  CHECK(best->seconds < printed);
  CHECK(best->seconds >= corrected * (1 - 1e-12));
  CHECK(best->seconds < corrected * 1.001);
}

TEST_CASE("BL, very large messages: 2,000,020 against 1,200,120, and 1,008,964") {
  const CostModel model = alpha_beta(10, 1);
  CHECK(
      close(timed("binomial-tree", Collective::broadcast, 4, 1, 1000000, model).seconds, 2000020));
  CHECK(close(timed("chain", Collective::broadcast, 4, 10, 1000000, model).seconds, 1200120));
  Problem problem;
  problem.ranks = 4;
  const auto formulas = time_formulas(Spec::parse("chain"), problem, Machine{}, model, 1000000);
  CHECK(std::round(formulas[1].seconds) == 1008964);  // z = sqrt(10^6 alpha / (2 beta)) = 2236
  // In whole packets and bytes.
  const auto best = tuner({"chain"}, Collective::broadcast, 4, model).best(1000000);
  CHECK(best->seconds >= formulas[1].seconds);
  CHECK(best->seconds < formulas[1].seconds + 300);
  CHECK(best->chunks == 456);  // of at most 2193 bytes; z = 2236 would be 447 packets of 2238
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
        const Timed report = timed(name, Collective::broadcast, P, 1, 1,
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
      const std::uint32_t K = info(c).blocks == 0 ? P : 1;
      const Timed report = timed(name, c, P, K, std::uint64_t{P} * 10, model, machine);
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
      const Timed report = timed(name, c, P, K, 64 * 30, model);
      INFO(name << " " << info(c).name << " " << P);
      REQUIRE(report.formulas.size() == 1);
      CHECK(close(report.seconds, report.formulas[0].seconds));
    }
    // s/k + h messages of size k.
    const Timed broadcast = timed("butterfly", Collective::broadcast, P, 20, 2000, model);
    CHECK(close(broadcast.seconds, broadcast.formulas[0].seconds));
    CHECK(broadcast.formulas[1].seconds <= broadcast.formulas[0].seconds);
    const double h = ceil_log2(P);
    CHECK(broadcast.formulas[1].seconds <= 2 * (h * 7 + 2000 * 0.5) * (1 + 1e-12));
  }
}
