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

/// What --emit, --json and the extension of -o say. Throws UsageError.
Emission emission(const Options& options);

/// What a source says of its machine, as it has to stand in the file that is written: paths are
/// relative to that file.
void name_machine_for(const std::string& file, Source& source, EmitOptions& options);

/// Throws UsageError for what the format refuses to write of the source, whatever its steps are.
void refuse(const Emission& emission, const Source& source, const EmitOptions& options);

}  // namespace schedcc::cli
