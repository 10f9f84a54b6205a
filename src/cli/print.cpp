#include "cli/print.hpp"

#include <unistd.h>

#include <cstdlib>

#include <fmt/core.h>

#include "cli/job.hpp"
#include "core/printable.hpp"

namespace schedcc::cli {

namespace {

/// Does a terminal show what is written? Launchers of jobs may give their processes terminals of
/// their own, and write what comes from there wherever they are asked to.
bool on_terminal(int fd) { return !Job::launched() && ::isatty(fd) == 1; }

}  // namespace

Printer::Printer(int fd, Color color)
    : Style(color == Color::always ||
            (color == Color::automatic && on_terminal(fd) && std::getenv("NO_COLOR") == nullptr)) {}

std::string text(const Printer& printer, const SourceLocation& location,
                 const std::string& message) {
  const std::string owner =
      location.file.empty() ? "schedcc" : where(location.file, location.line, location.column);
  return fmt::format("{}: {}: {}\n", printer.bold(owner), printer.severity(Severity::error),
                     without_controls(message));
}

std::string dump(const Json& document, const ReportOptions& options) {
  return options.json_lines ? dump_line(document) : schedcc::dump(document);
}

Json json(const SourceLocation& location, const std::string& message) {
  Json result{{"file", location.file}, {"verdict", "unreadable"}};
  if (location.line != 0) result["line"] = location.line;
  if (location.column != 0) result["column"] = location.column;
  result["message"] = message;
  return result;
}

}  // namespace schedcc::cli
