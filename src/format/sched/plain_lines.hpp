#pragma once

// Lines of transfers as schedcc writes them, which are nearly all lines of large files: read
// without looking for comments, other white space and lists of ranges, several times as fast.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "schedcc/schedule.hpp"

namespace schedcc {

/// What was read: whole lines.
struct PlainLines {
  std::size_t bytes = 0;
  std::uint32_t lines = 0;
};

/// Reads the lines "SRC -> DST : FIRST[-LAST][ reduce]" at the start of the text, with one space
/// between tokens, and appends their transfers and the numbers of their lines, the first of which
/// is `line`. Stops before a line of any other form, or with a number of ten digits, and near the
/// end of the text.
PlainLines read_plain_lines(std::string_view text, std::uint32_t line, Transfers& transfers,
                            std::vector<std::uint32_t>& lines);

}  // namespace schedcc
