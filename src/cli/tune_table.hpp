#pragma once

// `tune --emit ompi-rules|ompi-json|nccl-tuner`: a table by which a library chooses.

#include <string>

#include "cli/commands.hpp"
#include "cli/options.hpp"

namespace schedcc::cli {

/// Checks what --emit of `tune` says. Throws UsageError, InputError for a parameter.
void check_tune_emission(const std::string& text);
/// Does --emit name a table?
bool emits_table(const TuneOptions& options);
/// Writes it, and notes on standard error what of the library's is not among the choices. Throws
/// UsageError for options that are not for tables.
Status tune_table(const TuneOptions& options);

}  // namespace schedcc::cli
