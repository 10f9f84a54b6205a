#pragma once

// Simulations with libsimgrid, where schedcc is built with it.

#include <cstdint>
#include <string>
#include <vector>

#include "machine/overheads.hpp"
#include "schedcc/schedule.hpp"
#include "schedcc/units.hpp"

namespace schedcc {

/// What is simulated: ranks that send messages in steps, and the links that these take.
struct Simulation {
  struct Message {
    std::uint64_t step;
    Rank src, dst;
    std::uint64_t bytes;
    std::uint32_t route;  ///< its number in `routes`
  };
  std::vector<Message> messages;                   ///< by step
  std::vector<std::vector<std::uint64_t>> routes;  ///< the links, in order, of each pair of ranks
  std::vector<LinkTime> links;
  Overheads overheads = {};  ///< of a rank
};

/// The version of libsimgrid; empty if schedcc is built without it.
std::string simgrid_version();

/// The time at which all messages have ended, in seconds, in a process of its own. For each step in
/// which a rank takes part it starts all its receives, and then its sends, each after its overhead;
/// it waits until all have ended, and is then busy with the overheads of its receives.
/// Throws LimitError if the simulation fails, as without memory.
double simulate(const Simulation& simulation);

}  // namespace schedcc
