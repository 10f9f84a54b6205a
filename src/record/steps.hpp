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
#include "schedcc/problem.hpp"

namespace schedcc::record {

/// The problem of an execution, cut into as many chunks as its messages tell apart, and its
/// schedule; none if its data contradict any order of its messages.
struct Steps {
  Problem problem;
  std::shared_ptr<const Schedule> schedule;
  std::uint64_t words_of_chunk = 0;  ///< the most words of a chunk
};

std::optional<Steps> steps(const BeginArguments& begin, const std::vector<Message>& messages,
                           const Replay& replay, const PortLimits& ports);

}  // namespace schedcc::record
