#pragma once

// What a schedule loses in a format.

#include <string>
#include <vector>

#include "schedcc/source.hpp"

namespace schedcc {

/// What `after`, read from what was written of `before`, has otherwise or not at all, a phrase for
/// each: "the name 'x'", "the machine simplex (read as kport:k=3)", "the order of a rank's messages
/// within steps". Empty: nothing is lost. Throws InputError as the streams of the sources do.
std::vector<std::string> losses(const Source& before, const Source& after);

/// What a schedule has of the program `source` in any format: only the program's steps. Empty for
/// a source that is not a program.
std::vector<std::string> losses_of_program(const Source& source);

}  // namespace schedcc
