#pragma once

// Words as a POSIX shell takes them.

#include <algorithm>
#include <string>
#include <string_view>

namespace schedcc {

/// Does the shell take the word as it is, wherever it stands after the first?
inline bool is_plain_shell_word(std::string_view word) {
  return !word.empty() && std::ranges::all_of(word, [](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("%+,-./:=@_").find(static_cast<char>(c)) != std::string_view::npos;
  });
}

/// The word, in quotes if the shell would take it otherwise.
inline std::string shell_word(std::string_view word) {
  if (is_plain_shell_word(word)) return std::string(word);
  std::string result = "'";
  for (const char c : word) {
    if (c == '\'') {
      result += R"('\'')";
    } else {
      result += c;
    }
  }
  return result + "'";
}

}  // namespace schedcc
