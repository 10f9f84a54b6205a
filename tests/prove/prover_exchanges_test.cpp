// Exchanges of halves for every number of ranks: who plays two roles, and that the schedules found
// hold and take the steps of the bound.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "prove/sat/exchange/exchange_parts.hpp"
#include "prove/sat/exchange/exchange_windows.hpp"
#include "proving.hpp"

using namespace proving;

namespace {

/// The least 2^q that is at least P.
std::uint64_t power_from(std::uint64_t P) {
  std::uint64_t result = 1;
  while (result < P) result *= 2;
  return result;
}

/// K - 1 + ceil(log2 P): the holders of the last packet double at most, from step K - 1 on.
std::uint64_t fewest_steps(std::uint64_t P, std::uint64_t K) {
  std::uint64_t result = K - 1;
  for (std::uint64_t holders = 1; holders < P; holders *= 2) ++result;
  return result;
}

std::string spec(bool mesh, std::uint64_t rows, std::uint64_t columns) {
  const std::string a = std::to_string(rows), b = std::to_string(columns);
  return mesh ? "mesh:" + a + "x" + b : "crossbar:a=" + a + ",b=" + b;
}

Question asked_on(Collective collective, bool mesh, std::uint64_t rows, std::uint64_t columns,
                  std::uint32_t K, std::uint64_t root, std::uint64_t steps) {
  const auto P = static_cast<Rank>(rows * columns);
  return question(Problem{collective, P, static_cast<Rank>(root % P), K, false, nullptr},
                  spec(mesh, rows, columns), steps);
}

/// The schedule that exchange_windows finds within a minute; it has passed the checker.
std::shared_ptr<const Schedule> exchanged(const Question& asked, const RankRows& rows) {
  return found_by(asked, [&](const CopyQuestion& copies, const auto&... how) {
    return exchange_windows(copies.instance, copies.chunks, rows, how...);
  });
}

}  // namespace

TEST_CASE("prove: parts of exchanges have 2^q roles together") {
  for (std::uint64_t rows = 1; rows <= 9; ++rows) {
    for (std::uint64_t columns = 1; columns <= 10; ++columns) {
      const std::uint64_t P = rows * columns, twice = power_from(P) - P;
      for (std::uint64_t root = 0; root < P; ++root) {
        for (const bool grid : {false, true}) {
          INFO(rows << " x " << columns << ", root " << root << (grid ? ", mesh" : ""));
          const auto parts = exchange_parts({rows, columns, grid, false}, static_cast<Rank>(root));
          const std::uint64_t size = grid ? 4 : columns;
          const bool winding = grid && (rows % 2 != 0 || columns % 2 != 0);
          if (!parts) {
            // A part is neither a rank nor all of them.
            CHECK((winding ? P <= 4 : size == 1 || size >= P));
            continue;
          }
          if (!winding) CHECK(P / size == parts->parts);
          REQUIRE(parts->part.size() == P);
          CHECK_FALSE(parts->twice[root]);
          CHECK(static_cast<std::uint64_t>(std::ranges::count(parts->twice, true)) == twice);
          std::uint64_t all = 0;
          for (const std::uint64_t roles : parts->roles()) {
            if (grid) CHECK((roles % 2 == 0 && roles >= 4 && roles <= 8));
            all += roles;
          }
          CHECK(all == P + twice);
          for (std::size_t part = 0; part < parts->parts; ++part) {
            const auto ranks = std::ranges::count(parts->part, part);
            CHECK((winding ? ranks >= 2 && ranks <= 4 : static_cast<std::uint64_t>(ranks) == size));
          }
        }
      }
    }
  }
}

TEST_CASE("prove: modules have roles of which few labels must leave them") {
  const auto roles = [](std::uint64_t modules, std::uint64_t size) {
    auto result = exchange_parts({modules, size, false, false}, 0)->roles();
    std::ranges::sort(result);
    return result;
  };
  using Roles = std::vector<std::uint64_t>;
  CHECK(roles(3, 13) == Roles{16, 24, 24});
  CHECK(roles(3, 7) == Roles{8, 12, 12});
  CHECK(roles(3, 16) == Roles{16, 16, 32});
  for (std::uint64_t modules = 2; modules <= 16; modules *= 2) {
    for (std::uint64_t size = 2; modules * size <= 64; ++size) {
      CHECK(roles(modules, size) == Roles(modules, power_from(size)));
    }
  }
}

TEST_CASE("prove: exchanges on modules and meshes of any number of ranks meet the bound") {
  if (no_solver()) return;
  struct Case {
    bool mesh;
    std::uint64_t rows, columns;
  };
  const std::vector<Case> cases = {{false, 3, 4}, {false, 3, 8}, {false, 5, 4}, {false, 3, 9},
                                   {false, 6, 6}, {false, 7, 4}, {false, 4, 6}, {false, 10, 3},
                                   {false, 6, 5}, {true, 4, 4},  {true, 4, 6},  {true, 6, 6},
                                   {true, 4, 8},  {true, 6, 8},  {true, 3, 4},  {true, 3, 5}};
  for (const auto& [mesh, rows, columns] : cases) {
    for (const std::uint32_t K : {1U, 3U, 8U}) {
      const std::uint64_t steps = fewest_steps(rows * columns, K);
      const Collective collective = K == 3 ? Collective::reduce : Collective::broadcast;
      Question asked = asked_on(collective, mesh, rows, columns, K, 5 * K + 2, steps);
      INFO(describe(asked));
      CHECK(counted_bound(asked).steps == steps);
      CHECK(exchanged(asked, {rows, columns, mesh, false}));
      --asked.steps;
      CHECK_FALSE(exchanged(asked, {rows, columns, mesh, false}));
    }
  }
}

TEST_CASE("prove: exchanges on tori meet the bound, also on thin ones") {
  if (no_solver()) return;
  const struct {
    std::uint64_t rows, columns;
    std::uint32_t K;
  } cases[] = {{2, 14, 4}, {2, 14, 8}, {3, 9, 3}, {5, 5, 8}, {6, 6, 7}, {4, 11, 6}, {7, 9, 2}};
  for (const auto& [rows, columns, K] : cases) {
    const auto P = static_cast<Rank>(rows * columns);
    const std::string torus = "torus:" + std::to_string(rows) + "x" + std::to_string(columns);
    const Problem problem{
        Collective::broadcast, P, static_cast<Rank>(5 * K % P), K, false, nullptr};
    Question asked = question(problem, torus, fewest_steps(P, K));
    INFO(describe(asked));
    CHECK(counted_bound(asked).steps == asked.steps);
    CHECK(exchanged(asked, {rows, columns, true, true}));
    --asked.steps;
    CHECK_FALSE(exchanged(asked, {rows, columns, true, true}));
  }
}

TEST_CASE("prove: exchanges on long meshes and tori meet the bound") {
  if (no_solver()) return;
  const struct {
    bool torus;
    std::uint64_t rows, columns, root;
    std::uint32_t K;
  } cases[] = {{false, 2, 13, 0, 8}, {false, 2, 13, 6, 5}, {false, 13, 2, 25, 4},
               {false, 2, 16, 0, 3}, {false, 3, 13, 0, 8}, {false, 2, 11, 7, 12},
               {true, 2, 20, 0, 8},  {true, 20, 2, 9, 4}};
  for (const auto& [torus, rows, columns, root, K] : cases) {
    const auto P = static_cast<Rank>(rows * columns);
    const Problem problem{Collective::broadcast, P, static_cast<Rank>(root), K, false, nullptr};
    const std::string machine =
        (torus ? "torus:" : "mesh:") + std::to_string(rows) + "x" + std::to_string(columns);
    const Question asked = question(problem, machine, fewest_steps(P, K));
    INFO(describe(asked));
    CHECK(counted_bound(asked).steps == asked.steps);
    CHECK(exchanged(asked, {rows, columns, true, torus}));
  }
}

TEST_CASE("prove: exchanges of few and of many packets have a beginning and an end") {
  if (no_solver()) return;
  for (const auto& [rows, columns] : {std::pair(3, 3), {3, 4}, {2, 8}, {4, 3}, {4, 5}}) {
    for (std::uint32_t K = 1; K <= 12; ++K) {
      for (const bool mesh : {false, true}) {
        const auto a = static_cast<std::uint64_t>(rows), b = static_cast<std::uint64_t>(columns);
        const Question asked = asked_on(Collective::broadcast, mesh, a, b, K, std::uint64_t{7} * K,
                                        fewest_steps(a * b, K));
        INFO(describe(asked));
        CHECK(exchanged(asked, {a, b, mesh, false}));
      }
    }
  }
}

TEST_CASE("prove: the definition alone has no schedule with fewer steps than exchanges") {
  if (no_solver()) return;
  for (std::uint64_t rows = 2; rows <= 3; ++rows) {
    for (std::uint64_t columns = 2; rows * columns <= 6; ++columns) {
      for (std::uint32_t K = 1; K <= 2; ++K) {
        for (std::uint64_t root = 0; root < rows * columns; ++root) {
          Question asked = asked_on(Collective::broadcast, false, rows, columns, K, root,
                                    fewest_steps(rows * columns, K));
          INFO(describe(asked));
          CHECK(exchanged(asked, {rows, columns, false, false}));
          --asked.steps;
          CHECK(decide(asked, first_solver(), {}, Hints::none()).answer == Answer::unsat);
        }
      }
    }
  }
}

TEST_CASE("prove: other questions have no exchanges of halves") {
  if (no_solver()) return;
  const RankRows modules{2, 4, false, false};
  const auto on = [](Collective collective, const std::string& machine) {
    return question(collective, 8, 2, machine, 9);
  };
  CHECK(exchanged(on(Collective::broadcast, "duplex"), modules));
  CHECK(exchanged(on(Collective::reduce, "duplex"), modules));
  CHECK_FALSE(exchanged(on(Collective::broadcast, "simplex"), modules));
  CHECK_FALSE(exchanged(on(Collective::broadcast, "kport:k=2"), modules));
  CHECK_FALSE(exchanged(on(Collective::scatter, "duplex"), modules));
  CHECK_FALSE(exchanged(on(Collective::allgather, "duplex"), modules));
  CHECK_FALSE(exchanged(on(Collective::broadcast, "duplex"), {4, 4, false, false}));
  CHECK_FALSE(exchanged(on(Collective::broadcast, "duplex"), {1, 8, false, false}));
}
