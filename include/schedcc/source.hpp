#pragma once

// Where a schedule comes from: an algorithm or a file, ready to be streamed as often as needed.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "schedcc/error.hpp"
#include "schedcc/problem.hpp"
#include "schedcc/schedule.hpp"

namespace schedcc {

struct Program;

struct Source {
  std::string name;   ///< for reports: "fractional-tree:r=3", or the file's `name` line or path
  std::string file;   ///< the file as the user named it; empty for an algorithm
  std::string title;  ///< the file's `name` line; empty if none
  Problem problem;
  std::string machine;      ///< the machine that the source names, as a specification; may be empty
  Place machine_place;      ///< where the file names it
  std::uint64_t nodes = 0;  ///< more than ranks: a hop-level schedule
  /// Algorithms: the parameters that were left open, and the values that were chosen for them.
  std::vector<std::pair<std::string, std::string>> chosen = {};
  /// Fat trees: what is claimed of the longest queues at the links of the routers, by level from 1
  /// on; shown beside those that are measured.
  std::vector<std::uint64_t> claimed_queues = {};
  /// A file that holds a program: threadblocks rather than steps. `open` then gives the steps that
  /// it amounts to, or throws InputError with the reason where there are none.
  std::shared_ptr<const Program> program = nullptr;
  /// Starts the steps from the beginning. Reading may throw InputError with the place.
  std::function<std::unique_ptr<StepStream>()> open;

  bool hop_level() const { return nodes > problem.ranks; }
};

/// A schedule in memory as a source. `nodes` above the problem's ranks: it is at hop level.
Source from_schedule(Problem problem, std::shared_ptr<const Schedule> schedule,
                     std::uint64_t nodes = 0);

}  // namespace schedcc
