#pragma once

// Inputs are ASCII or UTF-8. Byte order marks and UTF-16, which some editors write, get messages of
// their own instead of a syntax error.

#include <cstddef>
#include <string>
#include <string_view>

#include "schedcc/error.hpp"

namespace schedcc {

inline constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

/// The text after a byte order mark, for formats that may begin with one: columns do not count it.
inline std::string_view without_byte_order_mark(std::string_view text) {
  return text.substr(text.starts_with(byte_order_mark) ? byte_order_mark.size() : 0);
}

/// Does the text begin with ASCII in UTF-16 without a mark: exactly every other byte is 0? Other
/// zeros mean binary data.
inline bool is_unmarked_utf16(std::string_view text) {
  const std::string_view begin = text.substr(0, 16);
  if (begin.empty() || begin.size() % 2 != 0) return false;
  const std::size_t high = begin[0] == '\0' ? 0 : 1;
  for (std::size_t i = 0; i < begin.size(); ++i) {
    const bool ascii = begin[i] > '\0' && begin[i] <= '~';
    if (i % 2 == high ? begin[i] != '\0' : !ascii) return false;
  }
  return true;
}

/// Throws InputError for a text in UTF-16, with or without its mark.
inline void refuse_utf16(std::string_view text, const std::string& file) {
  const bool marked = text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff");
  if (marked || is_unmarked_utf16(text))
    throw InputError({file, 1, 1}, "the file is in UTF-16; save it in UTF-8");
}

/// Throws InputError where the text begins with a byte order mark of any kind.
inline void refuse_byte_order_mark(std::string_view text, const std::string& file) {
  refuse_utf16(text, file);
  if (text.starts_with(byte_order_mark)) {
    throw InputError({file, 1, 1}, "the file begins with a byte order mark; save it without one");
  }
}

}  // namespace schedcc
