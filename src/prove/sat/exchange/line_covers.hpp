#pragma once

// Total exchanges on a path or a ring of ranks whose messages take their whole route in a step.

#include <cstdint>
#include <vector>

#include "schedcc/problem.hpp"

namespace schedcc::prover {

/// A message on a line: a packet from `origin` to `goal`, positions, of which it takes the whole
/// way, or the first or the last part.
struct LineMessage {
  Rank origin, goal;
  Rank from, to;
  std::uint64_t packet = 0;  ///< its number among those with this origin and goal
};

/// Messages of one step, at most one in either direction over each link, and of each rank.
using LineStep = std::vector<LineMessage>;

/// The steps that links allow, at least, for so many packets from each rank to each other one.
std::uint64_t line_steps(std::uint64_t length, bool ring, std::uint64_t packets);

/// A schedule with that number of steps, on a ring (messages that go half around it take the way
/// upwards) or a path. Empty if there is none for want of ports, or if the line is long.
std::vector<LineStep> exchange_on_line(std::uint64_t length, bool ring, std::uint64_t packets);

}  // namespace schedcc::prover
