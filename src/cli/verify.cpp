// schedcc verify: check schedules from files.

#include <unistd.h>

#include <algorithm>
#include <functional>
#include <new>
#include <stdexcept>

#include <fmt/core.h>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/parallel.hpp"
#include "cli/print.hpp"
#include "cli/progress.hpp"
#include "cli/schedule_files.hpp"
#include "cli/sources.hpp"
#include "cli/verify_outcome.hpp"

namespace schedcc::cli {

namespace {

Outcome verify_file(const ScheduleFile& file, const VerifyOptions& options,
                    const std::function<void(std::uint64_t)>& progress) {
  const std::string& path = file.path;
  if (!file.error.empty()) return {bad_input, std::nullopt, {}, {path, 0, 0}, file.error};
  Outcome outcome;
  try {
    const Input input = open_file(path, options, options);
    require_fitting(options.check, input, options);
    CheckOptions check_options = options.check;
    check_options.strict_format = options.strict_format;
    check_options.progress = progress;
    if (options.same_as) {
      check_options.same_as = std::make_shared<const OtherSchedule>(
          open_other(*options.same_as, input, options, options));
    }
    outcome.notes = notes_text(input, Printer(STDOUT_FILENO, options.color).colored());
    outcome.report = check(input.source, input.machine, check_options);
    outcome.status = status_of(*outcome.report);
  } catch (const InputError& error) {
    outcome = {bad_input, std::nullopt, {}, error.place, error.what()};
    if (outcome.place.file.empty()) outcome.place.file = path;
  } catch (const LimitError& error) {
    outcome = {undecided, std::nullopt, {}, error.place, error.what()};
    if (outcome.place.file.empty()) outcome.place.file = path;
  } catch (const std::bad_alloc&) {
    outcome = {undecided, std::nullopt, {}, {path, 0, 0}, "out of memory"};
  } catch (const std::length_error&) {
    outcome = {undecided, std::nullopt, {}, {path, 0, 0}, "out of memory"};
  }
  return outcome;
}

void print(const Outcome& outcome, const VerifyOptions& options) {
  if (!outcome.report) {
    print_error(text(Printer(STDERR_FILENO, options.color), outcome.place, outcome.message));
    return;
  }
  if (options.quiet && outcome.status == ok) return;
  const Printer printer(STDOUT_FILENO, options.color);
  StandardOutput().write(outcome.notes + to_text(*outcome.report, printer.colored()));
  if (outcome.report->below_bound) {
    print_error(text(Printer(STDERR_FILENO, options.color),
                     SourceLocation{outcome.report->file, 0, 0},
                     "internal error: the schedule holds in fewer steps than the lower bound"));
  }
}

/// Throws UsageError if options contradict each other.
ReportFormat report_format(const VerifyOptions& options) {
  if (!options.json) return options.format;
  if (options.format != ReportFormat::text)
    throw UsageError("--format cannot be combined with --json and --json-lines");
  return options.json_lines ? ReportFormat::json_lines : ReportFormat::json;
}

/// All outcomes in a format for programs. JSON is an array if there may be several files.
std::string document(ReportFormat format, const std::vector<Outcome>& outcomes, bool several,
                     Status status, bool quiet) {
  switch (format) {
    case ReportFormat::text:
      break;
    case ReportFormat::json: {
      Json all = Json::array();
      for (const Outcome& outcome : outcomes) all.push_back(json(outcome));
      return dump(several ? all : all.back());
    }
    case ReportFormat::json_lines: {
      std::string lines;
      for (const Outcome& outcome : outcomes) lines += dump_line(json(outcome));
      return lines;
    }
    case ReportFormat::github:
      return github_text(outcomes, quiet);
    case ReportFormat::sarif:
      return sarif_text(outcomes, status);
    case ReportFormat::junit:
      return junit_text(outcomes);
  }
  return {};
}

}  // namespace

Status verify(const VerifyOptions& options) {
  if (options.arguments.empty()) throw UsageError("verify needs a FILE; '-' is standard input");
  const ReportFormat format = report_format(options);
  const std::vector<std::string>& arguments = options.arguments;
  // A problem on standard input would have to be read for each file.
  const bool again = arguments.size() > 1 && (options.problem == "-" || options.same_as == "-");
  const auto inputs = std::ranges::count(arguments, "-") + (options.same_as == "-" ? 1 : 0) +
                      (options.problem == "-" ? 1 : 0);
  if (again || inputs > 1) {
    throw UsageError("'-' (standard input) is given twice");
  }
  const ScheduleFiles given = schedule_files(arguments, options.from);
  const std::vector<ScheduleFile>& files = given.files;
  for (const auto& [option, value] :
       {std::pair("--problem", options.problem), std::pair("--same-as", options.same_as)}) {
    if (value == "-" && files.size() > 1)
      throw UsageError(fmt::format("{} - is read once, and there are several files", option));
  }
  std::vector<Outcome> outcomes(files.size());
  Progress progress("checking", !options.quiet);
  const auto tick = [&](std::uint64_t n) { progress.show(n, "transfers"); };
  parallel(files.size(), options.jobs, [&](std::size_t i) {
    // Several files at once would overwrite each other's line of progress.
    outcomes[i] = verify_file(
        files[i], options, options.jobs == 1 ? std::function<void(std::uint64_t)>(tick) : nullptr);
  });
  Status status = ok;
  for (const Outcome& outcome : outcomes) {
    status = first_status(status, outcome.status);
    if (format == ReportFormat::text) print(outcome, options);
  }
  if (format != ReportFormat::text) {
    StandardOutput().write(
        document(format, outcomes, given.folders || arguments.size() > 1, status, options.quiet));
  }
  for (const std::string& note : given.notes) {
    if (!options.quiet) print_error(fmt::format("schedcc: note: {}\n", note));
  }
  return status;
}

}  // namespace schedcc::cli
