#pragma once

// Numbers of things, in words.

#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/core.h>

namespace schedcc {

/// "1 rank", "2 ranks".
inline std::string counted(std::uint64_t n, std::string_view noun) {
  return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
}

}  // namespace schedcc
