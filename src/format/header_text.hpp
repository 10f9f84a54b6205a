#pragma once

// The parts of the .sched format that other formats use, too.

#include <span>
#include <string_view>

#include "format/text.hpp"
#include "schedcc/source.hpp"

namespace schedcc {

/// The lines before the steps that are not `pre` or `post`, each after `prefix`.
void write_problem_lines(Text& text, const Source& source, std::string_view prefix = "");

/// The lines before the steps, each after `prefix`.
void write_header(Text& text, const Source& source, std::string_view prefix = "");

/// Runs as 4,6-7.
void write_ranges(Text& text, std::span<const Run> runs);

}  // namespace schedcc
