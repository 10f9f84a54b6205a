#pragma once

// A schedule of TE-CCL as parsed from JSON, not yet interpreted.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "format/json_schema.hpp"

namespace schedcc::teccl {

/// Volumes are in units of 10^-12 of a chunk, and at most one chunk.
inline constexpr std::uint64_t whole = 1'000'000'000'000;

/// A hop from GPU to GPU, over any number of switches: "1->3 with volume 0.5 in epoch 4 via
/// switches 17". GPUs and switches are numbered together.
struct Hop {
  std::uint32_t from = 0, to = 0, epoch = 0;
  std::uint32_t via = 0;         ///< index in Document::switches
  std::uint64_t volume = whole;  ///< in 1..whole
  Position at;
};

struct Document {
  /// An item of the flows: a hop of a source's chunk.
  struct Flow {
    std::uint32_t chunk = 0, source = 0;
    Hop hop;
  };
  /// A path: the hops `first`, `first` + 1, ... up to those of the next path.
  struct Path {
    std::size_t first = 0;
    Position at;
  };
  /// A chunk of a source that a GPU must get, by the paths `first`, `first` + 1, ... up to those of
  /// the next demand.
  struct Demand {
    std::uint32_t gpu = 0, chunk = 0, source = 0, epoch = 0;
    std::size_t first = 0;
    Position at;
  };
  /// The time at which a demand is met, in seconds.
  struct DemandTime {
    std::uint32_t gpu = 0, source = 0, chunk = 0;
    double time = 0;
    Position at;
  };

  double duration = 0;       ///< of an epoch, in seconds
  std::uint64_t epochs = 0;  ///< that the schedule takes
  std::optional<double> finish;
  std::vector<std::vector<std::uint32_t>> switches{{}};  ///< lists of them; the first is empty
  std::vector<Flow> flows;
  std::vector<Demand> demands;
  std::vector<Path> paths;
  std::vector<Hop> hops;
  std::optional<std::vector<DemandTime>> met;
  std::string flows_name, paths_name;  ///< of the fields: "7-Flows", "8-Chunk paths"
  Position begin, epochs_at, finish_at, met_at;

  /// The paths of a demand: their indices are first..last-1.
  std::size_t end_of_paths(std::size_t demand) const {
    return demand + 1 < demands.size() ? demands[demand + 1].first : paths.size();
  }
  /// The same for the hops of a path.
  std::size_t end_of_hops(std::size_t path) const {
    return path + 1 < paths.size() ? paths[path + 1].first : hops.size();
  }
};

/// Throws InputError with the location of a mismatch.
Document parse(std::string_view text, const std::string& file);

}  // namespace schedcc::teccl
