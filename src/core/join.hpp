#pragma once

// Lists in text. fmt's own join is not used: its header would compile the whole of fmt into each
// file.

#include <string>
#include <string_view>

#include <fmt/core.h>

namespace schedcc {

/// The items of `range`, as "{}" prints each, with `separator` between them.
template <typename Range>
std::string join(const Range& range, std::string_view separator) {
  std::string result;
  bool first = true;
  for (const auto& item : range) {
    if (!first) result += separator;
    first = false;
    result += fmt::format("{}", item);
  }
  return result;
}

}  // namespace schedcc
