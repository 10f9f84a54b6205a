// Algorithms on rings and tori: several dimensions, ports and parts; whole vectors; and the steps
// of trees with two roots.

#include "catch.hpp"

#include <fmt/core.h>

#include <numeric>
#include <string>
#include <vector>

#include "run.hpp"
#include "schedcc/error.hpp"

using namespace schedcc;

namespace {

/// The steps of an algorithm that holds as it claims.
std::uint64_t steps(const run::Case& c) {
  Report report;
  const std::string fault = run::fault(c, &report);
  if (!fault.empty()) FAIL_CHECK(fault);
  return report.steps;
}

std::uint64_t volume(const run::Case& c) { return run::report(c).volume; }

Rank product(const std::vector<Rank>& sides) {
  return std::accumulate(sides.begin(), sides.end(), Rank{1}, std::multiplies<>());
}

std::string text(const std::vector<Rank>& sides) {
  std::string result;
  for (const Rank side : sides) result += (result.empty() ? "" : "x") + std::to_string(side);
  return result;
}

/// ceil(log_r n), by its definition.
std::uint64_t logarithm(std::uint64_t r, std::uint64_t n) {
  std::uint64_t result = 0;
  for (std::uint64_t power = 1; power < n; power *= r) ++result;
  return result;
}

std::string refusal(const run::Case& c) {
  const auto [algorithm, request] = run::ready(c);
  return algorithm->reason(request).value_or("");
}

}  // namespace

TEST_CASE("Swing on tori: steps and volume for 1 to 2D ports") {
  for (const std::vector<Rank>& sides : std::vector<std::vector<Rank>>{{8},
                                                                       {4, 4},
                                                                       {8, 8},
                                                                       {4, 4, 4},
                                                                       {2, 8},
                                                                       {4, 16},
                                                                       {2, 4, 8},
                                                                       {6, 4},
                                                                       {6, 6},
                                                                       {10, 4},
                                                                       {12, 6}}) {
    const Rank P = product(sides);
    std::uint64_t once = 0;
    for (const Rank side : sides) once += logarithm(2, side);
    const std::string spec = "swing:sides=" + text(sides);
    for (std::uint32_t ports = 1; ports <= 2 * sides.size(); ++ports) {
      const std::string machine = fmt::format("kport:k={}", ports);
      INFO(spec << " on " << machine);
      CHECK(steps({spec, P, ports, machine, "allgather"}) == once);
      CHECK(steps({spec, P, ports * P, machine, "allreduce"}) == 2 * once);
      if (ports == 1) CHECK(volume({spec, P, 1, machine, "reduce-scatter"}) == P - 1);
    }
  }
  CHECK(refusal({"swing:sides=3x4", 12}).find("odd") != std::string::npos);
  CHECK(refusal({"swing:sides=4x4", 12}).find("16 ranks") != std::string::npos);
}

TEST_CASE("Swing on rings of any length: an odd one has the steps of the even one below it") {
  for (Rank P = 3; P <= 128; ++P) {
    const Rank paired = P - P % 2;
    const std::uint64_t lg = logarithm(2, paired), of_last = (paired + lg - 1) / lg;
    const std::uint64_t ports = P % 2 == 0 ? 1 : std::max<std::uint64_t>(of_last, 2);
    const std::string machine = fmt::format("kport:k={}", ports);
    INFO(P << " ranks on " << machine);
    for (const char* collective : {"reduce-scatter", "allgather"}) {
      CHECK(steps({"swing", P, 1, machine, collective}) == lg);
      CHECK(volume({"swing", P, 1, machine, collective}) == paired - 1);
    }
    if (P <= 64 || P % 16 == 1) CHECK(steps({"swing", P, P, machine, "allreduce"}) == 2 * lg);
    if (P % 2 == 0) continue;
    const std::string fewer = fmt::format("kport:k={}", ports - 1);
    CHECK(refusal({"swing", P, 1, fewer}).find(fmt::format("{} ports", ports)) !=
          std::string::npos);
  }
}

TEST_CASE("Trivance on tori") {
  for (const std::vector<Rank>& sides : std::vector<std::vector<Rank>>{
           {3, 3}, {9, 9}, {3, 9}, {5, 7}, {4, 6}, {3, 3, 3}, {9, 3, 2}, {10, 5}}) {
    const Rank P = product(sides);
    std::uint64_t once = 0;
    for (const Rank side : sides) once += logarithm(3, side);
    const std::string spec = "trivance:sides=" + text(sides);
    for (std::uint32_t parts = 1; parts <= sides.size(); ++parts) {
      const std::string machine = fmt::format("kport:k={}", 2 * parts);
      INFO(spec << " on " << machine);
      CHECK(steps({spec, P, parts, machine, "reduce-scatter"}) == once);
      CHECK(steps({spec, P, parts * P, machine, "allreduce"}) == 2 * once);
    }
  }
  // For P = 3^h each port sends P/3^(k+1) blocks in step k.
  for (const Rank P : {3U, 9U, 27U, 81U})
    CHECK(volume({"trivance", P, 1, "kport:k=2", "allgather"}) == (P - 1) / 2);
  for (const Rank P : {2U, 3U, 9U, 27U})
    CHECK(run::report({"trivance:whole", P, 1, "kport:k=2"}).steps == logarithm(3, P));
  CHECK(!refusal({"trivance:whole", 6, 1, "kport:k=2"}).empty());
}

TEST_CASE("buckets on tori: every hop is one link, and no two parts meet if all sides are equal") {
  for (const std::vector<Rank>& sides : std::vector<std::vector<Rank>>{
           {4}, {3, 3}, {4, 4}, {2, 3}, {3, 5}, {3, 3, 3}, {2, 3, 4}, {5, 2}}) {
    const Rank P = product(sides);
    std::uint64_t once = 0;
    for (const Rank side : sides) once += side - 1;
    const std::string spec = "bucket:sides=" + text(sides);
    for (std::uint32_t ports = 1; ports <= 2 * sides.size(); ++ports) {
      const std::string machine = fmt::format("kport:k={}", ports);
      INFO(spec << " on " << machine);
      CHECK(steps({spec, P, ports, machine, "allgather"}) == once);
      CHECK(steps({spec, P, ports * P, machine, "allreduce"}) == 2 * once);
    }
    CHECK(volume({spec, P, 1, "duplex", "reduce-scatter"}) == P - 1);
  }
  for (const auto& [machine, P] :
       std::vector<std::pair<std::string, Rank>>{{"torus:3x3,ports=4", 9},
                                                 {"torus:4x4,ports=4", 16},
                                                 {"torus:3x5", 15},
                                                 {"torus:3x5,ports=4", 15},
                                                 {"torus:1x7,ports=2", 7}}) {
    CHECK(steps({"bucket", P, 4 * P, machine, "allreduce"}) > 0);
  }
  // Of 16 ranks each sends a quarter of 15 blocks in each direction.
  CHECK(volume({"bucket", 16, 4, "torus:4x4,ports=4", "allgather"}) == 15);
}

TEST_CASE("Bine: every even number of ranks, odd ones with more ports, and whole vectors") {
  for (Rank P = 2; P <= 48; ++P) {
    const std::uint64_t paired = P - P % 2, lg = logarithm(2, paired);
    const std::string machine = P % 2 == 0 ? "duplex" : fmt::format("kport:k={}", P);
    if (P > 2) CHECK(steps({"bine", P, 1, machine, "reduce-scatter"}) == lg);
    CHECK(steps({"bine", P, P, machine, "allreduce"}) == 2 * lg);
    const bool power = (P & (P - 1)) == 0;
    const Report whole = run::report({"bine:whole", P, 3});
    CHECK(whole.verdict() == Verdict::holds);
    CHECK(whole.steps == logarithm(2, P) + (power ? 0 : 1));
    const auto [algorithm, request] = run::ready({"bine:whole", P, 3});
    CHECK(algorithm->agrees(request) == (P < 8));
    if (power && P > 1) CHECK(volume({"bine", P, 1, "duplex", "alltoall"}) == lg * P / 2);
  }
  // Rank P - 1 of an odd number exchanges with ceil((P - 1)/lg(P - 1)) others in a step.
  CHECK(refusal({"bine", 9, 1, "kport:k=3", "allgather"}).empty());
  CHECK(refusal({"bine", 9, 1, "kport:k=2", "allgather"}).find("3 ports") != std::string::npos);
  CHECK(refusal({"bine", 9, 1, "duplex", "broadcast"}).find("odd") != std::string::npos);
}

TEST_CASE("Bine reduces to rank 0 in order for P = 2^h") {
  for (Rank P = 2; P <= 128; P *= 2) {
    run::Case c{"bine", P, 2, "duplex", "reduce"};
    c.ordered = true;
    CHECK(run::fault(c).empty());
  }
}

TEST_CASE("two roots: 4h - 7 + 3 (K - 1) steps for P = 2^h - 2, and 3 per packet for all P >= 5") {
  for (Rank h = 3; h <= 6; ++h) {
    for (std::uint32_t K = 1; K <= 5; ++K)
      CHECK(steps({"dual-root", (1U << h) - 2, K}) == 4 * h - 7 + 3 * (K - 1));
  }
  for (Rank P = 2; P <= 89; ++P) {
    const std::uint64_t more = P == 2 ? 1 : P <= 4 ? 2 : 3;
    const std::uint64_t one = steps({"dual-root", P, 1});
    for (const std::uint32_t K : {2U, 3U, 11U})
      CHECK(steps({"dual-root", P, K}) == one + (K - 1) * more);
  }
}

TEST_CASE("segments and halves: steps of Open MPI's ring, in-order tree and split tree") {
  for (Rank P = 2; P <= 19; ++P) {
    for (const std::uint32_t f : {2U, 3U, 5U}) {
      const run::Case c{fmt::format("segmented-ring:segments={}", f), P, 15 * P};
      CHECK(steps(c) == (f + 1) * (P - 1));
      CHECK(volume(c) == 2 * (P - 1) * 15);
    }
  }
  for (Rank P = 2; P <= 199; ++P) {
    run::Case c{"in-order-binary", P, 1, "duplex", "reduce", P - 1};
    c.ordered = true;
    CHECK(run::fault(c).empty());
  }
  for (Rank P = 5; P <= 129; ++P) {
    for (const std::uint32_t K : {2U, 8U, 64U}) {
      CHECK(steps({"split-binary-tree", P, K}) <= K + 2 * (logarithm(2, P) - 2) + 1);
    }
  }
}
