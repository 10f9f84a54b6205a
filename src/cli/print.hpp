#pragma once

// The only code that turns reports and errors into text.

#include <cstdint>
#include <cstdio>
#include <string>

#include "cli/options.hpp"
#include "core/counted.hpp"
#include "core/json.hpp"
#include "schedcc/error.hpp"
#include "schedcc/report.hpp"

namespace schedcc::cli {

/// Writes text with colour where a terminal (or the user) wants it.
class Printer {
 public:
  /// `fd`: standard output or standard error, which decides about `Color::automatic`.
  Printer(int fd, Color color);

  /// "error" or "warning" in the colour that compilers use.
  std::string severity(Severity severity) const;
  std::string verdict(Verdict verdict) const;
  std::string bold(std::string_view text) const;

 private:
  std::string paint(std::string_view code, std::string_view text) const;
  bool colored_;
};

/// "FILE:LINE:COLUMN: error: MESSAGE", or "schedcc: error: MESSAGE" where there is no place.
std::string text(const Printer& printer, const SourceLocation& place, const std::string& message);

/// The findings, a line each, and a line with the verdict and the figures.
std::string text(const Printer& printer, const Report& report);
/// The line with the verdict and the figures alone.
std::string summary(const Printer& printer, const Report& report);

Json json(const Report& report);
/// The entry of a file that could not be read.
Json json(const SourceLocation& place, const std::string& message);

}  // namespace schedcc::cli
