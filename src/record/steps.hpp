#pragma once

// The steps of recorded messages.
//
// A message takes the first step that its data allow and in which its sender and its receiver have
// a free port. It comes after the messages that its data are made of, after the sender's messages
// before it, and after those that the sender had received before. The last two keep the program's
// own order. If they contradict the data (a rank may combine what it received long ago), only the
// data count.

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "record/replay.hpp"
#include "schedcc/machine.hpp"
#include "schedcc/schedule.hpp"

namespace schedcc::record {

/// The schedule of an execution, and the chunks of its message, or of a block: as many as its
/// messages tell apart.
struct Steps {
  std::uint32_t chunks;
  std::shared_ptr<const Schedule> schedule;
};

/// None if the data contradict any order of the messages.
std::optional<Steps> steps(const BeginArguments& begin, const std::vector<Message>& messages,
                           const Replay& replay, const PortLimits& ports);

}  // namespace schedcc::record
