#pragma once

// An SCCL algorithm as its JSON has it, before anything is made of it.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "schedcc/error.hpp"
#include "schedcc/schedule.hpp"

namespace schedcc {

struct ScclDocument {
  /// Where something stands; the file is the document's.
  struct Spot {
    std::uint32_t line = 0, column = 0;
  };
  struct RankAt {
    Rank rank;
    Spot at;
  };
  struct ScclChunk {
    std::uint32_t address;
    std::vector<RankAt> pre, post;
    Spot at;
  };
  struct Send {
    std::uint32_t address;
    Rank src, dst;
    Spot at;
  };
  struct ScclStep {
    std::uint32_t rounds;
    std::size_t first;  ///< of its sends
    Spot at;
  };
  struct Switch {
    std::vector<RankAt> srcs, dsts;
    std::uint64_t bandwidth;
    std::string name;
  };

  std::string name, collective;
  Rank nodes = 0;
  std::uint64_t steps_said = 0, extra_rounds_said = 0;
  /// Parts of each chunk of the collective: part i of what has address a has address a * parts + i.
  std::uint64_t parts = 1;
  std::vector<ScclChunk> chunks;
  std::vector<ScclStep> steps;
  std::vector<Send> sends;
  std::vector<std::vector<std::uint64_t>> links;  ///< links[dst][src]: chunks per round
  std::vector<Switch> switches;
  std::vector<RankAt> mapped;  ///< the addresses in the maps of inputs and outputs
  Spot nodes_at, instance_at, links_at;
};

/// Throws InputError with the place of what has not the form.
ScclDocument parse_sccl(std::string_view text, const std::string& file);

}  // namespace schedcc
