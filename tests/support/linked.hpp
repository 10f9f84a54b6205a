#pragma once

// Topologies of version 2 for the tests, and their routes and times by the definition.

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "random_plans.hpp"
#include "topologies.hpp"

namespace linked {

using schedcc::Rank;

struct Link {
  double latency, gap;  ///< seconds, and seconds per byte
};

/// Ranks, then switches, with links between them.
struct Net {
  Rank ranks = 0, switches = 0;
  std::uint32_t ports = 1;
  bool shared = true;
  std::map<std::pair<Rank, Rank>, Link> links;
  double send = 0, receive = 0;  ///< overheads of a message: seconds

  /// With a link back, which may be another one.
  void cable(Rank a, Rank b, Link there, Link back) {
    links[{a, b}] = there;
    links[{b, a}] = back;
  }

  std::string text() const {
    std::string result = fmt::format(
        "{{\"topology\": 2, \"ranks\": {}, \"ports\": {}, \"shared\": {},\n\"overheads\": "
        "{{\"send\": "
        "\"{:.17g}s\", \"receive\": \"{:.17g}s\"}},\n\"switches\": [",
        ranks, ports, shared, send, receive);
    for (Rank s = 0; s < switches; ++s) result += fmt::format("{}\"s{}\"", s > 0 ? ", " : "", s);
    result += "],\n\"links\": [";
    for (const auto& [ends, link] : links) {
      result += fmt::format(
          "{}{{\"from\": {}, \"to\": {}, \"latency\": \"{:.17g}s\", \"bandwidth\": "
          "\"{:.17g}s/B\"}}",
          ends == links.begin()->first ? "\n" : ",\n", ends.first, ends.second, link.latency,
          link.gap);
    }
    return result + "]}\n";
  }

  /// Its specification.
  std::string machine() const {
    static int number = 0;
    const std::string name = fmt::format("linked{}.json", number++);
    return "topology:" + topologies::folder().file(name, text());
  }

  /// The nodes from `src` to `dst`: as few links as possible, then the lowest nodes.
  std::vector<Rank> route(Rank src, Rank dst) const {
    std::map<Rank, std::uint32_t> distance{{dst, 0}};
    for (bool changed = true; changed;) {
      changed = false;
      for (const auto& [ends, link] : links) {
        const auto next = distance.find(ends.second);
        if (next == distance.end()) continue;
        const auto own = distance.find(ends.first);
        if (own != distance.end() && own->second <= next->second + 1) continue;
        distance[ends.first] = next->second + 1;
        changed = true;
      }
    }
    std::vector<Rank> path{src};
    while (path.back() != dst) {
      Rank lowest = UINT32_MAX;
      for (const auto& [ends, link] : links) {
        if (ends.first != path.back()) continue;
        const auto next = distance.find(ends.second);
        if (next == distance.end() || next->second + 1 != distance.at(path.back())) continue;
        lowest = std::min(lowest, ends.second);
      }
      path.push_back(lowest);
    }
    return path;
  }
};

inline Link some_link(agreement::Random& random) {
  return {random.below(20) * 1e-6, (1 + random.below(1000)) * 1e-12};
}

/// All ranks at one switch, each with links of its own.
inline Net star(Rank ranks, agreement::Random& random) {
  Net net{ranks, 1, 1, true, {}};
  for (Rank r = 0; r < ranks; ++r) net.cable(r, ranks, some_link(random), some_link(random));
  return net;
}

/// A random tree of all nodes, and a few more links.
inline Net some_net(Rank ranks, Rank switches, agreement::Random& random) {
  Net net{ranks, switches, 1 + random.below(3), true, {}};
  for (Rank v = 1; v < ranks + switches; ++v)
    net.cable(v, random.below(v), some_link(random), some_link(random));
  for (std::uint32_t more = random.below(ranks); more > 0; --more) {
    const Rank a = random.below(ranks + switches), b = random.below(ranks + switches);
    if (a != b) net.links[{a, b}] = some_link(random);
  }
  return net;
}

}  // namespace linked
