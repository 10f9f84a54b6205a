#pragma once

// The report on a recorded execution: what the recording shows by itself, and the checks of its
// schedule.

#include <optional>
#include <string>

#include "cli/options.hpp"
#include "cli/sources.hpp"
#include "record/logs.hpp"
#include "schedcc/report.hpp"

namespace schedcc::cli {

struct RecordedSchedule {
  std::optional<Input> input;  ///< none: the whole of it is not known
  Report report;
};

/// `name`: of the program.
RecordedSchedule recorded_schedule(const record::Execution& execution,
                                   const std::vector<record::Log>& logs, const std::string& name,
                                   const RecordOptions& options);

}  // namespace schedcc::cli
