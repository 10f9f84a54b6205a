// schedcc compile: build a schedule, check it, emit it.

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/emission.hpp"
#include "cli/output.hpp"
#include "cli/print.hpp"
#include "cli/progress.hpp"
#include "cli/sources.hpp"
#include "ir/lowering.hpp"
#include "schedcc/registry.hpp"

namespace schedcc::cli {

namespace {

/// What is to be written, and how.
struct Writing {
  Source source;
  EmitOptions options;
};

/// Throws UsageError for what the format refuses without a look at the steps.
Writing writing(const Emission& emission, const Input& input, const Options& options) {
  EmitOptions emit_options{emission.parameters, input.machine,
                           fmt::format("{}{} --emit {}", input.command,
                                       options.hop_level ? " --level hop" : "", emission.spec),
                           "schedule"};
  if (options.output && *options.output != "-") {
    const std::filesystem::path path(*options.output);
    emit_options.command += fmt::format(" -o {}", path.filename().string());
    emit_options.stem = path.stem().string();
  }
  Source source = options.hop_level ? lower(input.source, input.machine) : input.source;
  refuse(emission, source, emit_options);
  return {std::move(source), std::move(emit_options)};
}

void print(const Report& report, const Options& options) {
  if (options.json) {
    StandardOutput().write(dump(json(report)));
    return;
  }
  const Printer printer(STDERR_FILENO, options.color);
  if (report.verdict() == Verdict::violated || !options.quiet) {
    complain(text(printer, report));
  }
}

/// Does a check fail for which the user's own options cannot be the reason?
bool fails_by_itself(const Report& report, const Options& options) {
  return std::ranges::any_of(report.checks, [&](const CheckResult& result) {
    const bool asked_for =
        result.check == "buffers" || result.check == "redundancy" ||
        (result.check == "deadlock" && options.check.blocking != Blocking::sendrecv);
    return result.verdict == Verdict::violated && !asked_for;
  });
}

void explain_fault(const Report& report, const Options& options) {
  const std::string_view what = report.below_bound ? "holds in fewer steps than the bound says"
                                                   : "fails on a machine that it was made for";
  complain(text(Printer(STDERR_FILENO, options.color), Place{},
                fmt::format("a fault of schedcc: {} {}", report.schedule, what)));
}

/// Checks the input and prints the report.
Status check_input(const Input& input, const Options& options) {
  Progress progress("checking", !options.quiet);
  CheckOptions check_options = options.check;
  if (!options.verify) check_options.checks.emplace();
  check_options.progress = [&](std::uint64_t n) { progress.show(n, "transfers"); };
  const Report report = check(input.source, input.machine, check_options);
  print(report, options);
  if (!options.verify) return ok;
  Status status = status_of(report);
  if (status == violated && input.own && fails_by_itself(report, options)) status = fault;
  if (status == fault) explain_fault(report, options);
  return status;
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
  // What cannot be written, and where nothing can be, is found before the work, not after it.
  std::optional<Writing> written;
  if (output.format != nullptr) written = writing(output, input, options);
  std::unique_ptr<FileOutput> file;
  if (output.format != nullptr && options.output && *options.output != "-") {
    file = std::make_unique<FileOutput>(*options.output);
  }
  if (options.verify || options.json) {
    const Status status = check_input(input, options);
    if (status != ok) return status;
  }
  if (!written) return ok;
  StandardOutput standard;
  output.format->write(written->source, written->options,
                       file ? static_cast<Output&>(*file) : standard);
  if (file) file->commit();
  return ok;
}

}  // namespace schedcc::cli
