#include "cli/generator_output.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "format/sched/reader.hpp"
#include "machine/spec_paths.hpp"
#include "schedcc/problem.hpp"

namespace schedcc::cli {

namespace {

/// The word at a location.
std::string_view word_at(std::string_view text, const SourceLocation& location) {
  for (std::uint32_t line = 1; line < location.line; ++line)
    text.remove_prefix(std::min(text.find('\n') + 1, text.size()));
  text.remove_prefix(std::min<std::size_t>(location.column - 1, text.size()));
  return text.substr(0, text.find_first_of(" \t\r\n#"));
}

/// Throws InputError, with the line, if the header does not state the problem that was asked for.
void require_asked(const Source& source, std::string_view text, const GeneratorArguments& asked) {
  const Problem& problem = source.problem;
  const bool custom = problem.declared();  // has chunks of its own
  const auto refuse = [&](std::string_view word, const auto& value, const auto& wanted) {
    throw InputError(
        header_line(text, word, source.file),
        fmt::format("the generator was run with --{0} {2}, but printed a schedule with "
                    "{0} {1}",
                    word, value, wanted));
  };
  if (problem.ranks != asked.ranks) refuse("ranks", problem.ranks, asked.ranks);
  if (!custom && problem.chunks != asked.chunks) refuse("chunks", problem.chunks, asked.chunks);
  if (problem.rooted() && problem.root != asked.root) refuse("root", problem.root, asked.root);
}

}  // namespace

bool begins_otherwise(std::string_view text) {
  while (!text.empty()) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
    if (!text.starts_with('#')) break;
    text.remove_prefix(std::min(text.find('\n'), text.size()));
  }
  return !text.empty() && !is_sched(text);
}

SourceLocation header_line(std::string_view text, std::string_view word, const std::string& file) {
  std::uint32_t number = 0;
  while (!text.empty()) {
    ++number;
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::size_t at = line.find_first_not_of(" \t");
    if (at == std::string_view::npos) continue;
    const std::string_view rest = line.substr(at);
    if (rest.starts_with("step")) break;
    if (!rest.starts_with(word)) continue;
    const std::size_t value = rest.find_first_not_of(" \t", word.size());
    if (value == std::string_view::npos || value == word.size()) continue;
    return {file, number, static_cast<std::uint32_t>(at + value + 1)};
  }
  return {file, 1, 1};
}

Source read_schedule(const InputText& text, const std::string& generator,
                     const GeneratorArguments& asked) {
  Source source = read_sched(text, generator);
  source.name = generator;
  if (source.machine_location.line != 0) {  // its files are relative to the current folder
    source.machine =
        machine_spec_from_file("-", std::string(word_at(text.view(), source.machine_location)));
  }
  require_asked(source, text.view(), asked);
  return source;
}

}  // namespace schedcc::cli
