#pragma once

// How long a program is, in messages.

#include <cstdint>
#include <vector>

#include "program/wiring.hpp"

namespace schedcc::program {

/// When the last message has arrived, if a message takes one unit of time, a connection carries one
/// at a time, and nothing else takes any: the longest chain of messages of which each is sent after
/// the one before it has come to its sender, or behind it on the same connection. What comes to a
/// GPU over several connections comes at once, and may be combined there one after the other.
/// `order` is that of a complete execution. Time and memory: linear.
std::uint64_t length(const Wiring& wiring, const std::vector<Event>& order);

}  // namespace schedcc::program
