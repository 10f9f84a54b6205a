#pragma once

// Messages that stand for several of a kind.

#include <cstdint>
#include <string>

#include <fmt/core.h>

namespace schedcc {

/// The end of a message that stands for `more` others, too: " (and 2 more like it)"; empty for 0.
inline std::string more_like_it(std::uint64_t more) {
  return more == 0 ? "" : fmt::format(" (and {} more like it)", more);
}

}  // namespace schedcc
