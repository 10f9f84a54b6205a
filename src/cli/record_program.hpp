#pragma once

// Running an MPI program with the recorder preloaded.

#include <string>
#include <vector>

#include "cli/child.hpp"
#include "record/logs.hpp"

namespace schedcc::cli {

struct RecordOptions;

/// How a recorded program ended.
struct RecordedRun {
  ChildEnd end;
  bool stalled = false;  ///< it made no progress, and was stopped
  std::vector<record::Log> logs;
};

/// The library to be preloaded: the given one, or that which was built or installed with schedcc.
/// Throws InputError if there is none.
std::string recorder_file(const RecordOptions& options);

/// Runs the command. Throws UsageError if it cannot be started, InputError if a log is damaged.
RecordedRun run_recorded(const std::vector<std::string>& command, const std::string& recorder,
                         double seconds_without_progress);

}  // namespace schedcc::cli
