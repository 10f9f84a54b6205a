#pragma once

// How long a program is, in messages.

#include <cstdint>
#include <vector>

#include "program/wiring.hpp"

namespace schedcc::program {

/// When the last message has arrived, if a message takes one unit of time, a connection carries one
/// at a time, and nothing else takes any: the longest chain of messages of which each is sent after
/// the previous one has reached its sender, or after it on the same connection. Messages to a GPU
/// over several connections arrive in parallel, and may be combined there one after another.
/// `order` is that of a complete execution. Time and memory: linear.
std::uint64_t length(const Wiring& wiring, const std::vector<Event>& order);

}  // namespace schedcc::program
