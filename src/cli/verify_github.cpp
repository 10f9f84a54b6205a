// verify --format github: https://docs.github.com/actions, "Workflow commands for GitHub Actions".

#include <fmt/core.h>

#include "cli/verify_outcome.hpp"

namespace schedcc::cli {

namespace {

/// As the commands escape it; in the value of a property also colons and commas.
std::string escaped(std::string_view text, bool property) {
  std::string result;
  for (const char c : text) {
    const bool special = c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ','));
    result += special ? fmt::format("%{:02X}", static_cast<unsigned char>(c)) : std::string(1, c);
  }
  return result;
}

std::string_view command(Severity severity) {
  return severity == Severity::error     ? "error"
         : severity == Severity::warning ? "warning"
                                         : "notice";
}

std::string annotation(const Remark& remark) {
  std::string location = fmt::format("file={}", escaped(remark.location.file, true));
  if (remark.location.line != 0) location += fmt::format(",line={}", remark.location.line);
  if (remark.location.column != 0) location += fmt::format(",col={}", remark.location.column);
  return fmt::format("::{} {},title=schedcc {}::{}\n", command(remark.severity), location,
                     remark.rule, escaped(remark.message, false));
}

}  // namespace

std::string github_text(const std::vector<Outcome>& outcomes, bool quiet) {
  std::string result;
  for (const Outcome& outcome : outcomes) {
    if (quiet && outcome.status == ok) continue;
    for (const Remark& remark : remarks(outcome)) result += annotation(remark);
    result += verdict_line(outcome);
  }
  return result;
}

}  // namespace schedcc::cli
