#pragma once

#include <cstdint>

#include "schedcc/machine.hpp"
#include "schedcc/problem.hpp"

namespace schedcc {

/// The volume, in bytes, that no schedule on a machine with these ports is below: the sum over its
/// steps of the largest message of each. `bytes` are those of the message, or of a block.
double least_volume(const Problem& problem, const PortLimits& ports, std::uint64_t bytes);

}  // namespace schedcc
