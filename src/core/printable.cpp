#include "core/printable.hpp"

#include <algorithm>

namespace schedcc {

std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::size_t length = byte(0) < 0x80   ? 1
                             : byte(0) < 0xc2 ? 0
                             : byte(0) < 0xe0 ? 2
                             : byte(0) < 0xf0 ? 3
                             : byte(0) < 0xf5 ? 4
                                              : 0;
  if (length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if (byte(i) >> 6 != 2) return 0;
  }
  // Overlong sequences, surrogates, numbers beyond Unicode, and two that are no characters.
  const bool wrong = (byte(0) == 0xe0 && byte(1) < 0xa0) || (byte(0) == 0xed && byte(1) >= 0xa0) ||
                     (byte(0) == 0xf0 && byte(1) < 0x90) || (byte(0) == 0xf4 && byte(1) >= 0x90) ||
                     (byte(0) == 0xef && byte(1) == 0xbf && byte(2) >= 0xbe);
  return wrong ? 0 : length;
}

std::string without_controls(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const bool plain = length == 1 ? text[0] >= 0x20 && text[0] < 0x7f
                                   : length > 0 && text.substr(0, 2) >= "\xc2\xa0";
    const std::string_view next = text.substr(0, std::max<std::size_t>(length, 1));
    result += plain ? std::string(next) : printable(next);
    text.remove_prefix(next.size());
  }
  return result;
}

}  // namespace schedcc
