#pragma once

// Topology files for the tests, written into the folder for temporary files.

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <unistd.h>

#include "schedcc/schedule.hpp"

namespace topologies {

using schedcc::Rank;

struct Link {
  Rank from, to;
  std::uint64_t capacity;
};

/// A folder that is there as long as the program runs.
class Folder {
 public:
  Folder()
      : path_(std::filesystem::temp_directory_path() /
              ("schedcc-tests-" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  /// Writes a file, unless it is there, and returns its path.
  std::string file(const std::string& name, const std::string& text) const {
    const auto path = path_ / name;
    if (!std::filesystem::exists(path)) std::ofstream(path) << text;
    return path.string();
  }

 private:
  std::filesystem::path path_;
};

inline const Folder& folder() {
  static const Folder folder;
  return folder;
}

/// The specification of a machine with these links.
inline std::string machine(const std::string& name, Rank ranks, int switches,
                           const std::vector<Link>& links) {
  static std::set<std::string> written;
  const std::string file = name + std::to_string(ranks) + ".json";
  if (written.contains(file)) return "topology:" + (folder().path() / file).string();
  written.insert(file);
  std::string text = "{\"topology\": 1, \"ranks\": " + std::to_string(ranks) + ", \"switches\": [";
  for (int i = 0; i < switches; ++i) {
    text += (i > 0 ? ", \"s" : "\"s") + std::to_string(i) + "\"";
  }
  text += "], \"links\": [";
  for (std::size_t i = 0; i < links.size(); ++i) {
    text += (i > 0 ? ",\n{\"from\": " : "\n{\"from\": ") + std::to_string(links[i].from) +
            ", \"to\": " + std::to_string(links[i].to) +
            ", \"capacity\": " + std::to_string(links[i].capacity) + "}";
  }
  return "topology:" + folder().file(file, text + "]}\n");
}

/// A ring of ranks with links both ways.
inline std::string ring(Rank ranks, std::uint64_t capacity = 1) {
  std::vector<Link> links;
  for (Rank v = 0; v < ranks && ranks > 1; ++v) {
    const Rank next = (v + 1) % ranks;
    links.push_back({v, next, capacity});
    if (ranks > 2) links.push_back({next, v, capacity});
  }
  return machine("ring" + std::to_string(capacity) + "-", ranks, 0, links);
}

/// Ranks in a row, with links both ways: routes pass the ranks between.
inline std::string line(Rank ranks, std::uint64_t capacity = 1) {
  std::vector<Link> links;
  for (Rank v = 0; v + 1 < ranks; ++v) {
    links.push_back({v, v + 1, capacity});
    links.push_back({v + 1, v, capacity});
  }
  return machine("line" + std::to_string(capacity) + "-", ranks, 0, links);
}

/// A star whose hub is rank 0.
inline std::string hub(Rank ranks, std::uint64_t capacity) {
  std::vector<Link> links;
  for (Rank v = 1; v < ranks; ++v) {
    links.push_back({0, v, capacity});
    links.push_back({v, 0, capacity});
  }
  return machine("hub" + std::to_string(capacity) + "-", ranks, 0, links);
}

/// Ranks at one switch.
inline std::vector<Link> star_links(Rank ranks, std::uint64_t capacity) {
  std::vector<Link> links;
  for (Rank v = 0; v < ranks; ++v) {
    links.push_back({v, ranks, capacity});
    links.push_back({ranks, v, capacity});
  }
  return links;
}

/// All ranks at one switch. Links carry `capacity` chunks.
inline std::string star(Rank ranks, std::uint64_t capacity = 2) {
  return machine("star" + std::to_string(capacity) + "-", ranks, 1, star_links(ranks, capacity));
}

/// Ranks at two switches, a way between those, some ranks that are neighbours, and a one-way link.
inline std::string cluster(Rank ranks) {
  std::vector<Link> links{{ranks, ranks + 1, 1}, {ranks + 1, ranks, 2}};
  for (Rank v = 0; v < ranks; ++v) {
    links.push_back({v, ranks + v % 2, 1 + v % 3});
    links.push_back({ranks + v % 2, v, 1});
    if (v + 1 < ranks && v % 3 == 0) links.push_back({v, v + 1, 1});
  }
  return machine("cluster", ranks, 2, links);
}

/// What a file of version 2 says of a switch.
struct Rules {
  std::optional<bool> multicast, reduces;
};

/// The text of a file of version 2. `ports`: 0 for a network that stores and forwards.
inline std::string text(Rank ranks, std::uint32_t ports, bool shared,
                        const std::vector<Rules>& switches, const std::vector<Link>& links) {
  const auto field = [](const char* name, const std::optional<bool>& value) {
    if (!value) return std::string();
    return std::string(", \"") + name + "\": " + (*value ? "true" : "false");
  };
  std::string text = "{\"topology\": 2, \"ranks\": " + std::to_string(ranks);
  if (ports > 0) text += ", \"ports\": " + std::to_string(ports);
  if (shared) text += ", \"shared\": true";
  text +=
      ",\n\"kinds\": {\"cable\": {\"latency\": \"1us\", \"bandwidth\": \"1GB/s\"}},\n\"switches\": "
      "[";
  for (std::size_t i = 0; i < switches.size(); ++i) {
    text += (i > 0 ? ", {\"name\": \"s" : "{\"name\": \"s") + std::to_string(i) + "\"" +
            field("multicast", switches[i].multicast) + field("reduces", switches[i].reduces) + "}";
  }
  text += "],\n\"links\": [";
  for (std::size_t i = 0; i < links.size(); ++i) {
    text += (i > 0 ? ",\n{\"from\": " : "\n{\"from\": ") + std::to_string(links[i].from) +
            ", \"to\": " + std::to_string(links[i].to) +
            ", \"kind\": \"cable\", \"capacity\": " + std::to_string(links[i].capacity) + "}";
  }
  return text + "]}\n";
}

/// The specification of a machine of version 2.
inline std::string machine(const std::string& name, Rank ranks, std::uint32_t ports, bool shared,
                           const std::vector<Rules>& switches, const std::vector<Link>& links) {
  return "topology:" + folder().file(name + std::to_string(ranks) + ".json",
                                     text(ranks, ports, shared, switches, links));
}

/// Ranks at two switches below a third one, which are nodes P, P + 1 and P + 2.
inline std::vector<Link> tree_links(Rank ranks, std::uint64_t capacity, std::uint64_t up) {
  std::vector<Link> links;
  for (Rank v = 0; v < ranks; ++v) {
    links.push_back({v, ranks + v % 2, capacity});
    links.push_back({ranks + v % 2, v, capacity});
  }
  for (const Rank leaf : {ranks, ranks + 1}) {
    links.push_back({leaf, ranks + 2, up});
    links.push_back({ranks + 2, leaf, up});
  }
  return links;
}

/// Machines with ports, whose switches copy and combine, or some of them, or one of both.
inline std::vector<std::string> in_network(Rank ranks) {
  const Rules both{true, true}, copies{true, {}}, combines{{}, true}, neither{false, {}};
  std::vector<Link> mixed = tree_links(ranks, 2, 2);  // and ranks that are passed
  for (Rank v = 0; v + 1 < ranks; v += 2) mixed.push_back({v, v + 1, 1});
  return {machine("in-star", ranks, 1, false, {both}, star_links(ranks, 1)),
          machine("in-tree", ranks, 2, false, {both, both, both}, tree_links(ranks, 2, 1)),
          machine("in-leaves", ranks, 1, true, {both, copies, neither}, tree_links(ranks, 1, 2)),
          machine("in-root", ranks, 2, false, {neither, combines, both}, mixed)};
}

/// Machines that store and forward, where some switches may not copy, or not combine.
inline std::vector<std::string> restricted(Rank ranks) {
  const Rules neither{false, false}, no_copies{false, {}}, no_sums{true, false}, all{};
  return {machine("no-star", ranks, 0, false, {neither}, star_links(ranks, 2)),
          machine("no-tree", ranks, 0, false, {no_sums, no_copies, all}, tree_links(ranks, 2, 2))};
}

}  // namespace topologies
