#pragma once

// What is found in a program or a plan, and the element of the file that it is about.

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "schedcc/report.hpp"

namespace schedcc::program {

inline constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

/// An instruction, a threadblock (no step), a GPU (no threadblock either), or the whole (no GPU).
struct ProgramLocation {
  std::uint32_t gpu = none, block = none, step = none;
  std::uint32_t line = 0, column = 0;  ///< in the file; 0: none
  friend bool operator==(const ProgramLocation&, const ProgramLocation&) = default;
};

/// What a check finds without an execution.
struct ProgramFinding {
  std::string_view check;
  ProgramLocation location;
  std::string message;
  /// A note's kind, of which the first is reported and the others are counted: the runtimes ignore
  /// it, or it is not an error. Empty: it is one.
  std::string_view note = {};
  std::vector<ProgramLocation> others = {};  ///< the other instructions that it is about
};

/// The first error; nullptr if there is none.
const ProgramFinding* first_error(const std::vector<ProgramFinding>& findings);

/// A finding of a report. `others`: the other instructions that it is about; what is none of a
/// threadblock, as the caller of a plan, or the same as the location, is left out.
Finding finding_at(const ProgramLocation& location, std::string message,
                   const std::vector<ProgramLocation>& others = {});

}  // namespace schedcc::program
