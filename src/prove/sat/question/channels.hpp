#pragma once

// Machines whose messages share channels within a step: meshes, tori, modules, clusters, topologies
// with ports. All of it follows from the routes that the machine states.

#include <cstdint>
#include <vector>

#include "prove/sat/question/instance.hpp"
#include "prove/sat/solve/poll_limits.hpp"

namespace schedcc::prover {

/// Adds to the instance, whose arcs are those of the machine, the channels that limit messages: not
/// those that always carry as many as the ports of the ranks at their arcs' ends allow. Throws
/// InstanceTooLarge.
void add_channels(Instance& instance, const Question& question);

/// Ranks, and the messages that can leave them in a step.
struct ChannelCut {
  std::vector<bool> inside;  ///< by rank
  std::uint64_t messages;
};

/// The cuts by channels that only messages out of some ranks take, and each of these at least one.
/// Tried are the ranks from which a channel is taken, and those to which it is not. Only cuts that
/// carry less than the ports of the ranks on either side.
std::vector<ChannelCut> channel_cuts(const Instance& instance,
                                     const PollLimits& poll_limits = nullptr);

}  // namespace schedcc::prover
