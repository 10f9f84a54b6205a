// The conditions on circulant schedules, checked for all ranks of many P, and for random ranks of
// large P: a rank receives what its neighbour sends, it has received what it sends, and it receives
// q different blocks in a phase.

#include "catch.hpp"

#include <algorithm>
#include <random>
#include <vector>

#include "algorithm/kernel/circulant_schedule.hpp"
#include "run.hpp"

using schedcc::Rank;
using schedcc::Report;
using schedcc::local::CirculantGraph;
using schedcc::local::CirculantSchedule;

namespace {

/// What is wrong with rank r's schedule; empty if nothing.
std::string fault(const CirculantGraph& graph, std::uint64_t r) {
  const int q = graph.q();
  const CirculantSchedule own = graph.schedule(r);
  for (int k = 0; k < q; ++k) {
    const auto at = static_cast<std::size_t>(k);
    if (graph.schedule(graph.source(r, k)).send[at] != own.recv[at] && r != 0) {
      return "its neighbour sends something else";
    }
  }
  if (r == 0) return "";
  std::vector<int> expected{own.baseblock}, received(own.recv.begin(), own.recv.begin() + q);
  for (int block = 1; block <= q; ++block) {
    if (-block != own.baseblock - q) expected.push_back(-block);
  }
  std::sort(expected.begin(), expected.end());
  std::sort(received.begin(), received.end());
  if (received != expected) return "it does not receive one new block a round";
  std::vector<int> held{own.baseblock - q};
  for (int k = 0; k < q; ++k) {
    const auto at = static_cast<std::size_t>(k);
    if (std::find(held.begin(), held.end(), own.send[at]) == held.end())
      return "it sends what it does not hold";
    held.push_back(own.recv[at]);
  }
  return "";
}

}  // namespace

TEST_CASE("circulant schedules of all ranks, P up to 1200 and around powers of two") {
  std::vector<std::uint64_t> all;
  for (std::uint64_t P = 2; P <= 1200; ++P) all.push_back(P);
  for (const std::uint64_t P : {2047u, 2048u, 2049u, 4099u, 8191u, 16385u}) all.push_back(P);
  for (const std::uint64_t P : all) {
    const CirculantGraph graph(P);
    for (std::uint64_t r = 0; r < P; ++r) {
      const std::string what = fault(graph, r);
      if (!what.empty()) FAIL("P = " << P << ", rank " << r << ": " << what);
    }
  }
}

TEST_CASE("circulant schedules of random ranks of large P") {
  std::mt19937_64 random(20260101);
  for (int round = 0; round < 60; ++round) {
    const std::uint64_t P = (std::uint64_t{1} << (20 + round % 41)) + random() % 4096 - 2048;
    const CirculantGraph graph(P);
    for (int i = 0; i < 200; ++i) {
      const std::uint64_t r = random() % P;
      const std::string what = fault(graph, r);
      if (!what.empty()) FAIL("P = " << P << ", rank " << r << ": " << what);
    }
  }
}

TEST_CASE("circulant: K - 1 + ceil(log2 P) steps, and no schedule can do better") {
  for (const Rank P : {2u, 3u, 5u, 31u, 33u, 64u, 65u, 100u, 1000u}) {
    for (const std::uint32_t K : {1u, 2u, 9u}) {
      for (const char* collective : {"broadcast", "reduce"}) {
        const Report report = run::report({"circulant", P, K, "", collective});
        CHECK(report.steps == *report.lower_bound->steps);
      }
    }
  }
}
