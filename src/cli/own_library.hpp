#pragma once

// The libraries of schedcc that are loaded while it runs, or into other programs.

#include <optional>
#include <string>

namespace schedcc::cli {

/// The path of a library of this file name: where schedcc is, or where it is installed. None if
/// there is no such file.
std::optional<std::string> own_library(const std::string& name);

}  // namespace schedcc::cli
