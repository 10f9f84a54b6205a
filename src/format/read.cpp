// Detects the format of a file: by its content, and if no format recognises that, by its extension.

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "core/encoding.hpp"
#include "core/input_text.hpp"
#include "format/entry.hpp"
#include "format/problem_file.hpp"
#include "format/sched/reader.hpp"

namespace schedcc {

namespace {

bool has_extension(const Format& format, std::string_view path) {
  return std::ranges::any_of(format.extensions, [&](std::string_view extension) {
    return path.size() > extension.size() && path.ends_with(extension);
  });
}

[[noreturn]] void only_written(const Format& format, const std::string& path) {
  throw InputError({path, 0, 0}, fmt::format("format '{}' is only written, not read", format.name));
}

void refuse_empty(std::string_view text, const std::string& path) {
  if (text.find_first_not_of(" \t\r\n") != std::string_view::npos) return;
  throw InputError({path, 1, 1}, "the file is empty");
}

/// The formats that are read. Those that have the extension of `path` come first, the one with the
/// longest before the others.
std::vector<const Format*> candidates(const std::string& path) {
  const Format* known = format_by_extension(path);
  if (known != nullptr && !known->readable) only_written(*known, path);
  std::vector<const Format*> result;
  std::ranges::copy_if(formats(), std::back_inserter(result),
                       [](const Format* format) { return format->readable; });
  std::stable_partition(result.begin(), result.end(),
                        [&](const Format* format) { return has_extension(*format, path); });
  std::stable_partition(result.begin(), result.end(),
                        [&](const Format* format) { return format == known; });
  return result;
}

const Format& chosen(const std::vector<const Format*>& candidates, const std::string& path,
                     std::string_view text) {
  if (candidates.front()->recognises(text)) return *candidates.front();
  refuse_utf16(text, path);
  std::string names;
  for (const Format* format : candidates) {
    if (format->recognises(text)) return *format;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", format->name);
  }
  const bool known = has_extension(*candidates.front(), path);
  for (const Format* format : formats()) {
    const bool possible = !known || has_extension(*format, path);
    if (possible && !format->readable && format->recognises(text)) only_written(*format, path);
  }
  // The extension decides, so that the message is that of its reader.
  if (known) return *candidates.front();
  refuse_byte_order_mark(text, path);
  throw InputError(
      {path, 1, 1},
      fmt::format("unrecognised format (tried {}); a .sched file begins with the line 'schedcc 1'",
                  names));
}

/// Reads a schedule from the text of a file.
Source read(const InputText& text, const std::string& path, std::string_view format) {
  if (!format.empty()) {
    const Format& named = find_format(format);
    if (!named.readable) only_written(named, path);
    refuse_empty(text.view(), path);
    return FormatEntry::of(named).read(text, path);
  }
  const auto formats = candidates(path);
  refuse_empty(text.view(), path);
  return FormatEntry::of(chosen(formats, path, text.view())).read(text, path);
}

/// Is the first word of a text, after comments, `pre` or `post`?
bool states_only_ends(std::string_view text) {
  while (!text.empty()) {
    const std::size_t begin = text.find_first_not_of(" \t\r\n");
    if (begin == std::string_view::npos) return false;
    text.remove_prefix(begin);
    if (text.front() != '#') break;
    text.remove_prefix(std::min(text.find('\n'), text.size()));
  }
  return text.starts_with("pre ") || text.starts_with("post ");
}

/// The custom collective of `pre` and `post` lines, read as the header of a schedule that they are.
Source read_ends(std::string_view lines, const std::string& path, Rank ranks) {
  constexpr std::uint32_t added = 4;  // lines of the header before them
  const auto parse = [&](std::uint64_t chunks) {
    return read_sched(
        InputText::of(fmt::format("schedcc 1\ncollective custom\nranks {}\nchunks {}\n{}", ranks,
                                  chunks, lines)),
        path);
  };
  try {
    std::uint64_t chunks = 1;
    const Source all = parse(UINT32_MAX);
    for (const auto holdings : {all.problem.pre(), all.problem.post()}) {
      for (const Holding& holding : holdings) {
        for (const Run& run : holding.runs)
          chunks = std::max(chunks, std::uint64_t{run.first} + run.count);
      }
    }
    return parse(chunks);
  } catch (InputError& error) {
    if (error.location.line > added) error.location.line -= added;
    throw;
  }
}

}  // namespace

Source read_file(const std::string& path, std::string_view format) {
  return read(InputText::open(path), path, format);  // a missing file is reported first
}

Source read_text(std::string text, const std::string& name, std::string_view format) {
  return read(InputText::of(std::move(text)), name, format);
}

bool names_file(std::string_view name) {
  return name == "-" || name.find('/') != std::string_view::npos ||
         name.substr(0, name.find(':')).find('.') != std::string_view::npos ||
         format_by_extension(name) != nullptr;
}

Source read_problem_file(const std::string& path, Rank ranks) {
  const InputText text = InputText::open(path);
  return states_only_ends(text.view()) ? read_ends(text.view(), path, ranks) : read(text, path, {});
}

}  // namespace schedcc
