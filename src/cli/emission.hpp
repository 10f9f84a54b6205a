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

/// Throws UsageError for what the format refuses to write of the source, whatever its steps are.
void refuse(const Emission& emission, const Source& source, const EmitOptions& options);

}  // namespace schedcc::cli
