#include "cli/print.hpp"

#include <unistd.h>

#include <cstdlib>

#include <fmt/core.h>

namespace schedcc::cli {

Printer::Printer(int fd, Color color)
    : Style(color == Color::always || (color == Color::automatic && ::isatty(fd) == 1 &&
                                       std::getenv("NO_COLOR") == nullptr)) {}

std::string text(const Printer& printer, const SourceLocation& place, const std::string& message) {
  const std::string owner =
      place.file.empty() ? "schedcc" : where(place.file, place.line, place.column);
  return fmt::format("{}: {}: {}\n", printer.bold(owner), printer.severity(Severity::error),
                     message);
}

std::string dump(const Json& document, const GeneralOptions& options) {
  return options.json_lines ? dump_line(document) : schedcc::dump(document);
}

Json json(const SourceLocation& place, const std::string& message) {
  Json result{{"file", place.file}, {"verdict", "unreadable"}};
  if (place.line != 0) result["line"] = place.line;
  if (place.column != 0) result["column"] = place.column;
  result["message"] = message;
  return result;
}

}  // namespace schedcc::cli
