// schedcc verify: check schedules from files.

#include <unistd.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

#include <fmt/core.h>

#include "algorithm/own_algorithm.hpp"
#include "cli/commands.hpp"
#include "cli/file_error.hpp"
#include "cli/job.hpp"
#include "cli/output.hpp"
#include "cli/parallel.hpp"
#include "cli/print.hpp"
#include "cli/progress.hpp"
#include "cli/schedule_files.hpp"
#include "cli/sources.hpp"
#include "cli/verify_outcome.hpp"
#include "core/only_for.hpp"

namespace schedcc::cli {

namespace {

/// The schedule of --same-as, for any of the files.
class ReferenceSchedule {
 public:
  explicit ReferenceSchedule(const VerifyOptions& options) : options_(options) {}

  /// The one to compare `input` with; nullptr without the option. A file is opened once. Throws
  /// InputError if it cannot be read, each time.
  std::shared_ptr<const OtherSchedule> for_input(const Input& input) {
    if (!options_.same_as) return nullptr;
    if (!is_file(*options_.same_as)) return open(input);
    const std::lock_guard lock(opening_);
    if (!file_) file_ = open(input);
    return file_;
  }

 private:
  std::shared_ptr<const OtherSchedule> open(const Input& input) const {
    return std::make_shared<const OtherSchedule>(
        open_other(*options_.same_as, input, options_, options_));
  }

  const VerifyOptions& options_;
  std::mutex opening_;
  std::shared_ptr<const OtherSchedule> file_;
};

/// `jobs`: the most threads for the file.
Outcome verify_file(const ScheduleFile& file, const VerifyOptions& options,
                    ReferenceSchedule& reference, unsigned jobs,
                    const std::function<void(std::uint64_t)>& progress) {
  const std::string& path = file.path;
  if (!file.error.empty()) return {bad_input, std::nullopt, {}, {path, 0, 0}, file.error};
  Outcome outcome;
  auto error = file_error(path, [&] {
    const Input input =
        names_own_algorithm(path) ? open_input(path, options) : open_file(path, options, options);
    require_fitting(options.check, input, options);
    CheckOptions check_options = options.check;
    check_options.strict_format = options.strict_format;
    check_options.jobs = jobs;
    check_options.progress = progress;
    check_options.same_as = reference.for_input(input);
    outcome.notes = notes_text(input, Printer(STDOUT_FILENO, options.color).colored());
    outcome.report = check_together(input.source, input.machine, check_options);
    outcome.status = status_of(*outcome.report);
  });
  if (!error) return outcome;
  Job::note_error(error->location, error->message);
  return {error->status, std::nullopt, {}, std::move(error->location), std::move(error->message)};
}

void print(const Outcome& outcome, const VerifyOptions& options) {
  if (!outcome.report) {
    print_error(text(Printer(STDERR_FILENO, options.color), outcome.location, outcome.message));
    return;
  }
  if (options.quiet && outcome.status == ok) return;
  const Printer printer(STDOUT_FILENO, options.color);
  StandardOutput().write(outcome.notes + to_text(*outcome.report, printer.colored()));
  if (outcome.report->below_bound) {
    print_error(text(Printer(STDERR_FILENO, options.color),
                     SourceLocation{outcome.report->file, 0, 0}, below_bound));
  }
}

/// Files state their own problem.
void require_generator_for_sizes(const VerifyOptions& options) {
  if (std::ranges::any_of(options.arguments, names_own_algorithm)) return;
  for (const auto& [given, option] : {std::pair(options.ranks.has_value(), "--ranks"),
                                      std::pair(options.chunks.has_value(), "--chunks")}) {
    if (given) throw UsageError(only_for(option, "--generator; a file states its own problem"));
  }
}

/// Throws UsageError if options contradict each other.
ReportFormat report_format(const VerifyOptions& options) {
  if (!options.json) return options.format;
  if (options.format != ReportFormat::text)
    throw UsageError("--format cannot be combined with --json and --json-lines");
  return options.json_lines ? ReportFormat::json_lines : ReportFormat::json;
}

/// Prints what was found in each file as soon as that is known, in the order of the files, if the
/// format has a part for each.
class InOrder {
 public:
  InOrder(const std::vector<Outcome>& outcomes, ReportFormat format, const VerifyOptions& options)
      : outcomes_(outcomes), format_(format), options_(options), known_(outcomes.size()) {}

  /// The outcome of the file is there. Called by any thread.
  void note(std::size_t file) {
    const std::lock_guard lock(mutex_);
    known_[file] = true;
    while (next_ < known_.size() && known_[next_]) print_one(outcomes_[next_++]);
  }

 private:
  void print_one(const Outcome& outcome) const {
    if (format_ == ReportFormat::text) print(outcome, options_);
    if (format_ == ReportFormat::json_lines) StandardOutput().write(dump_line(json(outcome)));
  }

  const std::vector<Outcome>& outcomes_;
  const ReportFormat format_;
  const VerifyOptions& options_;
  std::mutex mutex_;
  std::vector<bool> known_;
  std::size_t next_ = 0;
};

/// All outcomes in a format that is one document. JSON is an array if there may be several files.
std::string document(ReportFormat format, const std::vector<Outcome>& outcomes, bool several,
                     Status status, bool quiet) {
  switch (format) {
    case ReportFormat::text:
    case ReportFormat::json_lines:
      break;
    case ReportFormat::json: {
      Json all = Json::array();
      for (const Outcome& outcome : outcomes) all.push_back(json(outcome));
      return dump(several ? all : all.back());
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
  require_generator_for_sizes(options);
  const ReportFormat format = report_format(options);
  const std::vector<std::string>& arguments = options.arguments;
  const auto inputs = std::ranges::count(arguments, "-") + (options.same_as == "-" ? 1 : 0) +
                      (options.problem == "-" ? 1 : 0);
  if (inputs > 1) throw UsageError("'-' (standard input) is given twice");
  share_input(options, options.check, inputs > 0);
  const ScheduleFiles given = schedule_files(arguments, options.from);
  const std::vector<ScheduleFile>& files = given.files;
  for (const auto& [option, value] :
       {std::pair("--problem", options.problem), std::pair("--same-as", options.same_as)}) {
    if (value == "-" && files.size() > 1)
      throw UsageError(fmt::format(
          "{} -: standard input can be read only once, but there are several files", option));
  }
  std::vector<Outcome> outcomes(files.size());
  ReferenceSchedule reference(options);
  Progress progress("checking", !options.quiet);
  const auto tick = [&](std::uint64_t n) { progress.show(n, "transfers"); };
  Job* const job = Job::current();
  const unsigned jobs = job != nullptr ? 1 : options.check.jobs;  // of a job, all share each file
  const bool single = files.size() == 1;
  InOrder in_order(outcomes, format, options);
  parallel(files.size(), jobs, [&](std::size_t i) {
    if (job != nullptr) job->begin(i);
    // Several files at once would overwrite each other's line of progress.
    outcomes[i] =
        verify_file(files[i], options, reference, single ? jobs : 1,
                    single || jobs == 1 ? std::function<void(std::uint64_t)>(tick) : nullptr);
    in_order.note(i);
  });
  Status status = ok;
  for (const Outcome& outcome : outcomes) status = first_status(status, outcome.status);
  if (format != ReportFormat::text && format != ReportFormat::json_lines) {
    StandardOutput().write(
        document(format, outcomes, given.folders || arguments.size() > 1, status, options.quiet));
  }
  for (const std::string& note : given.notes) {
    if (!options.quiet) print_error(fmt::format("schedcc: note: {}\n", note));
  }
  return status;
}

}  // namespace schedcc::cli
