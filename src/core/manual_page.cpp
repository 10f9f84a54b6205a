#include "core/manual_page.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/core.h>

namespace schedcc {

namespace {

/// The parts of a help text, in order; `text` follows the usage.
struct Help {
  std::string_view usage, text, options, statuses, examples;
};

/// The first part of `text`, before `heading`, and the rest after it, which is returned.
std::string_view cut(std::string_view& text, std::string_view heading) {
  const std::size_t at = text.find(heading);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = text.substr(at + heading.size());
  text = text.substr(0, at);
  return rest;
}

Help parts(std::string_view help) {
  Help result;
  result.examples = cut(help, "\nExamples:\n");
  result.statuses = cut(help, "\nExit status:\n");
  result.options = cut(help, "\nOptions:\n");
  help.remove_prefix(help.starts_with("Usage: ") ? 7 : 0);
  result.usage = help.substr(0, help.find('\n'));
  help.remove_prefix(result.usage.size());
  result.text = help;
  return result;
}

/// Calls `use` with each line, without its end.
template <typename Use>
void each_line(std::string_view text, const Use& use) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    use(line);
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
}

std::string_view trimmed(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(' ');
  return begin == std::string_view::npos ? std::string_view() : line.substr(begin);
}

std::string paragraphs(std::string_view text) {
  std::string result;
  bool between = false;
  each_line(text, [&](std::string_view line) {
    if (!line.empty()) result += (between ? ".PP\n" : "") + manual_text(trimmed(line)) + "\n";
    between = line.empty() && !result.empty();
  });
  return result;
}

/// Rows of two columns: an item, and text that may continue below.
std::string items(std::string_view text) {
  std::string result;
  each_line(text, [&](std::string_view line) {
    const std::string_view words = trimmed(line);
    if (words.empty()) return;
    const std::size_t indent = line.size() - words.size();
    if (indent > 6 || (indent > 2 && words.front() != '-')) {
      result += manual_text(words) + "\n";
      return;
    }
    const std::size_t gap = std::min(words.find("  "), words.size());
    result += fmt::format(".TP\n.B {}\n", manual_text(words.substr(0, gap)));
    if (gap < words.size()) result += manual_text(trimmed(words.substr(gap))) + "\n";
  });
  return result;
}

/// Lines as they are.
std::string literal(std::string_view text) {
  std::string result = ".nf\n.RS 2\n";
  each_line(text, [&](std::string_view line) {
    result += manual_text(line.substr(line.starts_with("  ") ? 2 : 0)) + "\n";
  });
  return result + ".RE\n.fi\n";
}

}  // namespace

std::string manual_text(std::string_view text) {
  std::string result = text.starts_with('.') || text.starts_with('\'') ? "\\&" : "";
  for (const char c : text) {
    result += c == '\\' ? "\\e" : c == '-' ? "\\-" : c == '\'' ? "\\(aq" : std::string(1, c);
  }
  return result;
}

std::string manual_head(std::string_view program, std::string_view version,
                        std::string_view summary) {
  std::string title(program);
  for (char& c : title) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return fmt::format(
      ".\\\" Made from the help of the program.\n.TH {} 1 \"\" \"schedcc {}\" \"User Commands\"\n"
      ".SH NAME\n{} \\- {}\n",
      manual_text(title), version, manual_text(program), manual_text(summary));
}

std::string manual_sections(std::string_view help) {
  const Help of = parts(help);
  return fmt::format(
      ".SH SYNOPSIS\n.B {}\n.SH DESCRIPTION\n{}.SH OPTIONS\n{}.SH EXIT STATUS\n{}.SH EXAMPLES\n{}",
      manual_text(of.usage), paragraphs(of.text), items(of.options), items(of.statuses),
      literal(of.examples));
}

std::string manual_subsection(std::string_view help) {
  const Help of = parts(help);
  return fmt::format(".SS {}\n{}{}.PP\nExit status:\n{}.PP\nExamples:\n{}", manual_text(of.usage),
                     paragraphs(of.text), items(of.options), items(of.statuses),
                     literal(of.examples));
}

}  // namespace schedcc
