#pragma once

#include <string>

#include "schedcc/source.hpp"

namespace schedcc {

/// Reads a schedule in the .sched text format from memory; `name` stands for the file in messages.
/// The header is read at once, the steps as the source is streamed. Throws InputError with the
/// place.
Source read_sched(std::string text, const std::string& name);

/// The same from a file; "-" is standard input.
Source read_sched_file(const std::string& path);

}  // namespace schedcc
