// Routes of a topology, and loads of channels, compared with naive computations.

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <span>
#include <vector>

#include "analysis/channel_loads.hpp"
#include "catch.hpp"
#include "machine/link_routes.hpp"
#include "machine/shortest_routes.hpp"
#include "machine/step_routes.hpp"
#include "schedcc/machine.hpp"

using namespace schedcc;

namespace {

Rank below(std::mt19937& random, Rank end) { return static_cast<Rank>(random() % end); }

Topology random_topology(std::mt19937& random, Rank nodes, std::size_t links) {
  std::set<std::pair<Rank, Rank>> pairs;
  for (std::size_t i = 0; i < links; ++i) {
    const Rank from = below(random, nodes), to = below(random, nodes);
    if (from != to) pairs.emplace(from, to);
  }
  Topology topology;
  topology.ranks = nodes;
  for (const auto& [from, to] : pairs) topology.links.push_back({from, to, 1});
  return topology;
}

/// The route by its definition, from the distances of all nodes to `dst`.
std::vector<Rank> expected_route(const Topology& topology, Rank src, Rank dst) {
  std::vector<std::uint64_t> distance(topology.ranks, UINT32_MAX);
  distance[dst] = 0;
  for (Rank round = 0; round < topology.ranks; ++round) {
    for (const Topology::Link& link : topology.links)
      distance[link.from] = std::min(distance[link.from], distance[link.to] + 1);
  }
  if (distance[src] >= UINT32_MAX) return {src, dst};
  std::vector<Rank> route{src};
  while (route.back() != dst) {
    Rank next = UINT32_MAX;
    for (const Topology::Link& link : topology.links) {
      if (link.from == route.back() && distance[link.to] + 1 == distance[link.from])
        next = std::min(next, link.to);
    }
    route.push_back(next);
  }
  return route;
}

bool same_run(const Channels::Run& a, const Channels::Run& b) {
  return a.first == b.first && a.count == b.count && a.falling == b.falling;
}

/// Channels with the capacities 1, 2, 3, 1, ...
class SomeChannels : public Channels {
 public:
  void route(Rank, Rank, std::vector<Run>&) const override {}
  std::uint64_t capacity(std::uint64_t channel) const override { return 1 + channel / 10 % 3; }
  std::string describe(std::uint64_t) const override { return ""; }
};

}  // namespace

TEST_CASE("a route continues at every node to the lowest neighbour, from tables or by search") {
  std::mt19937 random(1);
  for (int graph = 0; graph < 60; ++graph) {
    const Rank nodes = 1 + below(random, 24);
    const Topology topology = random_topology(random, nodes, below(random, 80));
    // Tables for no destination, for some, and for all.
    for (const std::uint64_t entries : {0u, 5 * nodes, nodes * nodes}) {
      const ShortestRoutes routes(topology, entries);
      for (Rank src = 0; src < nodes; ++src) {
        for (Rank dst = 0; dst < nodes; ++dst) {
          std::vector<Rank> route{99};  // existing nodes are kept
          routes.append(src, dst, route);
          std::vector<Rank> expected = expected_route(topology, src, dst);
          expected.insert(expected.begin(), 99);
          REQUIRE(route == expected);
        }
      }
    }
  }
}

TEST_CASE("the links of a route are those between its nodes, whether they are kept or not") {
  std::mt19937 random(3);
  for (int graph = 0; graph < 60; ++graph) {
    const Rank nodes = 2 + below(random, 24);
    Topology topology = random_topology(random, nodes, below(random, 80));
    for (Rank v = 0; v < nodes; ++v) {  // a ring, so that there are all routes
      const Topology::Link link{v, (v + 1) % nodes, 1};
      const auto ends = [](const Topology::Link& l) { return std::pair(l.from, l.to); };
      const auto at = std::ranges::lower_bound(topology.links, ends(link), {}, ends);
      if (at == topology.links.end() || ends(*at) != ends(link)) topology.links.insert(at, link);
    }
    // Routes from no source, some routes from some, and all.
    for (const std::uint64_t entries : {0u, 3 * nodes + 7, nodes * nodes * (nodes + 1)}) {
      const LinkRoutes routes(topology, entries);
      for (int query = 0; query < 500; ++query) {
        const Rank src = below(random, nodes), dst = below(random, nodes);
        std::vector<Channels::Run> runs{{99, 1}};  // existing runs are kept
        routes.append(src, dst, runs);
        std::vector<Rank> path{src};
        for (const Channels::Run& run : std::span(runs).subspan(1)) {
          REQUIRE(run.count == 1);
          REQUIRE(topology.links[run.first].from == path.back());
          path.push_back(topology.links[run.first].to);
        }
        REQUIRE(path == expected_route(topology, src, dst));
      }
    }
  }
}

TEST_CASE("loads of channels equal those counted channel by channel") {
  std::mt19937 random(2);
  const SomeChannels channels;
  ChannelLoads loads(channels);
  for (int step = 0; step < 500; ++step) {
    std::vector<Channels::Run> runs(below(random, 12));
    for (Channels::Run& run : runs) {
      // Of one capacity each: channels 10 i .. 10 i + 9.
      const Rank first = below(random, 10);
      run = {10 * below(random, 4) + first, 1 + below(random, 10 - first), random() % 2 == 0};
    }
    std::map<std::uint64_t, std::uint64_t> load;
    std::uint64_t most = 0;
    std::vector<std::pair<std::size_t, std::uint64_t>> expected, found;  // run, channel
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const auto& [first, count, falling] = runs[i];
      for (std::uint64_t j = 0; j < count; ++j) {
        const std::uint64_t channel = falling ? first + count - 1 - j : first + j;
        most = std::max(most, ++load[channel]);
        if (load[channel] == channels.capacity(channel) + 1) expected.emplace_back(i, channel);
      }
    }
    loads.read(runs);
    for (const auto& [run, first, count] : loads.overloads()) {
      for (std::uint64_t j = 0; j < count; ++j)
        found.emplace_back(run, runs[run].falling ? first + count - 1 - j : first + j);
    }
    REQUIRE(loads.max() == most);
    REQUIRE(found == expected);
  }
}

TEST_CASE("a step that is read again has the routes that it has by itself") {
  std::mt19937 random(5);
  for (const char* text : {"cluster:4x2", "cluster:2x2x2,oversubscription=2", "switch:ports=2"}) {
    const Machine machine = make_machine(text, 8);
    StepRoutes routes(*machine.channels());
    std::vector<RoutedMessage> before;
    std::size_t same = 0;
    for (int i = 0; i < 300; ++i) {
      std::vector<RoutedMessage> messages = before;
      const auto kind = random() % 3;  // the same, one in another multicast, or others
      if (kind == 1 && !messages.empty()) messages.back().multicast ^= 1u;
      if (kind == 2) {
        std::set<std::pair<Rank, Rank>> pairs;
        while (pairs.size() < 4) {
          const Rank src = below(random, 8), dst = below(random, 8);
          if (src != dst) pairs.emplace(src, dst);
        }
        messages.clear();
        for (const auto& [src, dst] : pairs) messages.push_back({src, dst, src + 1, 0});
      }
      CHECK(routes.read(messages) == (messages != before));
      same += messages == before;
      StepRoutes alone(*machine.channels());
      alone.read(messages);
      for (std::size_t m = 0; m < messages.size(); ++m) {
        CHECK(std::ranges::equal(routes.route(m), alone.route(m), same_run));
        CHECK(std::ranges::equal(routes.counted(m), alone.counted(m), same_run));
      }
      before = std::move(messages);
    }
    CHECK(same > 50);
  }
}
