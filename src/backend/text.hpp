#pragma once

// Text on its way to an Output, handed on in large pieces.

#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <fmt/compile.h>
#include <fmt/format.h>

#include "schedcc/format.hpp"

namespace schedcc {

/// Whoever writes calls `flush` at the end; nothing is written behind an exception's back.
class Text {
 public:
  explicit Text(Output& out) : out_(out) {}

  template <typename... Args>
  void print(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(buffer_), format, std::forward<Args>(args)...);
    if (buffer_.size() >= piece) flush();
  }
  /// The same for FMT_COMPILE("..."), where speed matters.
  template <typename Compiled, typename... Args>
  requires std::is_class_v<Compiled>
  void print(const Compiled& format, Args&&... args) {
    fmt::format_to(std::back_inserter(buffer_), format, std::forward<Args>(args)...);
    if (buffer_.size() >= piece) flush();
  }
  void put(std::string_view text) {
    buffer_.append(text.data(), text.data() + text.size());
    if (buffer_.size() >= piece) flush();
  }
  void flush() {
    if (buffer_.size() != 0) out_.write({buffer_.data(), buffer_.size()});
    buffer_.clear();
  }

 private:
  static constexpr std::size_t piece = std::size_t{1} << 16;
  Output& out_;
  fmt::memory_buffer buffer_;
};

/// The text as a string of JSON, which is one of DOT as well; what is not UTF-8 is replaced.
std::string quoted(std::string_view text);

/// The text for a comment that ends with its line: printable ASCII stays, other bytes are written
/// as their numbers, and so is a backslash at the end.
std::string comment(std::string_view text);

}  // namespace schedcc
