#pragma once

// What instructions of programs, and operations of plans, do with memory.

#include <cstdint>

namespace schedcc::program {

enum class AccessKind : std::uint8_t { read, write };

}  // namespace schedcc::program
