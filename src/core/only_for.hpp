#pragma once

// What messages say of an option that does not apply.

#include <string>
#include <string_view>

#include <fmt/core.h>

namespace schedcc {

/// "--fifo applies only to programs".
inline std::string only_for(std::string_view option, std::string_view what) {
  return fmt::format("{} applies only to {}", option, what);
}

}  // namespace schedcc
