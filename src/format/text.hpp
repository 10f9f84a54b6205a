#pragma once

// Text for an Output, passed on in large pieces.

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "schedcc/format.hpp"

namespace schedcc {

/// The caller must call `flush` at the end; nothing is written after an exception.
class Text {
 public:
  explicit Text(Output& out) : out_(out) {}

  template <typename... Args>
  void print(fmt::format_string<Args...> format, Args&&... args) {
    append([&](std::string& out) { out += fmt::format(format, std::forward<Args>(args)...); });
  }
  void put(std::string_view text) {
    append([&](std::string& out) { out += text; });
  }
  /// `fill` appends to the string that it is given.
  template <typename Fill>
  void append(const Fill& fill) {
    fill(buffer_);
    if (buffer_.size() >= piece) flush();
  }
  void flush() {
    if (!buffer_.empty()) out_.write(buffer_);
    buffer_.clear();
  }

 private:
  static constexpr std::size_t piece = std::size_t{1} << 16;
  Output& out_;
  std::string buffer_;
};

/// The text as a string of JSON, which is one of DOT as well; what is not UTF-8 is replaced.
std::string quoted(std::string_view text);

/// The text for an element of HTML or SVG.
std::string element_text(std::string_view text);

/// The text for a comment that ends with its line: printable ASCII stays, other bytes are written
/// as their numbers, and so is a backslash at the end.
std::string comment(std::string_view text);

}  // namespace schedcc
