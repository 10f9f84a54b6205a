#pragma once

// The links of an SCCL file.

#include <cstdint>
#include <string>
#include <vector>

#include "schedcc/schedule.hpp"

namespace schedcc {

struct ScclTopology {
  /// Pairs of ranks that carry so many chunks together in a round.
  struct Switch {
    std::vector<Rank> srcs, dsts;  ///< ascending
    std::uint64_t bandwidth;
    std::string name;
  };

  std::string name;
  std::vector<Switch> switches;
  std::vector<std::vector<std::uint64_t>> links;  ///< links[dst][src]: chunks per round
};

}  // namespace schedcc
