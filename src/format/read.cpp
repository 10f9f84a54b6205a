// Which format a file is in: by its extension, and where that leaves a choice, or says nothing, by
// its content.

#include <algorithm>
#include <vector>

#include <fmt/core.h>

#include "core/encoding.hpp"
#include "core/input_text.hpp"
#include "core/names.hpp"
#include "core/printable.hpp"
#include "schedcc/format.hpp"

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

/// The formats that are read, of those that have the extension of `path` if any has; that of the
/// longest comes first.
std::vector<const Format*> candidates(const std::string& path) {
  const Format* known = format_by_extension(path);
  if (known != nullptr && known->read == nullptr) only_written(*known, path);
  std::vector<const Format*> result;
  std::ranges::copy_if(formats(), std::back_inserter(result), [&](const Format* format) {
    return format->read != nullptr && (known == nullptr || has_extension(*format, path));
  });
  std::stable_partition(result.begin(), result.end(),
                        [&](const Format* format) { return format == known; });
  return result;
}

const Format& chosen(const std::vector<const Format*>& candidates, const std::string& path,
                     std::string_view text) {
  if (candidates.size() == 1) return *candidates.front();
  refuse_utf16(text, path);
  std::string names;
  for (const Format* format : candidates) {
    if (format->recognises(text)) return *format;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", format->name);
  }
  for (const Format* format : formats()) {
    if (format->read == nullptr && format->recognises != nullptr && format->recognises(text)) {
      only_written(*format, path);
    }
  }
  // The extension says enough for a message that tells what is wrong.
  if (has_extension(*candidates.front(), path)) return *candidates.front();
  refuse_byte_order_mark(text, path);
  throw InputError(
      {path, 1, 1},
      fmt::format("unrecognised format (tried {}); a .sched file begins with the line 'schedcc 1'",
                  names));
}

}  // namespace

const Format* format_by_extension(std::string_view path) {
  const Format* result = nullptr;
  std::size_t longest = 0;
  for (const Format* format : formats()) {
    for (const std::string_view extension : format->extensions) {
      if (extension.size() <= longest || path.size() <= extension.size()) continue;
      if (!path.ends_with(extension)) continue;
      result = format;
      longest = extension.size();
    }
  }
  return result;
}

Source read_file(const std::string& path, std::string_view format) {
  const InputText text = InputText::open(path);  // that there is no such file is said first
  if (!format.empty()) {
    const Format& named = find_format(format);
    if (named.read == nullptr) only_written(named, path);
    refuse_empty(text.view(), path);
    return named.read(text, path);
  }
  const auto formats = candidates(path);
  refuse_empty(text.view(), path);
  return chosen(formats, path, text.view()).read(text, path);
}

const Format& find_format(std::string_view name) {
  const auto named = [&](const Format* format) { return format->name == name; };
  if (std::ranges::none_of(formats(), named)) {
    if (const Format* format = format_by_extension(fmt::format("a.{}", name))) {
      throw InputError(
          fmt::format("unknown format '{}'; did you mean '{}'?", printable(name), format->name));
    }
  }
  return find_named(formats(), "format", name);
}

}  // namespace schedcc
