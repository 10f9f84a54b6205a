#include "cli/emit_format.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "cli/output.hpp"
#include "core/join.hpp"
#include "machine/spec_paths.hpp"
#include "schedcc/error.hpp"
#include "schedcc/format.hpp"

namespace schedcc::cli {

namespace {

/// The longest extension of the format that the file has.
std::string_view extension_of(const Format& format, std::string_view path) {
  std::string_view longest;
  for (const std::string_view extension : format.extensions) {
    if (path.ends_with(extension) && extension.size() > longest.size()) longest = extension;
  }
  return longest;
}

/// Extensions of pictures that Graphviz draws, but schedcc does not.
constexpr auto picture_extensions = std::to_array<std::string_view>(
    {".eps", ".gif", ".jpeg", ".jpg", ".pdf", ".png", ".ps", ".svg", ".svgz", ".webp"});

/// Throws UsageError, with the commands that draw it, if the file is such a picture.
void refuse_picture(const std::string& path) {
  const std::filesystem::path file(path);
  std::string extension = file.extension().string();
  std::ranges::transform(extension, extension.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (std::ranges::find(picture_extensions, extension) == picture_extensions.end()) return;
  const std::string dot = std::filesystem::path(file).replace_extension(".dot").string();
  throw UsageError(fmt::format(
      "schedcc draws .svg, .png and .pdf; for '{}' use '-o {}', then 'dot -T{} {} -o {}'", path,
      dot, extension.substr(1), dot, path));
}

/// Throws UsageError if the extension of the file is that of another format: readers would take the
/// file for that.
void refuse_other_extension(const Format& format, const std::string& path) {
  const Format* named = format_by_extension(path);
  if (named == nullptr) return refuse_picture(path);
  // Where formats share an extension, readers ask for the content.
  if (std::ranges::find(format.extensions, extension_of(*named, path)) != format.extensions.end())
    return;
  throw UsageError(fmt::format(
      "--emit {} does not fit '{}': the extension {} belongs to format '{}'; files of {} have {}{}",
      format.name, path, extension_of(*named, path), named->name, format.name,
      join(format.extensions, ", "),
      format.name == "dot" && draws(*named)
          ? fmt::format("; without --emit, or with --emit {}, it is drawn", named->name)
          : ""));
}

/// By the extension; a name without one, as /dev/null, has the format of standard output.
const Format& format_of_file(const std::string& path) {
  if (!std::filesystem::path(path).has_extension()) return find_format("sched");
  const Format* named = format_by_extension(path);
  if (named != nullptr && named->writable) return *named;
  refuse_picture(path);
  std::vector<std::string_view> known;
  for (const Format* format : formats()) {
    for (const std::string_view extension : format->extensions) {
      if (format->writable && format_by_extension(fmt::format("a{}", extension)) == format) {
        known.push_back(extension);
      }
    }
  }
  throw UsageError(fmt::format(
      "the extension of '{}' is not that of a format; use --emit, or one of the extensions {}",
      path, join(known, ", ")));
}

/// Adds --ranks A..B and --steps A..B as parameters. Throws UsageError for a format that has none.
void add_part(const Format& format, const PartOptions& part, Spec& spec) {
  if (!part.shown_ranks && !part.shown_steps) return;
  if (!draws(format)) {
    std::vector<std::string_view> drawing;
    for (const Format* other : formats()) {
      if (draws(*other)) drawing.push_back(other->name);
    }
    throw UsageError(fmt::format("format '{}' cannot write a part of a schedule; these can: {}",
                                 format.name, join(drawing, ", ")));
  }
  const auto add = [&](const char* key, const std::optional<NumberInterval>& range) {
    if (range) spec.items.push_back({key, {fmt::format("{}..{}", range->first, range->last)}});
  };
  add("ranks", part.shown_ranks);
  add("steps", part.shown_steps);
}

Emission named(const std::string& text, const PartOptions& part) {
  Spec spec = Spec::parse(text);
  const Format& format = find_format(spec.name);
  if (!format.writable) {
    throw UsageError(fmt::format("format '{}' is only read, not written", spec.name));
  }
  add_part(format, part, spec);
  Parameters parameters = spec.check(format.parameters, fmt::format("format '{}'", spec.name));
  format.check(parameters);
  return {&format, std::move(parameters), spec.text()};
}

}  // namespace

bool draws(const Format& format) {
  return std::ranges::find(format.parameters, "steps", &Parameter::name) != format.parameters.end();
}

Emission emission(const OutputOptions& options, bool json, const PartOptions& part) {
  Emission result;
  if (json && !options.output) {
    if (options.emit)
      throw UsageError("with --json, --emit needs -o: the report goes to standard output");
    return result;
  }
  check_shared_output(
      {{"-o -", options.output && is_standard_output(*options.output)}, {"--json", json}});
  if (options.emit) {
    as_usage([&] { result = named(*options.emit, part); });
    if (options.output && !is_standard_output(*options.output))
      refuse_other_extension(*result.format, *options.output);
  } else {
    const Format& format = options.output && *options.output != "-"
                               ? format_of_file(*options.output)
                               : find_format("sched");
    as_usage([&] { result = named(std::string(format.name), part); });
  }
  return result;
}

void name_machine_for(const std::string& file, Source& source, EmitOptions& options) {
  source.machine = machine_spec_for_file(file, source.machine);
  options.machine =
      options.machine->with_spec(machine_spec_for_file(file, options.machine->spec()));
}

void refuse(const Emission& emission, const Source& source, const EmitOptions& options) {
  as_usage([&] { emission.format->refuse(source, options); });
}

}  // namespace schedcc::cli
