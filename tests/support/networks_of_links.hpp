#pragma once

// Networks of links for the tests of schedules that are computed from them, and their narrowest
// cuts by trying all sets of nodes.

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "machine/link_graph.hpp"
#include "topologies.hpp"

namespace networks_of_links {

using schedcc::Fraction;
using schedcc::LinkGraph;
using schedcc::Rank;

/// Ranks, switches and links as a graph, and as a machine.
struct LinkNetwork {
  std::string name;
  Rank ranks;
  int switches;
  std::vector<topologies::Link> links;

  std::string machine() const { return topologies::machine(name, ranks, switches, links); }
  LinkGraph graph() const {
    LinkGraph result{ranks, ranks + static_cast<std::uint64_t>(switches), {}};
    for (const auto& [from, to, capacity] : links) result.links.push_back({from, to, capacity});
    return reversed(reversed(result));  // sorted
  }
};

/// Adds a link in both directions.
inline void both(LinkNetwork& network, Rank a, Rank b, std::uint64_t capacity = 1) {
  network.links.push_back({a, b, capacity});
  network.links.push_back({b, a, capacity});
}

/// Ranks on a circle, linked with those at these distances, both ways.
inline LinkNetwork circulant(Rank P, const std::vector<Rank>& distances, std::string name) {
  LinkNetwork result{std::move(name), P, 0, {}};
  for (Rank v = 0; v < P; ++v) {
    for (const Rank d : distances) {
      result.links.push_back({v, (v + d) % P, 1});
      if (2 * d != P) result.links.push_back({v, (v + P - d) % P, 1});
    }
  }
  return result;
}

/// A torus; links along a side of 2 are one each way.
inline LinkNetwork torus(const std::vector<Rank>& sides, std::string name,
                         std::uint64_t capacity_of_pairs = 1) {
  LinkNetwork result{std::move(name), 1, 0, {}};
  for (const Rank side : sides) result.ranks *= side;
  for (Rank v = 0; v < result.ranks; ++v) {
    Rank stride = 1;
    for (const Rank side : sides) {
      const Rank at = v / stride % side;
      const auto neighbour = [&](Rank to) { return v - at * stride + to * stride; };
      const std::uint64_t capacity = side == 2 ? capacity_of_pairs : 1;
      result.links.push_back({v, neighbour((at + 1) % side), capacity});
      if (side > 2) result.links.push_back({v, neighbour((at + side - 1) % side), capacity});
      stride *= side;
    }
  }
  return result;
}

inline LinkNetwork hypercube(Rank dimensions, std::string name) {
  return torus(std::vector<Rank>(dimensions, 2), std::move(name));
}

/// Random closed walks over 2 to `most` ranks and at most `max_switches` switches: capacities in
/// and out are equal, and all is connected.
inline LinkNetwork eulerian(Rank most, Rank max_switches, std::mt19937_64& random,
                            std::string name) {
  const Rank ranks = 2 + static_cast<Rank>(random() % (most - 1));
  const int switches = static_cast<int>(random() % (max_switches + 1));
  const Rank nodes = ranks + static_cast<Rank>(switches);
  std::vector<std::vector<std::uint64_t>> capacity(nodes, std::vector<std::uint64_t>(nodes));
  std::vector<Rank> walk(nodes);
  for (Rank v = 0; v < nodes; ++v) walk[v] = v;
  for (int i = 0; i < 3; ++i) {
    std::ranges::shuffle(walk, random);
    const std::size_t length = i == 0 ? nodes : 2 + random() % (nodes - 1);
    const std::uint64_t more = 1 + random() % 2;
    for (std::size_t at = 0; at < length; ++at) capacity[walk[at]][walk[(at + 1) % length]] += more;
  }
  LinkNetwork result{std::move(name), ranks, switches, {}};
  for (Rank u = 0; u < nodes; ++u) {
    for (Rank v = 0; v < nodes; ++v) {
      if (capacity[u][v] != 0) result.links.push_back({u, v, capacity[u][v]});
    }
  }
  return result;
}

/// The largest ratio of sources in a set of nodes that misses a rank to its capacity out, by trying
/// all sets; 0/1 if some set has no link out.
inline Fraction narrowest(const LinkGraph& graph, const std::vector<Rank>& sources) {
  Fraction result{0, 1};
  for (std::uint64_t set = 1; set < std::uint64_t{1} << graph.nodes; ++set) {
    const auto in = [&](Rank v) { return (set >> v & 1) != 0; };
    std::uint64_t inside = 0, ranks = 0, out = 0;
    for (const Rank r : sources) inside += in(r) ? 1 : 0;
    for (Rank v = 0; v < graph.ranks; ++v) ranks += in(v) ? 1 : 0;
    if (ranks == graph.ranks || inside == 0) continue;
    for (const auto& link : graph.links)
      if (in(link.from) && !in(link.to)) out += link.capacity;
    if (out == 0) return {0, 1};
    if (inside * result.denominator > result.numerator * out)
      result = schedcc::fraction(inside, out);
  }
  return result;
}

}  // namespace networks_of_links
