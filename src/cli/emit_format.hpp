#pragma once

// The format in which a schedule is written.

#include <string>

#include "cli/options.hpp"
#include "schedcc/format.hpp"

namespace schedcc::cli {

/// The format to emit, with its checked parameters; none if nothing is to be emitted.
struct Emission {
  const Format* format = nullptr;
  Parameters parameters;
  std::string spec;  ///< as in --emit
};

/// The format that --emit or the extension of -o names. Throws UsageError.
/// `json`: the report goes to standard output. `part`: what is shown, for formats that can show a
/// part.
Emission emission(const OutputOptions& options, bool json, const PartOptions& part = {});

/// Does the format draw schedules, and parts of them?
bool draws(const Format& format);

/// The machine's specification for the file that is written: paths are relative to that file.
void name_machine_for(const std::string& file, Source& source, EmitOptions& options);

/// Throws UsageError if the format cannot write the source, for any steps.
void refuse(const Emission& emission, const Source& source, const EmitOptions& options);

}  // namespace schedcc::cli
