#pragma once

// Distinguishes the names of files from those of algorithms, where either can be given.

#include <string_view>

namespace schedcc {

/// Is it a file: "-", or a name with a slash, or with a dot before its first colon? (No algorithm
/// has a dot in its name.)
inline bool names_file(std::string_view name) {
  return name == "-" || name.find('/') != std::string_view::npos ||
         name.substr(0, name.find(':')).find('.') != std::string_view::npos;
}

}  // namespace schedcc
