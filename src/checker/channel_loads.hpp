#pragma once

// How many of many ways take each channel of a machine, without looking at each channel.

#include <cstdint>
#include <span>
#include <vector>

#include "schedcc/machine.hpp"

namespace schedcc {

/// Channels that a run of a way, in the order of the runs, fills beyond their capacity.
struct Excess {
  std::size_t run;
  ChannelRun channels;  ///< part of that run
};

/// The most runs that take the same channel. Appends the channels beyond their capacity to
/// `excesses`, each with the run that is the first too much, in the order of the runs and of the
/// channels in a run. Capacities must be the same along a run. Time and memory: those of sorting
/// `runs`.
std::uint64_t count_loads(std::span<const ChannelRun> runs, const Channels& machine,
                          std::vector<Excess>& excesses);

}  // namespace schedcc
