// schedcc compile: build a schedule, check it, emit it.

#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/core.h>

#include "cli/checking.hpp"
#include "cli/commands.hpp"
#include "cli/compile_sample.hpp"
#include "cli/compile_wide.hpp"
#include "cli/destination.hpp"
#include "cli/job.hpp"
#include "cli/print.hpp"
#include "cli/sources.hpp"
#include "core/only_for.hpp"
#include "machine/lowering.hpp"

namespace schedcc::cli {

namespace {

/// The settings of the writer: those of cli::emit_options, with the options of `compile` in the
/// command.
EmitOptions emit_options(const Emission& emission, const Machine& machine,
                         const std::string& command, const CompileOptions& options) {
  return cli::emit_options(emission, machine,
                           fmt::format("{}{}{}", command, options.hop_level ? " --level hop" : "",
                                       options.no_verify ? " --no-verify" : ""),
                           options, options.quiet);
}

/// The output and its format.
struct WriterInput {
  Source source;
  EmitOptions options;
};

/// Throws UsageError if the format cannot write the source, for any steps.
WriterInput writer_input(const Emission& emission, const Input& input,
                         const CompileOptions& options) {
  WriterInput result{options.hop_level ? at_hop_level(input.source, input.machine) : input.source,
                     emit_options(emission, input.machine, input.command, options)};
  if (is_file_output(options)) name_machine_for(*options.output, result.source, result.options);
  refuse(emission, result.source, result.options);
  return result;
}

void write_wide(const WideInput& input, const Emission& emission, const CompileOptions& options) {
  Destination destination(options);
  write_kernel(input, emission, options, destination);
}

/// Does a check fail that no option of the user made stricter?
bool fails_by_itself(const Report& report, const CheckOptions& options) {
  return std::ranges::any_of(report.checks, [&](const CheckResult& result) {
    const bool stricter = result.check == "buffers" || result.check == "redundancy" ||
                          result.check == "agreement" ||
                          (result.check == "deadlock" && options.blocking != Blocking::sendrecv);
    return result.verdict == Verdict::violated && !stricter;
  });
}

void explain_fault(const Report& report, Color color) {
  const std::string_view what = report.below_bound
                                    ? "passes all checks in fewer steps than the lower bound"
                                    : "fails on a machine that it was designed for";
  print_error(text(Printer(STDERR_FILENO, color), SourceLocation{},
                   fmt::format("internal error: {} {}", report.schedule, what)));
}

/// The report on the input. With --no-verify it has no checks.
Report report_on(const Input& input, const CompileOptions& options) {
  CheckOptions check = options.check;
  if (options.no_verify) check.checks.emplace();
  return check_input(input, check, options, options.quiet);
}

/// Prints the report.
Status print_outcome(const Input& input, const Report& report, const CompileOptions& options) {
  if (!options.json && !options.quiet)
    print_error(notes_text(input, Printer(STDERR_FILENO, options.color).colored()));
  if (options.json || !options.quiet || report.verdict() != Verdict::holds) {
    print_report(report, options);
  }
  if (options.no_verify) return ok;
  Status status = status_of(report);
  if (status == violated && input.made_for_machine && fails_by_itself(report, options.check))
    status = internal_error;
  if (status == internal_error) explain_fault(report, options.color);
  return status;
}

}  // namespace

Status compile(const CompileOptions& options) {
  const std::string& source = only_source(options, "compile");
  const bool sampled = options.sample && !options.emit && !options.output;  // only a report
  const Emission output = emission(options, options.json || sampled, options);
  if (options.seed && !options.sample) throw UsageError(only_for("--seed", "--sample"));
  if (options.sample) return Job::leads() ? compile_sample(output, options) : ok;
  share_input(options, options.check, source == "-" || options.problem == "-");
  if (const auto wide = wide_problem(output, options)) {
    if (Job::leads()) write_wide(open_wide(*wide, options), output, options);
    return ok;
  }
  const Input input = open_input(source, options);
  require_fitting(options.check, input, options);
  if (options.hop_level && !input.machine.routed()) {
    throw UsageError(fmt::format("machine '{}' has no hop level", input.machine.spec()));
  }
  // Errors of the format and of the destination are reported before the schedule is checked.
  std::optional<WriterInput> written;
  std::optional<Destination> destination;
  if (output.format != nullptr) {
    written = writer_input(output, input, options);
    if (Job::leads()) destination.emplace(options);
  }
  if (!options.no_verify || options.json) {
    const auto report = std::make_shared<const Report>(report_on(input, options));
    const Status status = print_outcome(input, *report, options);
    if (status != ok) return status;
    if (written && !options.no_verify) written->options.report = report;
  }
  if (!destination) return ok;
  output.format->write(written->source, written->options, destination->output());
  destination->commit();
  return ok;
}

}  // namespace schedcc::cli
