#pragma once

// An SCCL algorithm as parsed from JSON, not yet interpreted.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "format/json_schema.hpp"
#include "schedcc/schedule.hpp"

namespace schedcc {

struct ScclDocument {
  struct LocatedRank {
    Rank rank;
    Position at;
  };
  struct ScclChunk {
    std::uint32_t address;
    std::vector<LocatedRank> pre, post;
    Position at;
  };
  struct Send {
    std::uint32_t address;
    Rank src, dst;
    Position at;
  };
  struct ScclStep {
    std::uint32_t rounds;
    std::size_t first;  ///< index of its first send
    Position at;
  };
  struct Switch {
    std::vector<LocatedRank> srcs, dsts;
    std::uint64_t bandwidth;
    std::string name;
  };

  std::string name, collective, runtime_name, topology;
  Rank nodes = 0;
  std::uint64_t stated_steps = 0, stated_extra_rounds = 0;
  /// Parts of each chunk of the collective: part i of the chunk at address a has address a * parts
  /// + i.
  std::uint64_t parts = 1;
  std::vector<ScclChunk> chunks;
  std::vector<ScclStep> steps;
  std::vector<Send> sends;
  std::vector<std::vector<std::uint64_t>> links;  ///< links[dst][src]: chunks per round
  std::vector<Switch> switches;
  /// The addresses of each rank.
  struct LocatedAddress {
    std::uint32_t address;
    Position at;
  };
  struct MapEntry {
    Rank rank;
    Position at;
    std::vector<LocatedAddress> addresses;
  };
  struct Map {
    Position at;
    std::vector<MapEntry> entries;
  };
  Map input, output;
  Position nodes_at, instance_at, links_at, collective_at, runtime_at;
};

/// The ranks of a list, ascending. Throws InputError if one is not below `nodes`, or is a
/// duplicate.
std::vector<Rank> sccl_ranks(const std::vector<ScclDocument::LocatedRank>& list, Rank nodes,
                             const std::string& file);

/// Throws InputError with the location of the first error.
ScclDocument parse_sccl(std::string_view text, const std::string& file);

}  // namespace schedcc
