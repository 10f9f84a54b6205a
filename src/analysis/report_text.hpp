#pragma once

// The common parts of the texts of reports and of errors.

#include <cstdint>
#include <string>
#include <string_view>

#include "core/json.hpp"
#include "schedcc/report.hpp"

namespace schedcc {

/// Text with the colours that compilers use, or without.
class Style {
 public:
  explicit Style(bool colored) : colored_(colored) {}

  bool colored() const { return colored_; }
  std::string severity(Severity severity) const;
  std::string verdict(Verdict verdict) const;
  std::string bold(std::string_view text) const;
  /// `code`: that of a colour of terminals, "1;31".
  std::string paint(std::string_view code, std::string_view text) const;

 private:
  bool colored_;
};

/// "FILE:LINE:COLUMN", or as much of it as is known.
std::string where(const std::string& file, std::uint32_t line, std::uint32_t column);
/// "2 -> 0 (step 2, line 14)".
std::string cite(const TransferLocation& location);
/// A finding about a source, as a line.
std::string text(const Style& style, const Finding& finding, const std::string& file,
                 const std::string& schedule);

Json json(const Report& report);
/// A finding about the schedule in `file`; empty: of an algorithm.
Json json(const Finding& finding, const std::string& file);

}  // namespace schedcc
