// SUMMA and 3D matrix multiplication: every grid and variant holds, agrees with the simulator, and
// costs what CC says.

#include "catch.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <string>
#include <vector>

#include "agreement.hpp"
#include "products.hpp"
#include "schedcc/error.hpp"

using namespace agreement;
using products::ask;
using products::ProductCase;

namespace {

naive::Plan plan_of(const ProductCase& asked) {
  return {asked.algorithm.problem(asked.request),
          sent(*stream(asked.algorithm.steps(asked.request))), 0};
}

Report report_of(const ProductCase& asked, const std::string& text) {
  return check(from_algorithm(asked.algorithm, asked.request, text), asked.request.machine);
}

/// Calls f(specification, P) for every grid over up to `most` ranks, and every variant.
template <typename F>
void each_product(Rank most, F f) {
  for (Rank R = 1; R <= most; ++R) {
    for (Rank C = 1; R * C <= most; ++C) {
      for (const char* variant : {"A", "B", "C"}) {
        f(fmt::format("summa:grid={}x{},variant={}", R, C, variant), R * C);
      }
      for (Rank D = 1; R * C * D <= most; ++D) {
        f(fmt::format("matmul-3d:grid={}x{}x{}", R, C, D), R * C * D);
      }
    }
  }
}

std::uint64_t lg(std::uint64_t P) { return static_cast<std::uint64_t>(std::bit_width(P - 1)); }

}  // namespace

TEST_CASE("matrix products agree with the simulator on every small grid") {
  each_product(12, [](const std::string& spec, Rank P) {
    for (const std::uint32_t K : {1u, 3u}) {
      for (const std::string machine : {"duplex", "simplex"}) {
        const ProductCase asked = ask(spec, P, K, machine);
        const std::string difference = disagreement(plan_of(asked), machine);
        if (!difference.empty()) FAIL_CHECK(spec << ":\n" << difference);
      }
    }
  });
}

TEST_CASE("matrix products hold in the sum of the steps of their parts") {
  // Every broadcast and reduction by a binomial tree: K lg of its ranks, for each of L panels.
  each_product(64, [](const std::string& spec, Rank P) {
    const std::uint32_t K = 2;
    const ProductCase asked = ask(spec, P, K);
    const Report report = report_of(asked, spec);
    if (report.verdict() != Verdict::holds || report.findings_total > 0 || report.below_bound) {
      FAIL_CHECK(spec << " does not hold");
    }
    const std::string grid = asked.request.parameters.text("grid");
    std::vector<std::uint64_t> sides;
    for (std::size_t at = 0; at < grid.size(); at = std::min(grid.find('x', at), grid.size()) + 1) {
      sides.push_back(std::stoull(grid.substr(at)));
    }
    std::uint64_t steps = 0;
    for (const std::uint64_t side : sides) steps += K * lg(side);
    if (sides.size() == 2) steps *= std::lcm(sides[0], sides[1]);
    if (report.steps != steps) FAIL_CHECK(spec << " takes " << report.steps << ", not " << steps);
    if (P > 1 && asked.algorithm.claim(asked.request).steps != steps) {
      FAIL_CHECK(spec << " claims something else");
    }
  });
}

TEST_CASE("matrix products move their blocks by any algorithm") {
  for (const char* by : {"linear", "chain", "binomial-tree", "fractional-tree:r=2", "circulant",
                         "binary-tree", "butterfly", "kary-tree:k=7"}) {
    for (const char* product : {"summa:grid=4x4,variant=C", "summa:grid=4x8,variant=A",
                                "summa:grid=2x4,variant=B", "matmul-3d:grid=2x4x8"}) {
      const std::string spec = fmt::format("{},broadcast={},reduce={}", product, by, by);
      for (const std::uint32_t K : {1u, 5u}) {
        const std::string grid = spec.substr(spec.find('=') + 1);
        Rank P = 1;
        for (const char c : grid.substr(0, grid.find(',')))
          P *= c == 'x' ? 1 : static_cast<Rank>(c - '0');
        const ProductCase asked = ask(spec, P, K);
        const Report report = report_of(asked, spec);
        INFO(spec);
        CHECK(report.verdict() == Verdict::holds);
        CHECK(report.findings_total == 0);
        const CostClaim claim = asked.algorithm.claim(asked.request);
        CHECK((claim.exact ? report.steps == claim.steps : report.steps <= claim.steps));
        if (claim.exact && claim.volume > 0) CHECK(report.volume == claim.volume);
      }
    }
  }
}

TEST_CASE("the default grid is the squarest, and near a cube") {
  const auto same = [](const std::string& given, const std::string& meant, Rank P) {
    const ProductCase a = ask(given, P, 1), b = ask(meant, P, 1);
    INFO(meant);
    CHECK(text(plan_of(a), "duplex") == text(plan_of(b), "duplex"));
  };
  same("summa", "summa:grid=4x4", 16);
  same("summa", "summa:grid=3x4", 12);
  same("summa", "summa:grid=1x7", 7);
  same("matmul-3d", "matmul-3d:grid=2x2x2", 8);
  same("matmul-3d", "matmul-3d:grid=2x3x4", 24);
  same("matmul-3d", "matmul-3d:grid=1x2x5", 10);
}

TEST_CASE("a grid of other than P ranks, and parts that cannot be served, are refused") {
  const auto why = [](const std::string& spec, Rank P, const std::string& machine = "duplex") {
    const ProductCase asked = ask(spec, P, 1, machine);
    return asked.algorithm.reason(asked.request).value_or("served");
  };
  CHECK(why("summa:grid=2x3", 7) == "a grid of 2x3 has 6 ranks, not 7");
  CHECK(why("matmul-3d:grid=2x2x2", 4) == "a grid of 2x2x2 has 8 ranks, not 4");
  CHECK(why("summa:grid=3x4,broadcast=butterfly", 12) ==
        "'butterfly' does not serve the broadcasts to 3 ranks: it needs P = 2^h ranks, and 3 is "
        "not a power of two");
  CHECK(why("summa:grid=4x4,broadcast=karp", 16) ==
        "'karp' does not serve the broadcasts to 4 ranks: it is for logp, not duplex");
  CHECK(why("summa:grid=4x4,broadcast=circulant", 16, "simplex") ==
        "'circulant' does not serve the broadcasts to 4 ranks: it is for duplex, not simplex");
  CHECK(why("summa:grid=4x4,variant=A,reduce=ring", 16) ==
        "'ring' does not serve the reductions over 4 ranks: it serves allgather, reduce-scatter, "
        "allreduce, not reduce");
  CHECK(why("summa:grid=1x1", 1) == "served");
  CHECK_THROWS_AS(why("summa:grid=2", 2), InputError);
  CHECK_THROWS_AS(why("summa:grid=2x2x2", 8), InputError);
  CHECK_THROWS_AS(why("summa:grid=2x", 2), InputError);
  CHECK_THROWS_AS(why("summa:grid=0x2", 2), InputError);
  CHECK_THROWS_AS(why("summa:grid=2x2,broadcast=nothing", 4), InputError);
  CHECK_THROWS_AS(why("summa:grid=2x2,broadcast=fractional-tree:q=2", 4), InputError);
}

TEST_CASE("products in order are refused exactly where the order would be broken") {
  int kept = 0, refused = 0;
  for (const char* by : {"linear", "chain", "binomial-tree", "circulant"}) {
    each_product(16, [&](const std::string& grid, Rank P) {
      const std::string spec = fmt::format("{},reduce={}", grid, by);
      const ProductCase any = ask(spec, P, 2);
      Source source = from_algorithm(any.algorithm, any.request, spec);
      if (!source.problem.reduction()) return;  // C stays: nothing is reduced
      source.problem.ordered = true;
      const bool holds = check(source, any.request.machine).verdict() == Verdict::holds;
      const ProductCase ordered = ask(spec, P, 2, "duplex", true);
      const bool serves = !ordered.algorithm.reason(ordered.request);
      if (serves != holds) FAIL_CHECK(spec << ": serves " << serves << ", holds " << holds);
      ++(serves ? kept : refused);
    });
  }
  CHECK(kept > 50);
  CHECK(refused > 50);
}

// CC's formulas. With broadcasts of K packets of a block in K + h steps, h = log2 of their ranks, a
// program of m broadcasts costs m (K + h) (alpha + s/K beta) for blocks of size s, and its schedule
// m (K + h) steps and a volume of m (K + h) / K blocks. CC bounds it by m times 2 (h alpha + s
// beta), which is what it is for K = h.

TEST_CASE("CC, SUMMA: 2 sqrt(P) broadcasts, at most 2 sqrt(P) log P alpha + 4 n^2 / sqrt(P) beta") {
  for (const std::uint32_t h : {2u, 3u, 4u, 5u}) {
    const Rank root_P = 1u << h, P = root_P * root_P;
    for (const std::uint32_t K : {1u, h, 3 * h + 1}) {
      const std::string spec = fmt::format("summa:grid={0}x{0},broadcast=butterfly", root_P);
      const Report report = report_of(ask(spec, P, K), spec);
      INFO(spec << ", " << K << " packets");
      CHECK(report.verdict() == Verdict::holds);
      CHECK(report.steps == 2 * root_P * (K + h));
      CHECK(report.volume == 2 * root_P * (K + h));
      if (K != h) continue;
      CHECK(report.steps == 2 * root_P * lg(P));  // alphas: 2 sqrt(P) log P
      CHECK(report.volume == 4 * root_P * K);     // blocks of n^2 / P: 4 n^2 / sqrt(P)
    }
  }
}

TEST_CASE("CC, SUMMA: binomial trees need half of the alphas for one packet") {
  // Whole blocks through binomial trees: sqrt(P) log P steps, but log P / 4 times CC's volume.
  const Report report = report_of(ask("summa:grid=8x8", 64, 1), "summa");
  CHECK(report.steps == 8 * 6);
  CHECK(report.volume == 8 * 6);
}

TEST_CASE("CC, 3D: two broadcasts and a reduction, at most 2 log P alpha + 6 n^2 / P^(2/3) beta") {
  for (const std::uint32_t h : {2u, 3u, 4u}) {
    const Rank side = 1u << h, P = side * side * side;
    for (const std::uint32_t K : {1u, h, 3 * h + 1}) {
      const std::string spec =
          fmt::format("matmul-3d:grid={0}x{0}x{0},broadcast=butterfly,reduce=butterfly", side);
      const Report report = report_of(ask(spec, P, K), spec);
      INFO(spec << ", " << K << " packets");
      CHECK(report.verdict() == Verdict::holds);
      CHECK(report.steps == 3 * (K + h));
      CHECK(report.volume == 3 * (K + h));
      if (K != h) continue;
      CHECK(report.steps == 2 * lg(P));  // alphas: 2 log P
      CHECK(report.volume == 6 * K);     // blocks of n^2 / P^(2/3): 6 of them
    }
  }
}
