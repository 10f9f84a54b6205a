// schedcc compile: build a schedule, check it, emit it.

#include <unistd.h>

#include <filesystem>

#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/print.hpp"
#include "cli/progress.hpp"
#include "cli/sources.hpp"
#include "ir/lowering.hpp"
#include "schedcc/registry.hpp"

namespace schedcc::cli {

namespace {

/// The format to emit, with its checked parameters; none if nothing is to be emitted.
struct Emission {
  const Format* format = nullptr;
  Parameters parameters;
  std::string spec;  ///< as --emit has it
};

const Format& format_of_file(const std::string& path) {
  std::string known;
  for (const Format* format : formats()) {
    if (format->write == nullptr) continue;
    for (const std::string_view extension : format->extensions) {
      if (path.ends_with(extension)) return *format;
      known += fmt::format("{}{}", known.empty() ? "" : ", ", extension);
    }
  }
  throw UsageError(
      fmt::format("the extension of '{}' says no format; give --emit, or one of the extensions {}",
                  path, known));
}

Emission emission(const Options& options) {
  Emission result;
  if (options.json && !options.output) {
    if (options.emit) throw UsageError("with --json the schedule is written only where -o says");
    return result;
  }
  if (options.emit) {
    const Spec spec = Spec::parse(*options.emit);
    result.format = &find_format(spec.name);
    result.parameters =
        spec.check(result.format->parameters, fmt::format("format '{}'", spec.name));
    result.spec = spec.text();
  } else {
    result.format = options.output && *options.output != "-" ? &format_of_file(*options.output)
                                                             : &find_format("sched");
    result.parameters = Spec{}.check(result.format->parameters, "format");
    result.spec = result.format->name;
  }
  if (result.format->write == nullptr) {
    throw UsageError(fmt::format("format '{}' is only read, not written", result.format->name));
  }
  return result;
}

void emit(const Emission& emission, const Input& input, const Options& options) {
  EmitOptions emit_options{emission.parameters, input.machine,
                           fmt::format("{}{} --emit {}", input.command,
                                       options.hop_level ? " --level hop" : "", emission.spec),
                           "schedule"};
  const Source source = options.hop_level ? lower(input.source, input.machine) : input.source;
  if (!options.output || *options.output == "-") {
    StandardOutput out;
    emission.format->write(source, emit_options, out);
    return;
  }
  emit_options.stem = std::filesystem::path(*options.output).stem().string();
  FileOutput out(*options.output);
  emission.format->write(source, emit_options, out);
  out.commit();
}

void print(const Report& report, const Options& options) {
  if (options.json) {
    StandardOutput().write(dump(json(report)));
    return;
  }
  const Printer printer(STDERR_FILENO, options.color);
  if (report.verdict() == Verdict::violated || !options.quiet) {
    fmt::print(stderr, "{}", text(printer, report));
  }
}

/// The status that a report stands for; a schedule of schedcc's own must hold.
Status status_of(const Report& report, bool own) {
  if (report.below_bound) return fault;
  switch (report.verdict()) {
    case Verdict::holds:
      return ok;
    case Verdict::violated:
      return own ? fault : violated;
    case Verdict::unknown:
      break;
  }
  return undecided;
}

void explain_fault(const Report& report, const Options& options) {
  const Printer printer(STDERR_FILENO, options.color);
  fmt::print(
      stderr, "{}",
      text(printer, Place{},
           report.below_bound
               ? fmt::format("a fault of schedcc: {} holds in fewer steps than the bound says",
                             report.schedule)
               : fmt::format("a fault of schedcc: its own {} fails on a machine that it was "
                             "made for",
                             report.schedule)));
}

}  // namespace

Status compile(const Options& options) {
  if (options.arguments.size() != 1) {
    throw UsageError(
        options.arguments.empty()
            ? "compile needs a SOURCE: an algorithm or a file"
            : fmt::format("compile takes one SOURCE; '{}' is a second one", options.arguments[1]));
  }
  const Emission output = emission(options);
  const Input input = open_input(options.arguments.front(), options);
  if (options.hop_level && !input.machine.routed()) {
    throw UsageError(fmt::format("machine '{}' has no hop level", input.machine.spec));
  }
  if (options.verify || options.json) {
    Progress progress("checking", !options.quiet);
    CheckOptions check_options = options.check;
    if (!options.verify) check_options.checks.emplace();
    check_options.progress = [&](std::uint64_t n) { progress.show(n, "transfers"); };
    const Report report = check(input.source, input.machine, check_options);
    print(report, options);
    const Status status = options.verify ? status_of(report, input.own) : ok;
    if (status == fault) explain_fault(report, options);
    if (status != ok) return status;
  }
  if (output.format != nullptr) emit(output, input, options);
  return ok;
}

}  // namespace schedcc::cli
