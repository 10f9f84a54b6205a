// Packed trees and breadth-first broadcasts on networks of links: the optimum against all cuts, the
// trees against the links' capacities, and every schedule against the checks and its bounds.

#include <fmt/core.h>

#include <map>
#include <numeric>
#include <random>

#include "algorithm/forest/bfb_fractions.hpp"
#include "algorithm/forest/schedule.hpp"
#include "algorithm/forest/trees.hpp"
#include "analysis/bounds.hpp"
#include "catch.hpp"
#include "networks_of_links.hpp"
#include "ranges.hpp"
#include "run.hpp"
#include "schedcc/error.hpp"

using namespace schedcc;
using namespace networks_of_links;

namespace {

std::vector<Rank> all_ranks(const LinkNetwork& n) {
  std::vector<Rank> all(n.ranks);
  std::iota(all.begin(), all.end(), Rank{0});
  return all;
}

LinkNetwork star(Rank P) {
  LinkNetwork result{"forest-star", P, 1, {}};
  for (Rank v = 0; v < P; ++v) both(result, v, P);
  return result;
}

/// Two boxes of two ranks at a switch each; each rank is linked with a switch between the boxes.
LinkNetwork boxes(std::uint64_t inner) {
  LinkNetwork result{"forest-boxes" + std::to_string(inner) + "-", 4, 3, {}};
  for (Rank v = 0; v < 4; ++v) {
    both(result, v, 4 + v / 2, inner);
    both(result, v, 6);
  }
  return result;
}

LinkNetwork complete(Rank P) {
  LinkNetwork result{"forest-complete", P, 0, {}};
  for (Rank u = 0; u < P; ++u) {
    for (Rank v = u + 1; v < P; ++v) both(result, u, v);
  }
  return result;
}

LinkNetwork petersen() {
  LinkNetwork result{"petersen", 10, 0, {}};
  for (Rank v = 0; v < 5; ++v) {
    both(result, v, (v + 1) % 5);
    both(result, v, v + 5);
    both(result, v + 5, (v + 2) % 5 + 5);
  }
  return result;
}

LinkNetwork bipartite(Rank half) {
  LinkNetwork result{"bipartite", 2 * half, 0, {}};
  for (Rank u = 0; u < half; ++u) {
    for (Rank v = half; v < 2 * half; ++v) both(result, u, v);
  }
  return result;
}

LinkNetwork directed_ring(Rank P) {
  LinkNetwork result{"forest-directed", P, 0, {}};
  for (Rank v = 0; v < P; ++v) result.links.push_back({v, (v + 1) % P, 1});
  return result;
}

struct Optimum {
  LinkNetwork network;
  Fraction ratio;
};

/// The figures of algorithms-2, 18.
std::vector<Optimum> printed() {
  return {{directed_ring(5), {4, 1}},
          {circulant(4, {1}, "forest-ring"), {3, 2}},
          {circulant(5, {1}, "forest-ring"), {2, 1}},
          {hypercube(3, "forest-cube"), {7, 3}},
          {complete(4), {1, 1}},
          {torus({2, 3}, "forest-torus"), {5, 3}},
          {star(4), {3, 1}},
          {boxes(10), {1, 1}},
          {boxes(3), {1, 1}}};
}

/// Are the trees of the forest spanning ones, k of each source, that fit the links?
void check_trees(const LinkNetwork& n, const std::vector<Rank>& sources) {
  const LinkGraph graph = n.graph();
  const Forest made = forest(graph, sources, true);
  std::map<std::pair<Rank, Rank>, std::uint64_t> used;
  std::map<Rank, std::uint64_t> copies;
  for (const ForestTree& tree : made.trees) {
    copies[tree.root] += tree.copies;
    std::vector<bool> reached(graph.nodes);
    reached[tree.root] = true;
    for (const auto& [from, to, before, depth] : tree.hops) {
      CHECK(reached[from]);
      CHECK_FALSE(reached[to]);
      CHECK(before == (from == tree.root ? ForestTree::none : before));
      if (before != ForestTree::none) CHECK(tree.hops[before].to == from);
      reached[to] = true;
      used[{from, to}] += tree.copies;
    }
    for (Rank v = 0; v < n.ranks; ++v) CHECK(reached[v]);
  }
  for (const Rank r : sources) CHECK(copies[r] == made.k);
  for (const auto& link : graph.links) {
    const std::uint64_t room = link.capacity / made.g * made.ratio.numerator;
    CHECK(used[{link.from, link.to}] <= room);
    used.erase({link.from, link.to});
  }
  CHECK(used.empty());
}

/// All collectives hold, in the steps that the pipeline is claimed to take, and above the bounds.
void check_schedules(const LinkNetwork& n, const std::vector<std::uint32_t>& chunks) {
  for (const char* collective :
       {"allgather", "reduce-scatter", "allreduce", "broadcast", "reduce"}) {
    for (const std::uint32_t K : chunks) {
      const run::Case c{"forest", n.ranks, K, n.machine(), collective, n.ranks - 1};
      Report report;
      const std::string fault = run::fault(c, &report);
      if (!fault.empty()) FAIL_CHECK(fault);
      REQUIRE(report.lower_bound);
      CHECK(report.steps >= *report.lower_bound->steps);
      const auto [algorithm, request] = run::ready(c);
      CHECK(report.steps == algorithm->claim(request).steps);
    }
  }
}

}  // namespace

TEST_CASE("the bottleneck is that of the narrowest of all cuts, and the printed one") {
  for (const auto& [network, ratio] : printed()) {
    CHECK(bottleneck(network.graph(), all_ranks(network)) == ratio);
    CHECK(narrowest(network.graph(), all_ranks(network)) == ratio);
  }
  std::mt19937_64 random(18);
  std::map<std::uint64_t, int> seen;
  for (int i = 0; i < ranges::part(200, 2000); ++i) {
    const LinkNetwork n = eulerian(6, 2, random, "none");
    for (const bool backwards : {false, true}) {
      const LinkGraph graph = backwards ? reversed(n.graph()) : n.graph();
      CHECK(bottleneck(graph, all_ranks(n)) == narrowest(graph, all_ranks(n)));
      const std::vector<Rank> root{static_cast<Rank>(random() % n.ranks)};
      CHECK(bottleneck(graph, root) == narrowest(graph, root));
    }
    ++seen[bottleneck(n.graph(), all_ranks(n))->denominator];
  }
  CHECK(seen.size() > 3);
}

TEST_CASE("the bottleneck of any graph: also without balance, and of parts without a link") {
  std::mt19937_64 random(19);
  std::uint64_t none = 0;
  for (int i = 0; i < 300; ++i) {
    LinkNetwork n{"none", static_cast<Rank>(2 + random() % 4), static_cast<int>(random() % 3), {}};
    const Rank nodes = n.ranks + static_cast<Rank>(n.switches);
    for (Rank u = 0; u < nodes; ++u) {
      for (Rank v = 0; v < nodes; ++v)
        if (u != v && random() % 2 == 0) n.links.push_back({u, v, 1 + random() % 3});
    }
    const auto found = bottleneck(n.graph(), all_ranks(n));
    none += found ? 0 : 1;
    CHECK(found.value_or(Fraction{0, 1}) == narrowest(n.graph(), all_ranks(n)));
  }
  CHECK(none > 10);
  CHECK(none < 290);
}

TEST_CASE("trees span all ranks, as many of each root, within the capacities of the links") {
  for (const auto& [network, ratio] : printed()) {
    check_trees(network, all_ranks(network));
    check_trees(network, {1});
  }
  std::mt19937_64 random(20);
  for (int i = 0; i < ranges::part(60, 600); ++i) {
    const LinkNetwork n = eulerian(6, 3, random, "none");
    check_trees(n, all_ranks(n));
    check_trees(n, {static_cast<Rank>(random() % n.ranks)});
  }
}

TEST_CASE("a forest is a pipeline with a period: every collective, through every check") {
  for (const auto& [network, ratio] : printed()) check_schedules(network, {1, 2, 3, 7});
  std::mt19937_64 random(21);
  for (int i = 0; i < ranges::part(12, 120); ++i) {
    const LinkNetwork n = eulerian(5, 2, random, "forest-random" + std::to_string(i) + "-");
    check_schedules(n, {1, 1 + static_cast<std::uint32_t>(random() % 12)});
  }
}

TEST_CASE("a forest takes at most p (ceil(K/q) + h - 1) steps, K p/q in the limit") {
  std::mt19937_64 random(22);
  for (int i = 0; i < ranges::part(40, 400); ++i) {
    const LinkNetwork n = eulerian(6, 2, random, "none");
    const auto made = forest_plan(n.graph(), all_ranks(n), true);
    const auto [p, q] = made->forest.ratio;
    std::uint64_t h = 0;
    for (const ForestTree& tree : made->forest.trees) {
      for (const auto& hop : tree.hops) h = std::max<std::uint64_t>(h, hop.depth);
    }
    for (const std::uint32_t K : {1u, 2u, 5u, 24u, 120u}) {
      const std::uint64_t steps = made->schedule.steps([&](Rank r) { return Run{r * K, K}; });
      CHECK(steps <= p * ((K + q - 1) / q + h - 1));
      CHECK(steps * q >= p * K);
    }
  }
}

TEST_CASE("what has no packing of trees is refused, with the reason") {
  const auto why = [](const LinkNetwork& n, const char* spec, const char* collective) {
    const auto [algorithm, request] = run::ready({spec, n.ranks, 1, n.machine(), collective});
    return algorithm->reason(request).value_or("served");
  };
  LinkNetwork unbalanced = star(3);
  unbalanced.name = "forest-unbalanced";
  unbalanced.links[0].capacity = 2;
  CHECK(why(unbalanced, "forest", "allgather") ==
        "on a network with switches it needs the same capacity into and out of each node (an "
        "Eulerian graph); rank 0 has 1 in and 2 out");
  LinkNetwork oneway{"forest-oneway", 3, 0, {{0, 1, 1}, {1, 0, 1}, {1, 2, 1}}};
  CHECK(why(oneway, "forest", "allgather") == "rank 0 cannot be reached from rank 2");
  CHECK(why(oneway, "forest", "reduce") == "rank 0 cannot be reached from rank 2");
  CHECK(why(oneway, "forest", "broadcast") == "served");
  CHECK(why(oneway, "bfb", "allreduce") == "rank 0 cannot be reached from rank 2");
  CHECK(why(star(4), "bfb", "allgather").ends_with("has switches"));
  CHECK(why(circulant(129, {1}, "forest-ring"), "forest", "allgather") ==
        "it computes its schedule from the links for at most 128 ranks, not 129");
  CHECK(why(hypercube(3, "forest-cube"), "bfb", "allgather") ==
        "a block must have a multiple of 3 chunks to be divided evenly over the links, not 1");
  CHECK(why(hypercube(3, "forest-cube"), "bfb", "allreduce") ==
        "a vector must have a multiple of 24 chunks to be divided evenly over the links, not 1");
  // U_1 = 1/a and U_2 = 1/(a + b) for a prime a, and a (a + b) is just above 2^64.
  LinkNetwork square = circulant(4, {1}, "forest-square");
  for (auto& [from, to, capacity] : square.links)
    capacity = to != 0 ? UINT32_MAX : from == 1 ? 3037000493 : 3037000521;
  CHECK(why(square, "bfb", "allgather") == "its blocks would be cut into 2^32 chunks or more");
  const auto [bfb, on_rails] = run::ready({"bfb", 8, 1, "cluster:2x4,rails", "allgather"});
  CHECK(bfb->reason(on_rails) ==
        fmt::format("it needs a machine that is a network of links, not {}",
                    on_rails.machine.spec()));
}

namespace {

/// The sum of the loads of all phases.
std::pair<std::uint64_t, std::uint64_t> total_load(const BreadthFirst& search) {
  Fraction sum{0, 1};
  for (const auto& [a, b] : search.loads())
    sum = fraction(sum.numerator * b + a * sum.denominator, sum.denominator * b);
  return {sum.numerator, sum.denominator};
}

using Ratio = std::pair<std::uint64_t, std::uint64_t>;

/// (P - 1)/degree.
Ratio optimum(const LinkNetwork& n) {
  const Fraction ratio = *bottleneck(n.graph(), all_ranks(n));
  return {ratio.numerator, ratio.denominator};
}

void check_bfb(const LinkNetwork& n) {
  const BreadthFirst there(n.graph()), back(reversed(n.graph()));
  const auto check_one = [&](const char* collective, std::uint64_t K) {
    const run::Case c{"bfb", n.ranks, static_cast<std::uint32_t>(K), n.machine(), collective};
    Report report;
    const std::string fault = run::fault(c, &report);
    if (!fault.empty()) FAIL_CHECK(fault);
    return report;
  };
  for (const std::uint64_t m : {1U, 2U}) {
    const std::uint64_t K = there.chunk_unit() * m;
    const Report report = check_one("allgather", K);
    const auto [p, q] = total_load(there);
    CHECK(report.steps * q == p * K);
    if (total_load(there) == optimum(n)) CHECK(report.steps == report.lower_bound->steps);
    check_one("reduce-scatter", back.chunk_unit() * m);
    check_one("allreduce", std::lcm(there.chunk_unit(), back.chunk_unit()) * m * n.ranks);
  }
}

}  // namespace

TEST_CASE("BFB is optimal on many symmetric graphs, and not on all") {
  const std::vector<LinkNetwork> optimal{circulant(5, {1}, "forest-ring"),
                                         circulant(8, {1}, "forest-ring"),
                                         torus({3, 3}, "t33-"),
                                         torus({4, 4}, "t44-"),
                                         torus({3, 5}, "t35-"),
                                         torus({4, 6}, "t46-"),
                                         torus({3, 3, 3}, "t333-"),
                                         hypercube(3, "forest-cube"),
                                         hypercube(4, "forest-cube"),
                                         bipartite(4),
                                         circulant(12, {1, 3}, "c13-"),
                                         circulant(12, {2, 3}, "c23-"),
                                         circulant(11, {2, 3}, "c23-"),
                                         circulant(16, {1, 4}, "c14-"),
                                         petersen()};
  for (const LinkNetwork& n : optimal) {
    std::uint64_t degree = 0;
    for (const auto& link : n.links) degree += link.from == 0 ? link.capacity : 0;
    const Fraction best = fraction(n.ranks - 1, degree);
    CHECK(total_load(BreadthFirst(n.graph())) == Ratio{best.numerator, best.denominator});
    CHECK(optimum(n) == Ratio{best.numerator, best.denominator});
    check_bfb(n);
  }
  const LinkNetwork doubled = torus({2, 4}, "t24-", 2);
  CHECK(total_load(BreadthFirst(doubled.graph())) == Ratio{2, 1});
  CHECK(optimum(doubled) == Ratio{7, 4});
  check_bfb(doubled);
}

TEST_CASE("the load of a phase is the largest ratio of shards to links, over all sets of links") {
  std::mt19937_64 random(23);
  for (int i = 0; i < ranges::part(40, 400); ++i) {
    const LinkNetwork n = eulerian(6, 0, random, "bfb-random" + std::to_string(i) + "-");
    const LinkGraph graph = n.graph();
    std::vector<std::vector<std::uint64_t>> distance(n.ranks,
                                                     std::vector<std::uint64_t>(n.ranks, n.ranks));
    for (Rank v = 0; v < n.ranks; ++v) distance[v][v] = 0;
    for (Rank via = 0; via < n.ranks; ++via) {  // often enough for any path
      for (Rank s = 0; s < n.ranks; ++s) {
        for (const auto& link : graph.links)
          distance[s][link.to] = std::min(distance[s][link.to], distance[s][link.from] + 1);
      }
    }
    const BreadthFirst search(graph);
    for (std::uint64_t t = 0; t < search.loads().size(); ++t) {
      Fraction most{0, 1};
      for (Rank u = 0; u < n.ranks; ++u) {
        std::vector<LinkGraph::Link> in;
        for (const auto& link : graph.links)
          if (link.to == u) in.push_back(link);
        for (std::uint64_t set = 1; set < std::uint64_t{1} << in.size(); ++set) {
          std::uint64_t shards = 0, capacity = 0;
          for (std::size_t l = 0; l < in.size(); ++l)
            capacity += (set >> l & 1) != 0 ? in[l].capacity : 0;
          for (Rank s = 0; s < n.ranks; ++s) {
            if (distance[s][u] != t + 1) continue;
            bool within = true;
            for (std::size_t l = 0; l < in.size(); ++l)
              within = within && (distance[s][in[l].from] != t || (set >> l & 1) != 0);
            shards += within ? 1 : 0;
          }
          if (shards * most.denominator > most.numerator * capacity)
            most = fraction(shards, capacity);
        }
      }
      CHECK(search.loads()[t] == most);
    }
    check_bfb(n);
  }
}

TEST_CASE("where messages may have any size, a step is a phase, or a packet of each tree") {
  const std::vector<std::pair<const char*, Rank>> machines{
      {"torus:3x3,ports=4", 9},          {"torus:4x5,ports=4", 20}, {"torus:2x4,ports=3", 8},
      {"mesh:3x4,ports=4", 12},          {"mesh:1x5,ports=2", 5},   {"torus:1x6,ports=2", 6},
      {"cluster:4x4,ports=2,nics=2", 16}};
  for (const auto& [machine, P] : machines) {
    for (const char* collective : {"allgather", "reduce-scatter", "allreduce"}) {
      for (const std::uint32_t K : {1u, 3u, 12u, 12 * P}) {
        const std::string fault = run::fault({"forest", P, K, machine, collective});
        if (!fault.empty()) FAIL_CHECK(fault);
      }
      if (std::string_view(machine).starts_with("cluster")) continue;
      const std::string fault = run::fault({"bfb", P, 12 * P, machine, collective});
      if (!fault.empty()) FAIL_CHECK(fault);
    }
  }
  const auto why = [](const char* spec) {
    const auto [algorithm, request] = run::ready({spec, 9, 1, "torus:3x3", "allgather"});
    return algorithm->reason(request).value_or("served");
  };
  for (const char* spec : {"forest", "bfb"})
    CHECK(why(spec) == "rank 0 would exchange messages with 4 ranks in a step; it has 1 port");
}

TEST_CASE("real systems: trees for all that are within the limits") {
  std::uint64_t served = 0;
  for (const MachineFile& file : machine_files()) {
    const auto [algorithm, request] = run::ready({"forest", file.ranks, 1, file.name, "allgather"});
    if (algorithm->reason(request)) continue;
    ++served;
    for (const char* collective : {"allgather", "reduce-scatter", "allreduce"}) {
      const std::string fault = run::fault({"forest", file.ranks, 64, file.name, collective});
      if (!fault.empty()) FAIL_CHECK(fault);
    }
  }
  CHECK(served >= 5);
}
