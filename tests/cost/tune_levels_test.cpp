// Tuning: levels(m, X, Y) on machines with nodes, against every pair of a few algorithms.

#include "catch.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/core.h>

#include "algorithm/composition/composition.hpp"
#include "costs.hpp"
#include "schedcc/check.hpp"

using namespace costs;

namespace {

constexpr const char* some[] = {
    "ring",          "circulant", "recursive-halving", "bruck",           "recursive-doubling",
    "binomial-tree", "linear",    "pairwise",          "circulant-skips", "chain"};

TuneRequest request(Collective collective, Rank P, const std::string& machine,
                    const CostModel& model) {
  TuneRequest r;
  r.problem.collective = collective;
  r.problem.ranks = P;
  r.machine = machine;
  r.model = model;
  r.compositions = true;
  for (const char* name : some) r.algorithms.push_back({name, {}});
  return r;
}

bool has_levels(const Choice& choice) { return choice.spec.name.starts_with("levels("); }

/// The synchronous time of a composition that holds; none of others.
std::optional<double> seconds(const std::string& text, Collective collective, Rank P,
                              std::uint32_t K, const std::string& machine, const CostModel& model,
                              std::uint64_t bytes) {
  Problem problem;
  problem.collective = collective;
  problem.ranks = P;
  problem.chunks = K;
  try {
    const Source source = from_algorithm(text, problem, machine);
    const Machine on = make_machine(machine, P);
    if (check(source, on).verdict() != Verdict::holds) return std::nullopt;
    return cost(source, on, model, {bytes}).seconds;
  } catch (const InputError&) {
    return std::nullopt;
  }
}

}  // namespace

TEST_CASE("no levels(X, Y) of a few algorithms is faster than the best that tune finds") {
  const CostModel model = make_cost_model("levels:0=1us@50GB/s,1=4us@10GB/s");
  std::size_t compared = 0, levels = 0;
  for (const char* machine : {"cluster:4x3,nics=4", "cluster:2x4,nics=1,shared"}) {
    const Rank P = machine[8] == '4' ? 12 : 8, m = machine[8] == '4' ? 4 : 2;
    for (const Collective collective :
         {Collective::allreduce, Collective::broadcast, Collective::reduce, Collective::allgather,
          Collective::reduce_scatter, Collective::alltoall}) {
      for (const std::uint64_t bytes : {std::uint64_t{960}, std::uint64_t{960000}}) {
        const auto choices = Tuner(request(collective, P, machine, model)).choices(bytes);
        REQUIRE(!choices.empty());
        for (const Choice& choice : choices) {
          if (!has_levels(choice)) continue;
          ++levels;
          const auto own =
              seconds(choice.spec.name, collective, P, choice.chunks, machine, model, bytes);
          INFO(choice.spec.name << " on " << machine << ", " << bytes << " bytes");
          REQUIRE(own);
          CHECK(close(*own, choice.seconds));
        }
        for (const char* x : some) {
          for (const char* y : some) {
            for (const std::uint32_t K : {1u, m, P}) {
              if (info(collective).blocks > 0 && K > 1) continue;
              const auto other = seconds(fmt::format("levels({}, {})", x, y), collective, P, K,
                                         machine, model, bytes);
              if (!other) continue;
              ++compared;
              INFO("levels(" << x << ", " << y << ") on " << machine << ", K " << K << ", " << bytes
                             << " bytes");
              CHECK(choices.front().seconds <= *other * (1 + 1e-9));
            }
          }
        }
      }
    }
  }
  CHECK(compared > 100);
  CHECK(levels > 20);
}

TEST_CASE("the parts of levels follow from their stages") {
  Problem problem;
  problem.collective = Collective::allreduce;
  problem.ranks = 12;
  const auto ways = level_decompositions(problem, 4);
  REQUIRE(ways.size() == 2);
  CHECK(!ways[0].leaders);
  CHECK(ways[1].leaders);
  REQUIRE(ways[0].parts.size() == 3);
  // Of 12 chunks: 3 a block within, 3 of a vector on each rail.
  CHECK(ways[0].parts[0].problem.collective == Collective::reduce_scatter);
  CHECK(ways[0].parts[0].problem.ranks == 4);
  CHECK(ways[0].parts[0].problem.chunks == 3);
  CHECK(ways[0].parts[1].problem.ranks == 3);
  CHECK(ways[0].parts[1].problem.chunks == 3);
  CHECK(!ways[0].parts[1].within);
  CHECK(ways[1].parts[1].problem.chunks == 12);
  problem.collective = Collective::scan;
  CHECK(level_decompositions(problem, 4).empty());
}

TEST_CASE("there are no levels without nodes, or with one of them") {
  const CostModel model = make_cost_model("alpha-beta:alpha=1us,beta=1GB/s");
  for (const char* machine : {"duplex", "kport:k=2", "cluster:8x1,nics=8"}) {
    for (const Choice& choice :
         Tuner(request(Collective::allreduce, 8, machine, model)).choices(4096))
      CHECK(!has_levels(choice));
  }
}
