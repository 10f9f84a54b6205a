#pragma once

// Advice to cut a message into more chunks.

#include <optional>
#include <string>

#include "schedcc/algorithm.hpp"

namespace schedcc::cli {

/// If the message of `request` is a single chunk by default, and cutting it into one for each rank
/// would take no more steps and less volume, as in the ring: how to get that.
std::optional<std::string> more_chunks(const Algorithm& algorithm, const Request& request);

}  // namespace schedcc::cli
