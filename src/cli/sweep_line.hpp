#pragma once

// A line of the state of a sweep: the tally of consecutive cases of a task, as text.
//
// Fields are separated by tabs, the first one being the checksum of the rest, so that a line that
// was changed is recognised. Texts are printable ASCII, with other bytes, and backslashes, as \xNN:
// a line has no end within it, and a reader gets the same bytes back.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cli/sweep_tally.hpp"

namespace schedcc::cli {

struct SweepLine {
  std::size_t task;
  std::uint64_t first, last;  ///< its cases first..last-1
  Tally tally;

  /// With the end of the line.
  std::string text() const;
  /// Of a line without its end; none if it is damaged.
  static std::optional<SweepLine> parse(std::string_view line);
};

/// Printable ASCII, with other bytes, and backslashes, as \xNN.
std::string escaped(std::string_view text);

}  // namespace schedcc::cli
