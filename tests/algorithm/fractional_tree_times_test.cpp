// Times of fractional trees by FT's formulas (t = 1), compared with the lower bounds.

#include "catch.hpp"

#include <algorithm>
#include <cmath>

#include "algorithm/fractional_tree/fractional_tree.hpp"
#include "analysis/bounds.hpp"
#include "core/integers.hpp"
#include "schedcc/machine.hpp"

using namespace schedcc;

namespace {

using U64 = std::uint64_t;

}  // namespace

TEST_CASE("FT, section 1: for simplex, up to 3/2 times as fast as both simple algorithms") {
  // Times in units of the start-up t = 1 for messages of size k in s packets of size k/s, at the
  // best s and r. The gain grows with P towards 3/2 and does not reach it.
  const auto best = [](double k, auto steps) {
    double least = 1e300;
    for (double s = 1; s < 4 * k + 4; s = std::max(s + 1, std::floor(s * 1.05))) {
      least = std::min(least, steps(static_cast<U64>(s)) * (1 + k / s));
    }
    return least;
  };
  double before = 1;
  for (const U64 P : {64u, 1024u, 16384u, 1048576u}) {
    double gain = 0;
    for (double k = 64; k < 20.0 * static_cast<double>(P); k *= 2) {
      const double chain = best(k, [&](U64 s) { return static_cast<double>(P - 3 + 2 * s); });
      const double binary = best(
          k, [&](U64 s) { return static_cast<double>(simplex_fractional_tree_steps(P, s, 1)); });
      double tree = 1e300;
      for (U64 r = 1; r < 200; r += 1 + r / 5) {
        const U64 one = simplex_fractional_tree_steps(P, 1, r);  // d + 1
        tree = std::min(tree, best(k, [&](U64 s) {
                          return static_cast<double>(one + 2 * s + ceil_div(s, r) - 3);
                        }));
      }
      gain = std::max(gain, std::min(chain, binary) / tree);
    }
    INFO("P = " << P << ": " << gain);
    CHECK(gain > before);
    CHECK(gain < 1.5);
    before = gain;
  }
  CHECK(before > 1.4);
}

TEST_CASE("FT, section 1: all simplex PUs busy; the least T with sum of min(2^t, P/2) >= K (P-1)") {
  const Machine simplex = make_machine("simplex", 2);
  for (Rank P = 2; P <= 70; ++P) {
    for (std::uint32_t K = 1; K <= 20; ++K) {
      U64 T = 0;
      for (U64 moved = 0; moved < U64{K} * (P - 1); ++T) {
        moved += T < 32 ? std::min(U64{1} << T, U64{P / 2}) : P / 2;
      }
      Problem problem;
      problem.ranks = P;
      problem.chunks = K;
      U64 latency = 0;
      while ((U64{1} << latency) < P) ++latency;
      // The last packet's K - 1 + ceil(log2 P) is the better bound where few ranks have much to do.
      if (*lower_bound(problem, simplex, 1).steps != std::max(T, K - 1 + latency)) {
        FAIL_CHECK("P = " << P << ", K = " << K);
      }
    }
  }
}

TEST_CASE("FT (5): 2 (1 - 1/P) k + t (log P - 4) bounds every s, and so does schedcc's bound") {
  const Machine simplex = make_machine("simplex", 2);
  for (const Rank P : {2u, 3u, 16u, 64u, 1000u, 4096u}) {
    for (const double k : {1.0, 16.0, 256.0, 65536.0}) {  // t = 1
      const double five = 2 * (1 - 1.0 / P) * k + std::log2(P) - 4;
      for (std::uint32_t s = 1; s < 100000; s = s * 3 / 2 + 1) {
        Problem problem;
        problem.ranks = P;
        problem.chunks = s;
        const double bound =
            static_cast<double>(*lower_bound(problem, simplex, 1).steps) * (1 + k / s);
        if (bound < five * (1 - 1e-12)) FAIL_CHECK("P = " << P << ", k = " << k << ", s = " << s);
      }
    }
  }
}

TEST_CASE("FT (1), (2): the best s of the chain, and of the binary tree, where the text differs") {
  for (const double P : {16.0, 64.0, 1024.0}) {
    for (const double k : {100.0, 5000.0, 1e6}) {  // t = 1
      const auto chain = [&](double s) { return (P - 2 + s) * (1 + k / s); };
      const double T = k * std::pow(1 + std::sqrt((P - 2) / k), 2);
      CHECK(chain(std::sqrt(k * (P - 2))) == Approx(T));
      CHECK(chain(std::sqrt(k * (P - 2)) * 1.1) > T);
      CHECK(chain(std::sqrt(k * (P - 2)) / 1.1) > T);

      const auto d = static_cast<double>(fractional_tree_steps(static_cast<U64>(P), 1, 1) - 1);
      const auto tree = [&](double s) { return (d + 2 * s) * (1 + k / s); };
      const double T_1 = k * std::pow(std::sqrt(2) + std::sqrt(d / k), 2);
      CHECK(tree(std::sqrt(k * d / 2)) == Approx(T_1));
      CHECK(tree(std::sqrt(2 * k * d)) > 1.0005 * T_1);  // the s that the text gives
    }
  }
}

TEST_CASE("FT (7), (8): the best s of the fractional tree, and the performance examples") {
  for (const double r : {1.0, 3.0, 8.0}) {
    for (const double k : {100.0, 5000.0, 1e6}) {  // t = 1
      const auto d = static_cast<double>(fractional_tree_steps(1024, 1, static_cast<U64>(r)) - 1);
      const auto T = [&](double s) { return (d + s * (1 + 1 / r)) * (1 + k / s); };
      const double s = std::sqrt(k * d * r / (r + 1));
      const double eight = k * (1 + 1 / r) * std::pow(1 + std::sqrt(d * r / (k * (r + 1))), 2);
      CHECK(T(s) == Approx(eight));
      CHECK(T(s * 1.1) > eight);
      CHECK(T(s / 1.1) > eight);
    }
  }
  // P = 1024, k/t = 4096.
  const double k = 4096;
  const auto printed = [&](U64 r, double s) {  // (7), over k
    const auto d = static_cast<double>(fractional_tree_steps(1024, 1, r) - 1);
    return (d + s * (1 + 1.0 / static_cast<double>(r))) * (1 + k / s) / k;
  };
  const auto measured = [&](U64 r, U64 s) {
    return static_cast<double>(fractional_tree_steps(1024, s, r)) *
           (1 + k / static_cast<double>(s)) / k;
  };
  CHECK(std::cbrt(k / 9) == Approx(7.69).epsilon(0.001));  // r is about 8
  CHECK(std::sqrt(k * 57 * 8 / 9) == Approx(456).epsilon(0.001));
  CHECK(printed(8, 456) == Approx(1.389).epsilon(0.0004));
  CHECK(measured(8, 456) == Approx(1.387).epsilon(0.0004));  // a step less than (7)
  CHECK(printed(10, 503) == Approx(1.387).epsilon(0.0004));
  CHECK(std::sqrt(k * static_cast<double>(fractional_tree_steps(1024, 1, 10) - 1) * 10 / 11) ==
        Approx(503).epsilon(0.001));
  // T_* with d / (r + 1) = 57 / 9.
  CHECK(std::pow(1 + std::cbrt(57 / (k * 9)), 3) == Approx(1.389).epsilon(0.001));
}
