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

 private:
  std::string paint(std::string_view code, std::string_view text) const;
  bool colored_;
};

/// "FILE:LINE:COLUMN", or as much of it as is known.
std::string where(const std::string& file, std::uint32_t line, std::uint32_t column);

Json json(const Report& report);

}  // namespace schedcc
