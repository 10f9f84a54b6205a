#pragma once

// The schedule of an execution, and what is known of it beside its steps.

#include <memory>
#include <string>
#include <vector>

#include "record/logs.hpp"
#include "schedcc/machine.hpp"
#include "schedcc/problem.hpp"
#include "schedcc/report.hpp"

namespace schedcc::record {

/// The checks of a recording itself, besides completion.
inline constexpr std::string_view result_check = "result", recording_check = "recording";

struct Recording {
  Problem problem;
  std::shared_ptr<const Schedule> schedule;  ///< none: see `unknown`
  std::string unknown;  ///< why there is no schedule, or not the whole of it; empty: there is
  /// Why results that are wrong may be the recorder's doing; empty: they are the program's.
  std::string doubt;
  std::vector<Finding> findings;  ///< errors of the result (notes if there is doubt), and notes
};

/// The recording of an execution that has ended, on a machine with these ports.
Recording recording(const Execution& execution, const PortLimits& ports);

/// The problem that ranks began, with a chunk for a message or a block.
Problem begun_problem(const Execution& execution);

}  // namespace schedcc::record
