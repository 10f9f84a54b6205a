#pragma once

// Files that state a problem for a program.

#include <string>

#include "schedcc/source.hpp"

namespace schedcc {

/// Reads the problem that a file states for a program over `ranks` ranks: a schedule, of which only
/// the header is used, or only lines `pre` and `post`, which state a custom collective. Throws
/// InputError with the location.
Source read_problem_file(const std::string& path, Rank ranks);

}  // namespace schedcc
