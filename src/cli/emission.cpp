#include "cli/emission.hpp"

#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "schedcc/error.hpp"
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

/// What is wrong with what is asked for is no fault of an input.
template <typename F>
void as_usage(F f) {
  try {
    f();
  } catch (const InputError& error) {
    throw UsageError(error.what());
  }
}

Emission named(const std::string& text) {
  const Spec spec = Spec::parse(text);
  const Format& format = find_format(spec.name);
  if (format.write == nullptr) {
    throw UsageError(fmt::format("format '{}' is only read, not written", spec.name));
  }
  Parameters parameters = spec.check(format.parameters, fmt::format("format '{}'", spec.name));
  if (format.check != nullptr) format.check(parameters);
  return {&format, std::move(parameters), spec.text()};
}

}  // namespace

Emission emission(const Options& options) {
  Emission result;
  if (options.json && !options.output) {
    if (options.emit) throw UsageError("with --json the schedule is written only where -o says");
    return result;
  }
  if (options.emit) {
    as_usage([&] { result = named(*options.emit); });
  } else {
    result.format = options.output && *options.output != "-" ? &format_of_file(*options.output)
                                                             : &find_format("sched");
    result.parameters = Spec{}.check(result.format->parameters, "format");
    result.spec = result.format->name;
  }
  return result;
}

void refuse(const Emission& emission, const Source& source, const EmitOptions& options) {
  if (emission.format->refuse == nullptr) return;
  as_usage([&] { emission.format->refuse(source, options); });
}

}  // namespace schedcc::cli
