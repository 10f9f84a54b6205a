// Tuning: levels(m, X, Y) on machines with nodes and without, against every pair of a few
// algorithms; and their formulas.

#include "catch.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "algorithm/composition/composition.hpp"
#include "costs.hpp"
#include "schedcc/check.hpp"

using namespace costs;

namespace {

constexpr const char* some[] = {
    "ring",   "circulant", "recursive-halving", "bruck", "recursive-doubling", "binomial-tree",
    "linear", "pairwise",  "circulant-skips",   "chain", "kogge-stone",        "dissemination"};

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

namespace {

/// A machine, and the ranks of the nodes that are compared.
struct Nodes {
  const char* machine;
  Rank P;
  std::vector<Rank> nodes;
  const char* model = "levels:0=1us@50GB/s,1=4us@10GB/s";
};

const Nodes all_nodes[] = {
    {"cluster:4x3,nics=4", 12, {4}},
    {"cluster:2x4,nics=1,shared", 8, {2}},
    {"cluster:4x3,ports=3,nics=1", 12, {4}},
    {"duplex", 12, {2, 3, 4, 6}, "alpha-beta:alpha=1us,beta=10GB/s"},
    {"duplex", 4, {2}, "alpha-beta:alpha=1us,beta=10GB/s"},
    {"kport:k=3", 16, {2, 4, 8}, "alpha-beta:alpha=1us,beta=10GB/s"},
    {"bsp:h=3", 16, {4}, "bsp:l=1us,g=10GB/s,h=3"},
};

/// Checks that levels among the choices take the stated time; how many there are.
std::size_t check_levels(const std::vector<Choice>& choices, const TuneRequest& asked,
                         std::uint64_t bytes) {
  std::size_t levels = 0;
  for (const Choice& choice : choices) {
    if (!has_levels(choice)) continue;
    ++levels;
    const auto own = seconds(choice.spec.name, asked.problem.collective, asked.problem.ranks,
                             choice.chunks, *asked.machine, asked.model, bytes);
    INFO(choice.spec.name << " on " << *asked.machine << ", " << bytes << " bytes");
    REQUIRE(own);
    CHECK(close(*own, choice.seconds));
  }
  return levels;
}

}  // namespace

TEST_CASE("no levels(X, Y) of a few algorithms is faster than the best that tune finds") {
  std::size_t compared = 0, levels = 0;
  for (const auto& [machine, P, nodes, model] : all_nodes) {
    for (const Collective collective :
         {Collective::allreduce, Collective::broadcast, Collective::reduce, Collective::allgather,
          Collective::reduce_scatter, Collective::alltoall, Collective::scatter, Collective::gather,
          Collective::scan, Collective::barrier}) {
      const TuneRequest asked = request(collective, P, machine, make_cost_model(model));
      for (std::uint64_t bytes : {std::uint64_t{960}, std::uint64_t{960000}}) {
        if (info(collective).tokens) bytes = 0;
        const auto choices = Tuner(asked).choices(bytes);
        REQUIRE(!choices.empty());
        levels += check_levels(choices, asked, bytes);
        for (const Rank m : nodes) {
          for (const char* x : some) {
            for (const char* y : some) {
              for (const std::uint32_t K : {1u, m, P}) {
                if (info(collective).in_blocks() && K > 1) continue;
                for (const char* how : {"", ", leaders"}) {
                  const std::string text = fmt::format("levels({}, {}, {}{})", m, x, y, how);
                  const auto other = seconds(text, collective, P, K, machine, asked.model, bytes);
                  if (!other) continue;
                  ++compared;
                  INFO(text << " on " << machine << ", K " << K << ", " << bytes << " bytes");
                  CHECK(choices.front().seconds <= *other * (1 + 1e-9));
                }
              }
            }
          }
        }
      }
    }
  }
  CHECK(compared > 500);
  CHECK(levels > 20);
}

TEST_CASE("few ranks that reduce first leave less to all on a machine without nodes") {
  const CostModel model = make_cost_model("alpha-beta:alpha=10us,beta=12.5GB/s");
  for (const Rank P : {64u, 96u, 1000u}) {
    TuneRequest asked = request(Collective::allreduce, P, "duplex", model);
    asked.algorithms.push_back({"recexch", {}});
    const auto best = Tuner(asked).best(125'000);
    REQUIRE(best);
    INFO(best->spec.text());
    CHECK(has_levels(*best));
    asked.compositions = false;
    CHECK(best->seconds < 0.95 * Tuner(asked).best(125'000)->seconds);
  }
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
  const auto scans = level_decompositions(problem, 4);
  REQUIRE(scans.size() == 1);
  REQUIRE(scans[0].parts.size() == 2);
  CHECK(scans[0].parts[0].problem.ranks == 3);
  CHECK(scans[0].parts[1].problem.ranks == 3);  // the last one of each node has its result
  CHECK(scans[0].parts[1].within);
  problem.collective = Collective::exscan;
  const auto below = level_decompositions(problem, 4);
  REQUIRE(below.size() == 1);
  REQUIRE(below[0].parts.size() == 2);  // of scans; the step to the next rank is neither X nor Y
  for (const LevelPart& part : below[0].parts) CHECK(part.problem.collective == Collective::scan);
  problem.collective = Collective::scatter;
  const auto scatters = level_decompositions(problem, 4);
  REQUIRE(scatters.size() == 2);
  CHECK(!scatters[0].ambiguous);
  CHECK(scatters[1].ambiguous);  // both are a scatter within nodes
}

TEST_CASE("tune searches levels by the groups of every level, and levels in levels") {
  const CostModel model = make_cost_model("levels:0=1us@100GB/s,1=2us@20GB/s,2=4us@5GB/s");
  for (const char* machine : {"cluster:2x2x2,nics=2", "cluster:2x3x2,nics=2"}) {
    const Rank P = machine[10] == '2' ? 8 : 12;
    const Rank m = P / 2;
    for (const Collective collective :
         {Collective::allreduce, Collective::allgather, Collective::reduce_scatter}) {
      for (const std::uint64_t bytes : {std::uint64_t{960}, std::uint64_t{960000}}) {
        const auto choices = Tuner(request(collective, P, machine, model)).choices(bytes);
        REQUIRE(!choices.empty());
        std::size_t compared = 0;
        for (const char* x : {"ring", "circulant-skips"}) {
          for (const char* y : {"ring", "circulant-skips"}) {
            for (const char* z : {"ring", "circulant-skips"}) {
              for (const std::string& text :
                   {fmt::format("levels({}, levels(2, {}, {}), {})", m, x, y, z),
                    fmt::format("levels({}, {}, {})", m, x, y),
                    fmt::format("levels({}, {}, {}) ", 2, x, y)}) {
                const auto other =
                    seconds(text, collective, P, info(collective).in_blocks() ? 1 : P, machine,
                            model, bytes);
                if (!other) continue;
                ++compared;
                INFO(text << " on " << machine << ", " << bytes << " bytes");
                CHECK(choices.front().seconds <= *other * (1 + 1e-9));
              }
            }
          }
        }
        CHECK(compared > 0);
      }
    }
  }
}

TEST_CASE("no levels between nodes are faster than the best that tune finds") {
  const CostModel model = make_cost_model("levels:0=2us@300GB/s,1=5us@50GB/s");
  const char* const machine = "cluster:2x8,nics=2";
  std::size_t compared = 0;
  for (const Collective collective :
       {Collective::allreduce, Collective::allgather, Collective::alltoall}) {
    for (const std::uint64_t bytes : {std::uint64_t{2048}, std::uint64_t{1} << 20}) {
      const auto best = Tuner(request(collective, 16, machine, model)).best(bytes);
      REQUIRE(best);
      for (const char* x : {"ring", "bruck", "recursive-doubling", "circulant-skips"}) {
        for (const char* y : {"ring", "bruck", "recursive-doubling", "circulant-skips"}) {
          for (const int m : {2, 4}) {
            const std::string text = fmt::format("levels(2, {0}, levels({1}, {0}, {2}))", x, m, y);
            for (const std::uint32_t K : {1u, 8u, 16u}) {
              const auto other = seconds(text, collective, 16, K, machine, model, bytes);
              if (!other) continue;
              ++compared;
              INFO(best->spec.text() << " against " << text << " with " << K << " chunks");
              CHECK(best->seconds <= *other * (1 + 1e-9));
            }
          }
        }
      }
    }
  }
  CHECK(compared > 20);
}

TEST_CASE("barriers, scans and alltoalls have a choice where ranks share links") {
  const CostModel model = make_cost_model("alpha-beta:alpha=1us,beta=1GB/s");
  for (const char* machine : {"cluster:4x4", "cluster:2x8", "cluster:2x4x2",
                              "crossbar:a=4,b=4,in=1,"
                              "out=1",
                              "torus:4x4"}) {
    for (const Collective collective :
         {Collective::barrier, Collective::scan, Collective::alltoall}) {
      if (collective != Collective::barrier && std::string_view(machine) == "torus:4x4") continue;
      const std::uint64_t bytes = info(collective).tokens ? 0 : 4096;
      const auto choices = Tuner(request(collective, 16, machine, model)).choices(bytes);
      INFO(info(collective).name << " on " << machine);
      REQUIRE(!choices.empty());
      for (const Choice& choice : choices) {
        const auto own =
            seconds(choice.spec.text(), collective, 16, choice.chunks, machine, model, bytes);
        REQUIRE(own);
        CHECK(close(*own, choice.seconds));
      }
    }
  }
}

TEST_CASE("scans have levels in levels only where nodes divide what they leave") {
  const CostModel model = make_cost_model("levels:0=1us@100GB/s,1=3us@10GB/s");
  for (const Collective collective : {Collective::scan, Collective::exscan}) {
    for (const auto& [machine, P] : {std::pair{"cluster:2x8,nics=1,shared", Rank{16}},
                                     {"cluster:2x12,ports=2,nics=1", 24},
                                     {"cluster:2x2x4,nics=2", 16}}) {
      const auto best = Tuner(request(collective, P, machine, model)).best(4096);
      REQUIRE(best);
      const auto own = seconds(best->spec.name, collective, P, best->chunks, machine, model, 4096);
      INFO(best->spec.text() << " on " << machine);
      REQUIRE(own);
      CHECK(close(*own, best->seconds));
    }
  }
}

TEST_CASE("there are no levels with one node, or of a prime number of ranks") {
  const CostModel model = make_cost_model("alpha-beta:alpha=1us,beta=1GB/s");
  const auto best_is_plain = [&](Rank P, const char* machine) {
    for (const Choice& choice :
         Tuner(request(Collective::allreduce, P, machine, model)).choices(4096))
      CHECK(!has_levels(choice));
  };
  best_is_plain(8, "cluster:8x1,nics=8");
  best_is_plain(13, "duplex");
}

TEST_CASE("the formula of levels is the time of all stages, also of those that are alike") {
  const CostModel model = make_cost_model("alpha-beta:alpha=1us,beta=1ns/B");
  const std::vector<std::pair<Collective, std::string>> all{
      {Collective::broadcast, "chain, chain, leaders"},
      {Collective::reduce, "linear, linear, leaders"},
      {Collective::scan, "kogge-stone, kogge-stone"},
      {Collective::scatter, "binomial-tree, binomial-tree"},
      {Collective::gather, "linear, linear, leaders"},
      {Collective::allgather, "ring, ring"}};
  for (const auto& [collective, parts] : all) {
    for (Rank m = 2; m <= 5; ++m) {
      for (Rank n = 2; n <= 5; ++n) {
        Problem problem;
        problem.collective = collective;
        problem.ranks = m * n;
        problem.chunks = 4;
        const std::string text = fmt::format("levels({}, {})", m, parts);
        const std::uint64_t bytes = 480 * m * n;
        const auto formulas = time_formulas(algorithm_spec(text), problem,
                                            make_machine("duplex", m * n), model, bytes);
        INFO(text << ", " << m * n << " ranks");
        REQUIRE(formulas.size() == 1);
        const auto own = seconds(text, collective, m * n, 4, "duplex", model, bytes);
        REQUIRE(own);
        CHECK(close(formulas[0].seconds, *own));
      }
    }
  }
}
