// schedcc verify: check schedules from files.

#include <unistd.h>

#include <algorithm>
#include <functional>
#include <new>
#include <stdexcept>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/parallel.hpp"
#include "cli/print.hpp"
#include "cli/progress.hpp"
#include "cli/sources.hpp"

namespace schedcc::cli {

namespace {

/// The result for one file.
struct Outcome {
  Status status = ok;
  std::optional<Report> report;
  std::string note;      ///< printed before the report
  SourceLocation place;  ///< of an error
  std::string message;
};

Outcome verify_file(const std::string& path, const VerifyOptions& options,
                    const std::function<void(std::uint64_t)>& progress) {
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
    outcome.note = machine_note(input, Printer(STDOUT_FILENO, options.color).colored());
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
  StandardOutput().write(outcome.note + to_text(*outcome.report, printer.colored()));
  if (outcome.report->below_bound) {
    print_error(text(Printer(STDERR_FILENO, options.color),
                     SourceLocation{outcome.report->file, 0, 0},
                     "internal error: the schedule holds in fewer steps than the lower bound"));
  }
}

void print_json(const std::vector<Outcome>& outcomes) {
  Json all = Json::array();
  for (const Outcome& o : outcomes) {
    all.push_back(o.report ? schedcc::json(*o.report) : json(o.place, o.message));
    if (o.status == undecided && !o.report) all.back()["verdict"] = "unknown";
  }
  StandardOutput().write(dump(outcomes.size() == 1 ? all.back() : all));
}

}  // namespace

Status verify(const VerifyOptions& options) {
  if (options.arguments.empty()) throw UsageError("verify needs a FILE; '-' is standard input");
  const std::vector<std::string>& files = options.arguments;
  // A problem on standard input would have to be read for each file.
  const bool again = files.size() > 1 && (options.problem == "-" || options.same_as == "-");
  const auto inputs = std::ranges::count(files, "-") + (options.same_as == "-" ? 1 : 0) +
                      (options.problem == "-" ? 1 : 0);
  if (again || inputs > 1) {
    throw UsageError("'-' (standard input) is given twice");
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
    if (!options.json) print(outcome, options);
  }
  if (options.json) print_json(outcomes);
  return status;
}

}  // namespace schedcc::cli
