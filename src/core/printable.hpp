#pragma once

// Text from inputs, made printable for a message or a comment of one line.

#include <cstddef>
#include <string>
#include <string_view>

#include <fmt/core.h>

namespace schedcc {

/// Printable ASCII is unchanged; other bytes, which may be control sequences of a terminal, are
/// written as their numbers. A text of more than `most` bytes is cut, and ends with "...".
inline std::string printable(std::string_view text, std::size_t most = 64) {
  std::string result;
  for (const char c : text.substr(0, most)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f) {
      result += c;
    } else {
      result += fmt::format("\\x{:02x}", byte);
    }
  }
  return text.size() > most ? result + "..." : result;
}

/// The length of the sequence of UTF-8 that `text` begins with; 0 if it is none.
std::size_t utf8_length(std::string_view text);

/// For messages, which are of one line, and names of files: UTF-8 is unchanged, but for control
/// characters (line breaks are such), which are written as their numbers, and so is what is not
/// UTF-8.
std::string without_controls(std::string_view text);

}  // namespace schedcc
