#pragma once

// Text from compiled format strings, for the lines of which a file may have millions.

#include <iterator>
#include <string>
#include <utility>

#include <fmt/compile.h>

#include "format/text.hpp"

namespace schedcc {

/// Text::print for FMT_COMPILE("...").
template <typename Compiled, typename... Args>
void print(Text& text, const Compiled& format, Args&&... args) {
  text.append([&](std::string& out) {
    fmt::format_to(std::back_inserter(out), format, std::forward<Args>(args)...);
  });
}

}  // namespace schedcc
