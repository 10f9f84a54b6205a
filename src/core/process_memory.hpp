#pragma once

// The memory that the process has in use, and may use.

#include <cstdint>

namespace schedcc {

/// In bytes: what the process has in memory now; 0 where the system does not say.
std::uint64_t used_memory();

/// In bytes: usable_memory(), or the limit of the control group (a container) where that is less.
std::uint64_t usable_memory_of_group();

}  // namespace schedcc
