#pragma once

// Which format a schedule is written in.

#include <string>

#include "cli/options.hpp"
#include "schedcc/format.hpp"

namespace schedcc::cli {

/// The format to emit, with its checked parameters; none if nothing is to be emitted.
struct Emission {
  const Format* format = nullptr;
  Parameters parameters;
  std::string spec;  ///< as --emit has it
};

/// The format that --emit or the extension of -o names. Throws UsageError.
/// `json`: the report takes standard output.
Emission emission(const OutputOptions& options, bool json);

/// Names the machine as the file that is written has to: paths are relative to that file.
void name_machine_for(const std::string& file, Source& source, EmitOptions& options);

/// Throws UsageError for what the format refuses to write of the source, whatever its steps are.
void refuse(const Emission& emission, const Source& source, const EmitOptions& options);

}  // namespace schedcc::cli
