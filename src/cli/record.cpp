// schedcc record: run an MPI program, and check the schedule of the collective that it implements.

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include <fmt/core.h>

#include "cli/checking.hpp"
#include "cli/commands.hpp"
#include "cli/destination.hpp"
#include "cli/file_error.hpp"
#include "cli/number_list.hpp"
#include "cli/print.hpp"
#include "cli/record_program.hpp"
#include "cli/record_report.hpp"
#include "record/completion.hpp"
#include "schedcc/error.hpp"

namespace schedcc::cli {

namespace {

using Words = std::vector<std::string>;

constexpr std::uint32_t most_ranks = 4096;

std::string with_ranks(std::string text, std::uint32_t ranks) {
  for (std::size_t at = 0; (at = text.find("{}", at)) != std::string::npos;)
    text.replace(at, 2, std::to_string(ranks));
  return text;
}

/// The command with the number of ranks in place of {}, or of the value of -np or -n.
Words command_for(Words command, std::uint32_t ranks) {
  const auto has = [](const std::string& word) { return word.find("{}") != std::string::npos; };
  if (std::ranges::any_of(command, has)) {
    for (std::string& word : command) word = with_ranks(word, ranks);
    return command;
  }
  for (std::size_t i = 0; i + 1 < command.size(); ++i) {
    if (command[i] != "-np" && command[i] != "-n") continue;
    command[i + 1] = std::to_string(ranks);
    return command;
  }
  throw UsageError("--ranks needs '{}' in the command, or its option -np or -n");
}

/// The program in a command: its last word that is a file with a path.
std::string program_name(const Words& command) {
  namespace fs = std::filesystem;
  const auto is_program = [](const std::string& word) {
    std::error_code ignored;
    return word.find('/') != std::string::npos && fs::is_regular_file(word, ignored);
  };
  const auto last = std::find_if(command.rbegin(), command.rend(), is_program);
  if (last != command.rend()) return fs::path(*last).filename().string();
  return command.front();
}

/// x.sched, and for a further execution of the program x-2.sched.
std::string numbered(const std::string& file, std::size_t number) {
  if (number == 1) return file;
  const std::filesystem::path path(file);
  return (path.parent_path() /
          fmt::format("{}-{}{}", path.stem().string(), number, path.extension().string()))
      .string();
}

/// The first rank that failed, in words; empty if none is known.
std::string first_failure(const RecordedRun& run) {
  for (const record::Log& log : run.logs) {
    if (std::string text = record::failure(log.state, log.state.rank); !text.empty()) return text;
  }
  return {};
}

/// The first complaint of the recorder itself; empty if there is none.
std::string complaint(const std::string& errors) {
  const std::size_t begin = errors.find(record::complaint);
  if (begin == std::string::npos) return {};
  const std::size_t at = begin + std::string_view("schedcc: ").size();
  return errors.substr(at, errors.find('\n', at) - at);
}

/// Throws InputError if there is no execution to report on, and LimitError if that is for want of
/// space.
void require_executions(const RecordedRun& run, const std::vector<record::Execution>& executions,
                        const std::string& name) {
  for (const record::Log& log : run.logs) {
    if (log.state.refused != 0) throw InputError({name}, log.state.error);
  }
  if (!executions.empty()) return;
  std::string why = complaint(run.end.errors);
  const auto lost =
      std::ranges::find_if(run.logs, [](const record::Log& log) { return log.state.full != 0; });
  if (lost != run.logs.end()) {
    if (why.empty()) why = record::no_space(lost->state.rank);  // its complaint may be lost, too
    throw LimitError({name}, fmt::format("nothing was recorded: {}", why));
  }
  if (why.empty()) why = first_failure(run);
  if (why.empty() && run.stalled)
    throw InputError({name}, "the program hangs, and has begun no collective");
  if (why.empty() && run.end.signal != 0)
    why = fmt::format("it was killed by signal {}", run.end.signal);
  if (why.empty() && run.end.exit_status != 0)
    why = fmt::format("it ended with exit status {}: {}", run.end.exit_status,
                      first_message(run.end.errors));
  if (why.empty() && run.logs.empty())
    why = "it does not call MPI_Init, or not that of the recorder's MPI library";
  if (why.empty()) why = "it marks no collective by schedcc_record_begin (schedcc/record.h)";
  throw InputError({name}, fmt::format("nothing was recorded: {}", why));
}

/// What the program printed is for the user, on standard error.
void pass_on_output(const RecordedRun& run, const RecordOptions& options) {
  if (options.quiet) return;
  for (const std::string& text : {run.end.output, run.end.errors}) {
    if (!text.empty()) print_error(text.ends_with('\n') ? text : text + "\n");
  }
}

class RecordedProgram {
 public:
  explicit RecordedProgram(const RecordOptions& options)
      : options_(options), library_(recorder_file(options)) {}

  /// Runs the command, reports on its executions, and writes their schedules. `ranks`: of --ranks.
  Status record(const Words& command, std::optional<std::uint32_t> ranks) {
    Status status = ok;
    const std::string name = program_name(command);
    const auto error = file_error(name, [&] { status = record(command, name, ranks); });
    if (!error) return status;
    if (options_.json) reports_.push_back(json(error->location, error->message));
    print_error(text(Printer(STDERR_FILENO, options_.color), error->location, error->message));
    return error->status;
  }

  /// The reports of --json: one, or an array of several.
  void print_reports() const {
    if (options_.json_lines) {
      std::string lines;
      for (const Json& report : reports_) lines += dump_line(report);
      StandardOutput().write(lines);
    } else if (options_.json) {
      Json all = Json::array();
      for (const Json& report : reports_) all.push_back(report);
      StandardOutput().write(dump(reports_.size() == 1 ? reports_.front() : all));
    }
  }

 private:
  Status record(const Words& command, const std::string& name, std::optional<std::uint32_t> ranks) {
    const RecordedRun run = run_recorded(command, library_, options_.timeout);
    pass_on_output(run, options_);
    const auto executions = record::executions(run.logs);
    require_executions(run, executions, name);
    Status status = ok;
    for (std::size_t i = 0; i < executions.size(); ++i) {
      const RecordedSchedule one = recorded_schedule(executions[i], run.logs, name, options_);
      const Status own = report(one.report);
      if (own == ok) write(one, output(ranks, i + 1));
      status = first_status(status, own);
    }
    if (status == ok) note_later_failure(run, name);
    return status;
  }

  Status report(const Report& report) {
    const Status status = cli::status_of(report);
    if (options_.json) {
      reports_.push_back(json(report));
    } else if (!options_.quiet || status != ok) {
      print_report(report, options_);
    }
    return status;
  }

  OutputOptions output(std::optional<std::uint32_t> ranks, std::size_t number) const {
    OutputOptions result = options_;
    if (!result.output) return result;
    if (ranks) result.output = with_ranks(*result.output, *ranks);
    if (is_file_output(result)) result.output = numbered(*result.output, number);
    return result;
  }

  void write(const RecordedSchedule& one, const OutputOptions& output) const {
    if (!output.output && (options_.ranks || options_.json)) return;
    const Emission format = emission(output, options_.json);
    if (format.format == nullptr || !one.input) return;
    Source source = one.input->source;
    EmitOptions writing =
        emit_options(format, one.input->machine, one.input->command, output, options_.quiet);
    if (is_file_output(output)) name_machine_for(*output.output, source, writing);
    refuse(format, source, writing);
    writing.report = std::make_shared<const Report>(one.report);
    Destination destination(output);
    format.format->write(source, writing, destination.output());
    destination.commit();
  }

  /// For example, the program's own test of the result fails, as the recorder has replaced its
  /// data.
  void note_later_failure(const RecordedRun& run, const std::string& name) const {
    if (options_.quiet || (!run.stalled && run.end.exit_status == 0 && run.end.signal == 0)) return;
    // A launcher may take long to end the other ranks.
    const bool hangs = run.stalled && first_failure(run).empty();
    print_error(
        fmt::format("{}: note: the program {} after the collective, whose buffers the recorder has "
                    "overwritten\n",
                    name, hangs ? "hangs" : "fails"));
  }

  const RecordOptions& options_;
  std::string library_;
  std::vector<Json> reports_;
};

}  // namespace

Status record(const RecordOptions& options) {
  if (options.arguments.empty()) throw UsageError("record needs a COMMAND, after '--'");
  if (options.output || !options.json) emission(options, options.json);  // reports errors first
  if (options.check.blocking == Blocking::program) {
    throw UsageError(
        "--blocking program needs the order of a program's calls, and a recording has only their "
        "steps");
  }
  if (options.machine) as_usage([&] { check_machine(*options.machine); });
  if (options.ranks && options.emit && !options.output)
    throw UsageError("with --ranks, --emit needs -o FILE: where to write the schedules");
  if (options.ranks && is_file_output(options) && options.output->find("{}") == std::string::npos)
    throw UsageError("with --ranks, the file of -o needs '{}' in its name, for their number");
  if (is_file_output(options)) Destination{options};  // reports errors before the program runs
  RecordedProgram program(options);
  Status status = ok;
  if (!options.ranks) {
    status = program.record(options.arguments, std::nullopt);
  } else {
    for (const std::uint32_t ranks : number_list(*options.ranks, "--ranks", most_ranks))
      status = first_status(status, program.record(command_for(options.arguments, ranks), ranks));
  }
  program.print_reports();
  return status;
}

}  // namespace schedcc::cli
