#pragma once

// `compile --sample`.

#include "cli/commands.hpp"
#include "cli/emit_format.hpp"
#include "cli/options.hpp"

namespace schedcc::cli {

/// Looks at a sample of the schedule, reports on it, and writes its kernel, if that is asked for
/// and nothing is found. Throws UsageError for what needs the whole schedule.
Status compile_sample(const Emission& output, const CompileOptions& options);

}  // namespace schedcc::cli
