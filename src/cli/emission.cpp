#include "cli/emission.hpp"

#include <filesystem>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "schedcc/registry.hpp"

namespace schedcc::cli {

namespace {

/// By the extension; a name without one, as /dev/null, has the format of standard output.
const Format& format_of_file(const std::string& path) {
  if (!std::filesystem::path(path).has_extension()) return find_format("sched");
  const Format* named = format_by_extension(path);
  if (named != nullptr && named->write != nullptr) return *named;
  std::vector<std::string_view> known;
  for (const Format* format : formats()) {
    for (const std::string_view extension : format->extensions) {
      if (format->write != nullptr &&
          format_by_extension(fmt::format("a{}", extension)) == format) {
        known.push_back(extension);
      }
    }
  }
  throw UsageError(
      fmt::format("the extension of '{}' says no format; give --emit, or one of the extensions {}",
                  path, fmt::join(known, ", ")));
}

}  // namespace

Emission emission(const Options& options) {
  Emission result;
  if (options.json && !options.output) {
    if (options.emit) throw UsageError("with --json the schedule is written only where -o says");
    return result;
  }
  if (options.emit) {
    const Spec spec = Spec::parse(*options.emit);
    result.format = &find_format(spec.name);
    if (result.format->write == nullptr) {
      throw UsageError(fmt::format("format '{}' is only read, not written", spec.name));
    }
    result.parameters =
        spec.check(result.format->parameters, fmt::format("format '{}'", spec.name));
    if (result.format->check != nullptr) result.format->check(result.parameters);
    result.spec = spec.text();
  } else {
    result.format = options.output && *options.output != "-" ? &format_of_file(*options.output)
                                                             : &find_format("sched");
    result.parameters = Spec{}.check(result.format->parameters, "format");
    result.spec = result.format->name;
  }
  return result;
}

}  // namespace schedcc::cli
