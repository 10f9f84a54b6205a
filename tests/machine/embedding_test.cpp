// FT, section 4: fractional trees on hierarchical crossbars and meshes, and the hierarchical
// allreduce.

#include "catch.hpp"

#include <fmt/core.h>

#include "algorithm/fractional_tree/fractional_tree.hpp"
#include "run.hpp"
#include "schedcc/error.hpp"

using namespace schedcc;

namespace {

std::string crossbar(std::uint64_t a, std::uint64_t b, std::uint64_t in = 2,
                     std::uint64_t out = 2) {
  return fmt::format("crossbar:a={},b={},in={},out={}", a, b, in, out);
}

std::string tree(std::uint64_t r, std::string_view layout) {
  return fmt::format("fractional-tree:r={},layout={}", r, layout);
}

/// Why the case is refused; nothing if it is not.
std::string refusal(const run::Case& c) {
  const auto [algorithm, request] = run::ready(c);
  return algorithm->reason(request).value_or("");
}

/// min{i : M_i >= n}, M_i = first + M_{i-near} + M_{i-far} and M_i = min(i + 1, first) before.
std::uint64_t least(std::uint64_t n, std::uint64_t first, std::uint64_t near, std::uint64_t far) {
  std::vector<std::uint64_t> M;
  while (M.empty() || M.back() < n) {
    const std::uint64_t i = M.size();
    M.push_back(std::min(i + 1, first) + (i < near ? 0 : M[i - near]) + (i < far ? 0 : M[i - far]));
  }
  return M.size() - 1;
}

/// D of a tree of a modules with g PUs in global groups and b - g in local trees.
std::uint64_t depth(std::uint64_t a, std::uint64_t b, std::uint64_t r, bool thin) {
  const std::uint64_t g = thin ? 2 * r : r;
  const std::uint64_t global = least(a, 1, r, thin ? 2 * r + 1 : r + 1);
  return b == g ? global + g - 1 : global + g + least(b - g, r, r, r + 1);
}

std::uint64_t steps(std::uint64_t D, std::uint64_t K, std::uint64_t r) {
  return D + K + (K + r - 1) / r - 2;
}

}  // namespace

TEST_CASE("FT, section 4: both constructions on every small hierarchical crossbar") {
  for (std::uint64_t a = 2; a <= 9; ++a) {
    for (std::uint64_t b = 1; b <= 9; ++b) {
      const auto P = static_cast<Rank>(a * b);
      for (std::uint64_t r = 1; r <= b; ++r) {
        for (const bool thin : {false, true}) {
          if (b < (thin ? 2 * r : r)) continue;
          const std::string spec = tree(r, thin ? "crossbar-thin" : "crossbar");
          for (const std::uint32_t K : {1u, 2u, 7u}) {
            const std::string fault =
                run::fault({spec, P, K, crossbar(a, b, thin ? 1 : 2), "broadcast", P / 3});
            if (!fault.empty()) FAIL_CHECK(fault);
            const std::string reversed =
                run::fault({spec, P, K, crossbar(a, b, 2, thin ? 1 : 2), "reduce", P - 1});
            if (!reversed.empty()) FAIL_CHECK(reversed);
            const std::uint64_t found = run::report({spec, P, K, crossbar(a, b)}).steps;
            const std::uint64_t formula = steps(depth(a, b, r, thin), K, r);
            const std::uint64_t slack = thin || b == r ? 0 : 1;
            if (found < formula || found > formula + slack) {
              FAIL_CHECK(spec << " on " << crossbar(a, b) << ", K = " << K << ": " << found
                              << " steps, formula " << formula);
            }
          }
        }
      }
    }
  }
}

TEST_CASE("FT, section 4: larger hierarchical crossbars") {
  for (const auto& [a, b] : std::vector<std::pair<std::uint64_t, std::uint64_t>>{
           {2, 200}, {17, 31}, {64, 64}, {100, 5}, {256, 16}}) {
    const auto P = static_cast<Rank>(a * b);
    for (const std::uint64_t r : {1u, 2u, 5u, 8u, 16u}) {
      for (const std::uint32_t K : {1u, 20u}) {
        if (r <= b) CHECK(run::fault({tree(r, "crossbar"), P, K, crossbar(a, b)}).empty());
        if (2 * r > b) continue;
        CHECK(run::fault({tree(r, "crossbar-thin"), P, K, crossbar(a, b, 1)}).empty());
      }
    }
    for (const char* layout : {"crossbar", "crossbar-thin"}) {  // without r, one that is served
      const std::string spec = fmt::format("fractional-tree:layout={}", layout);
      CHECK(run::fault({spec, P, 20, crossbar(a, b)}).empty());
    }
  }
}

TEST_CASE("FT, section 4: the paper's 256 x 64 crossbar needs two channels each way, or one in") {
  const auto congestion = [](std::uint64_t r, const char* layout, std::uint64_t in) {
    return run::report({tree(r, layout), 256 * 64, 16, crossbar(256, 64, in)}).congestion;
  };
  CHECK(run::report({tree(8, "crossbar"), 256 * 64, 1, crossbar(256, 64)}).steps == 96);
  CHECK(congestion(8, "crossbar", 2) == 2);
  CHECK(congestion(8, "crossbar-thin", 1) == 2);  // out
  CHECK(refusal({tree(8, "crossbar"), 256 * 64, 1, crossbar(256, 64, 1)}) ==
        "2 messages a step enter a module and 2 leave it");
  CHECK(refusal({tree(8, "crossbar-thin"), 256 * 64, 1, crossbar(256, 64, 1, 1)}) ==
        "1 message a step enters a module and 2 leave it");
  CHECK(refusal({tree(8, "crossbar-thin"), 256 * 64, 1, crossbar(256, 64, 1, 2), "reduce"}) ==
        "in a reduction 2 messages a step enter a module and 1 leaves it");
  CHECK(refusal({tree(33, "crossbar-thin"), 256 * 64, 1, crossbar(256, 64)}) ==
        "a module of b = 64 ranks is too small for two groups of r = 33");
}

TEST_CASE("FT, section 4: the second construction's additional depth grows with log a, not log b") {
  const auto additional = [](std::uint64_t a, std::uint64_t b, std::uint64_t r) {
    return depth(a, b, r, true) - depth(a, b, r, false);
  };
  // It is that of the paths between modules, whatever their size. Where a is not much larger than b
  // the paper's term is enough; for r = 1 and b = 2, or 4, it allows 2, or 4.
  CHECK(depth(256, 64, 8, true) == 128);
  CHECK(depth(256, 64, 8, false) == 96);
  CHECK(additional(256, 64, 8) <= (8 + 1) * 6);
  CHECK(additional(4096, 2, 1) > 2);
  CHECK(additional(65536, 4, 1) > 4);
  const std::uint64_t thin =
      run::report({tree(1, "crossbar-thin"), 8192, 1, crossbar(4096, 2)}).steps;
  CHECK(thin - run::report({tree(1, "crossbar"), 8192, 1, crossbar(4096, 2)}).steps > 2);
  // (r+1) log a is enough.
  for (std::uint64_t log_a = 1; log_a <= 16; ++log_a) {
    for (const std::uint64_t r : {1u, 2u, 4u, 8u, 16u}) {
      for (const std::uint64_t b : {2 * r, 3 * r, 100 * r}) {
        CHECK(additional(std::uint64_t{1} << log_a, b, r) <= (r + 1) * log_a);
      }
    }
  }
}

TEST_CASE("FT, figure 4: r = 2 on an 8 x 16 mesh has edge congestion one with x-y routing") {
  for (const Rank root : {0u, 15u, 112u, 127u}) {
    for (const std::uint32_t K : {1u, 2u, 3u, 40u, 41u}) {
      const run::Case c{tree(2, "mesh"), 128, K, "mesh:8x16", "broadcast", root};
      CHECK(run::fault(c).empty());
      CHECK(run::report(c).congestion == 1);
      CHECK(run::report(c).steps == steps(18, K, 2));
    }
  }
  for (const char* smaller : {"mesh:1x2", "mesh:2x4", "mesh:4x8"}) {
    const Rank P = smaller[5] == '1' ? 2 : smaller[5] == '2' ? 8 : 32;
    CHECK(run::fault({tree(2, "mesh"), P, 30, smaller}).empty());
  }
}

TEST_CASE("FT, section 4: meshes with A/r_1 = B/r_2 a power of two have constant congestion") {
  // The table of docs/embeddings.md up to k = 4: broadcast, reduce.
  struct Row {
    std::uint64_t r1, r2;
    std::uint64_t congestion[4][2];
  };
  const std::vector<Row> table{
      {1, 1, {{1, 1}, {1, 1}, {2, 2}, {2, 2}}}, {1, 2, {{1, 1}, {1, 2}, {1, 2}, {2, 2}}},
      {2, 1, {{1, 1}, {2, 2}, {2, 3}, {3, 3}}}, {2, 2, {{2, 2}, {2, 2}, {2, 3}, {3, 3}}},
      {1, 3, {{1, 1}, {1, 2}, {2, 3}, {2, 3}}}, {3, 1, {{1, 2}, {2, 3}, {2, 4}, {3, 4}}},
      {1, 4, {{1, 1}, {1, 2}, {2, 3}, {3, 3}}}, {2, 3, {{2, 2}, {2, 2}, {3, 3}, {3, 3}}},
      {3, 3, {{2, 2}, {2, 3}, {2, 3}, {3, 3}}}, {4, 4, {{2, 2}, {2, 3}, {3, 3}, {3, 3}}}};
  for (const Row& row : table) {
    for (unsigned k = 1; k <= 4; ++k) {
      const std::uint64_t m = std::uint64_t{1} << k, r = row.r1 * row.r2;
      const auto K = static_cast<std::uint32_t>(12 * k * r);
      for (const bool reduce : {false, true}) {
        const std::uint64_t expected = row.congestion[k - 1][reduce ? 1 : 0];
        const run::Case c{tree(r, "mesh"), static_cast<Rank>(m * m * r), K,
                          fmt::format("mesh:{}x{},congestion={}", m * row.r1, m * row.r2, expected),
                          reduce ? "reduce" : "broadcast"};
        const Report report = run::report(c);
        INFO(c.spec << " on " << c.machine << (reduce ? ", reduce" : ""));
        CHECK(report.verdict() == Verdict::holds);
        CHECK(report.congestion == expected);
        CHECK(report.steps == steps((2 * k + 1) * r + 2 * k - 2, K, r));
      }
    }
  }
}

TEST_CASE("FT, section 4: groups of every form on small meshes, and one group alone") {
  for (std::uint64_t r1 = 1; r1 <= 5; ++r1) {
    for (std::uint64_t r2 = 1; r2 <= 5; ++r2) {
      for (const std::uint64_t m : {1u, 2u, 4u}) {
        for (const std::uint32_t K : {1u, 2u, 7u}) {
          const auto P = static_cast<Rank>(m * m * r1 * r2);
          const std::string mesh = fmt::format("mesh:{}x{},congestion=4", m * r1, m * r2);
          for (const char* collective : {"broadcast", "reduce"}) {
            const std::string fault = run::fault({tree(r1 * r2, "mesh"), P, K, mesh, collective});
            if (!fault.empty()) FAIL_CHECK(fault);
          }
        }
      }
    }
  }
}

TEST_CASE("FT, section 4: any root of a mesh is served, at the price of its congestion") {
  for (Rank root = 0; root < 32; ++root) {
    const run::Case c{tree(2, "mesh"), 32, 9, "mesh:4x8,congestion=4", "broadcast", root};
    CHECK(run::fault(c).empty());
  }
  const auto made_for = [](const run::Case& c) {
    const auto [algorithm, request] = run::ready(c);
    return algorithm->made_for(request);
  };
  CHECK(made_for({tree(2, "mesh"), 128, 1, "mesh:8x16"}));
  CHECK_FALSE(made_for({tree(2, "mesh"), 128, 1, "mesh:8x16", "broadcast", 5}));
  CHECK_FALSE(made_for({tree(2, "mesh"), 128, 1, "mesh:8x16", "reduce"}));
  CHECK_FALSE(made_for({tree(2, "mesh"), 512, 1, "mesh:16x32"}));
  CHECK_FALSE(made_for({"fractional-tree:r=2", 128, 1, "mesh:8x16"}));
}

TEST_CASE("FT, section 4: what cannot be embedded is refused with the reason") {
  CHECK(refusal({tree(3, "mesh"), 128, 1, "mesh:8x16"}) ==
        "a 8x16 mesh has no submeshes of r_1 x r_2 ranks, r_1 r_2 = 3, with 8/r_1 = 16/r_2 a power "
        "of "
        "two");
  CHECK(refusal({tree(2, "mesh"), 128, 1, "torus:8x16"}) ==
        "layout=mesh needs a machine mesh:AxB, not torus:8x16,congestion=1");
  CHECK(refusal({tree(2, "mesh"), 128, 1, "duplex"}) ==
        "layout=mesh needs a machine mesh:AxB, not duplex");
  CHECK(refusal({tree(2, "crossbar"), 8, 1, "duplex"}) ==
        "layout=crossbar needs a crossbar, or a cluster without rails and "
        "oversubscription, not duplex");
  CHECK(refusal({tree(2, "crossbar") + ",coupled", 8, 1, "simplex"}) ==
        "couples are for simplex ranks, layouts for duplex ones");
  // Without r one is chosen; 3 x 5 has none but that of a single group.
  CHECK(run::fault({"fractional-tree:layout=mesh", 15, 4, "mesh:3x5"}).empty());
  CHECK(run::report({"fractional-tree:layout=mesh", 1024, 1, "mesh:32x32,congestion=4"}).steps ==
        steps(5 * 2 + 1 + 5 * 2 - 2, 1, 1));
}

TEST_CASE("the hierarchical allreduce: any modules, any carriers, any channels, any K") {
  for (std::uint64_t a = 1; a <= 6; ++a) {
    for (std::uint64_t b = 1; b <= 6; ++b) {
      for (std::uint64_t carriers = 1; carriers <= b; ++carriers) {
        for (const auto& [in, out] : {std::pair(1U, 1U), std::pair(2U, 1U), std::pair(3U, 3U)}) {
          for (const std::uint32_t K : {1u, 2u, 5u, 37u}) {
            const std::string fault =
                run::fault({fmt::format("hierarchical:carriers={}", carriers),
                            static_cast<Rank>(a * b), K, crossbar(a, b, in, out)});
            if (!fault.empty()) FAIL_CHECK(fault);
          }
        }
      }
    }
  }
  // With its waves it fills the channels, and no more.
  CHECK(run::report({"hierarchical", 256, 64, crossbar(16, 16, 4, 4)}).congestion == 4);
  CHECK(run::report({"hierarchical", 256, 64, crossbar(16, 16, 5, 7)}).congestion == 5);
  CHECK(run::report({"hierarchical", 256, 64, crossbar(16, 16, 4, 4)}).steps == 30 + 4 * 30);
  CHECK(run::report({"hierarchical:carriers=4", 256, 64, crossbar(16, 16, 4, 4)}).steps == 30 + 30);
  CHECK(run::fault({"hierarchical", 1000, 999, crossbar(10, 100, 7, 9)}).empty());
  CHECK(refusal({"hierarchical:carriers=5", 8, 1, crossbar(2, 4)}) ==
        "5 carriers are too many for a module of b = 4 ranks");
  CHECK(
      refusal({"hierarchical", 8, 1, "duplex"}) ==
      "it needs a machine with modules (crossbar, cluster, or a topology with groups), not duplex");
}

TEST_CASE("the hierarchical allreduce refuses the order just where it would break it") {
  std::uint64_t kept = 0, refused = 0;
  for (std::uint64_t a = 1; a <= 5; ++a) {
    for (std::uint64_t b = 1; b <= 5; ++b) {
      for (std::uint64_t carriers = 1; carriers <= b; ++carriers) {
        for (std::uint32_t K = 1; K <= 9; ++K) {
          if (a * b == 1) continue;
          const std::string spec = fmt::format("hierarchical:carriers={}", carriers);
          const run::Case c{spec, static_cast<Rank>(a * b), K, crossbar(a, b)};
          auto [algorithm, request] = run::ready(c);
          Source source = from_algorithm(*algorithm, request, spec);
          source.problem.ordered = request.problem.ordered = true;
          const bool serves = !algorithm->reason(request);
          const bool holds = check(source, request.machine).verdict() == Verdict::holds;
          ++(serves ? kept : refused);
          if (serves != holds) {
            FAIL_CHECK(spec << ", K = " << K << " on " << request.machine.spec() << ": serves "
                            << serves << ", holds " << holds);
          }
        }
      }
    }
  }
  CHECK(kept > 50);
  CHECK(refused > 50);
}

TEST_CASE("FT, section 4: embedded reductions refuse the order just where they would break it") {
  std::uint64_t kept = 0, refused = 0;
  const auto judge = [&](run::Case c) {
    c.ordered = true;
    auto [algorithm, request] = run::ready(c);
    const bool serves = !algorithm->reason(request);
    request.problem.ordered = false;
    if (algorithm->reason(request)) return;
    Source source = from_algorithm(*algorithm, request, c.spec);
    source.problem.ordered = true;
    const bool holds = check(source, request.machine).verdict() == Verdict::holds;
    ++(serves ? kept : refused);
    if (serves != holds) FAIL_CHECK(c.spec << " on " << c.machine << ", root " << c.root);
  };
  for (Rank root = 0; root < 12; ++root) {
    for (const std::uint32_t K : {1u, 4u}) {
      for (const std::uint64_t r : {1u, 2u, 3u}) {
        for (const std::uint64_t a : {1u, 2u, 3u, 4u}) {
          for (const char* layout : {"crossbar", "crossbar-thin"}) {
            judge({tree(r, layout), 12, K, crossbar(a, 12 / a), "reduce", root});
          }
        }
        judge({tree(r, "mesh"), 12, K, "mesh:2x6,congestion=4", "reduce", root});
        judge({tree(r, "mesh"), 12, K, "mesh:4x3,congestion=4", "reduce", root});
      }
    }
  }
  CHECK(kept > 0);
  CHECK(refused > 0);
}
