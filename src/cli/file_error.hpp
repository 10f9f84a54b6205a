#pragma once

// Errors of one file among several, which do not end the command.

#include <functional>
#include <optional>
#include <string>

#include "cli/commands.hpp"
#include "schedcc/error.hpp"

namespace schedcc::cli {

/// Why a file has no result.
struct FileError {
  Status status;  ///< bad_input, or undecided: a limit was reached
  SourceLocation location;
  std::string message;
};

/// Calls `work`; none if it returns. An error without a file is one of `path`. Throws what is no
/// error of a file: UsageError, OutputError, InternalError.
std::optional<FileError> file_error(const std::string& path, const std::function<void()>& work);

/// Throws such an error, which ends the command.
[[noreturn]] void rethrow(const FileError& error);

}  // namespace schedcc::cli
