// schedcc compile: build a schedule, check it, emit it.

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "cli/commands.hpp"
#include "cli/compile_wide.hpp"
#include "cli/emission.hpp"
#include "cli/output.hpp"
#include "cli/print.hpp"
#include "cli/progress.hpp"
#include "cli/sources.hpp"
#include "machine/lowering.hpp"
#include "schedcc/emit.hpp"

namespace schedcc::cli {

namespace {

bool is_file_output(const Options& options) { return options.output && *options.output != "-"; }

EmitOptions emit_options(const Emission& emission, const Machine& machine,
                         const std::string& command, const Options& options) {
  EmitOptions result{emission.parameters, machine,
                     fmt::format("{}{} --emit {}", command, options.hop_level ? " --level hop" : "",
                                 emission.spec),
                     "schedule"};
  if (is_file_output(options)) {
    const std::filesystem::path path(*options.output);
    result.command += fmt::format(" -o {}", path.filename().string());
    result.stem = path.stem().string();
  }
  if (!options.quiet) {
    result.note = [](const std::string& message) {
      complain(fmt::format("schedcc: note: {}\n", message));
    };
  }
  return result;
}

/// What is to be written, and how.
struct Writing {
  Source source;
  EmitOptions options;
};

/// Throws UsageError for what the format refuses without a look at the steps.
Writing writing(const Emission& emission, const Input& input, const Options& options) {
  Writing result{options.hop_level ? at_hop_level(input.source, input.machine) : input.source,
                 emit_options(emission, input.machine, input.command, options)};
  if (is_file_output(options)) name_machine_for(*options.output, result.source, result.options);
  refuse(emission, result.source, result.options);
  return result;
}

/// Where it goes: a file, or standard output.
class Destination {
 public:
  explicit Destination(const Options& options) {
    if (is_file_output(options)) file_ = std::make_unique<FileOutput>(*options.output);
  }
  Output& output() { return file_ ? static_cast<Output&>(*file_) : standard_; }
  void commit() {
    if (file_) file_->commit();
  }

 private:
  std::unique_ptr<FileOutput> file_;
  StandardOutput standard_;
};

void write_wide(const WideInput& input, const Emission& emission, const Options& options) {
  Destination destination(options);
  cpp::write_local(input.computed, emit_options(emission, input.machine, input.command, options),
                   destination.output());
  destination.commit();
}

void print(const Report& report, const Options& options) {
  if (options.json) {
    StandardOutput().write(dump(json(report)));
    return;
  }
  const Printer printer(STDERR_FILENO, options.color);
  if (report.verdict() != Verdict::holds || !options.quiet) {
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
  if (const auto wide = wide_problem(output, options)) {
    write_wide(open_wide(*wide, options), output, options);
    return ok;
  }
  const Input input = open_input(options.arguments.front(), options);
  if (options.hop_level && !input.machine.routed()) {
    throw UsageError(fmt::format("machine '{}' has no hop level", input.machine.spec));
  }
  // What cannot be written, and where nothing can be, is found before the work, not after it.
  std::optional<Writing> written;
  std::optional<Destination> destination;
  if (output.format != nullptr) {
    written = writing(output, input, options);
    destination.emplace(options);
  }
  if (options.verify || options.json) {
    const Status status = check_input(input, options);
    if (status != ok) return status;
  }
  if (!written) return ok;
  emit(written->source, *output.format, written->options, destination->output());
  destination->commit();
  return ok;
}

}  // namespace schedcc::cli
