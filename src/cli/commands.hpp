#pragma once

// The commands of schedcc.

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options.hpp"
#include "schedcc/report.hpp"

namespace schedcc::cli {

/// Exit statuses; see docs/semantics.md, "Exit status".
enum Status : int { ok = 0, violated = 1, bad_input = 2, undecided = 3, internal_error = 70 };

/// The exit status of several tasks: the first of 70, 2, 1, 3, 0 that occurred.
Status first_status(Status a, Status b);

/// The exit status for a report. A schedule that passes all checks below a lower bound is an
/// internal error.
Status status_of(const Report& report);

struct Command {
  std::string_view name;
  std::string_view summary;  ///< a line of the list of commands
  /// The text of --help before the options (usage and description), and after them (examples).
  std::string_view about, examples;
  /// What the exit statuses 0 and 1 mean, for --help; an empty one does not occur.
  std::string_view success, failure;
  /// Runs the command with the arguments after its name.
  Status (*run)(const Command& command, const std::vector<std::string>& arguments);
  /// Calls `use` with the options that the command takes.
  void (*with_options)(const std::function<void(const OptionSet& options)>& use);
};

/// The commands that 'schedcc --help' lists.
std::span<const Command> commands();

/// What 'schedcc --help' prints, and 'schedcc COMMAND --help'.
std::string overview();
std::string help(const Command& command);

/// Runs the command that the arguments after the program's name begin with, or prints help or the
/// version, if requested. Throws UsageError, InputError and OutputError.
Status run(const std::vector<std::string>& arguments);

Status list(const ListOptions& options);
Status compile(const CompileOptions& options);
Status convert(const ConvertOptions& options);
Status prove(const ProveOptions& options);
/// `prove ALGORITHM --all-chunks`.
Status prove_all_chunks(const ProveOptions& options);
Status verify(const VerifyOptions& options);
Status lint(const LintOptions& options);
Status explain(const ExplainOptions& options);
Status show(const ShowOptions& options);
Status cost(const CostOptions& options);
Status tune(const TuneOptions& options);
Status sweep(const SweepOptions& options);
Status record(const RecordOptions& options);
Status completion(const CompletionOptions& options);
/// What 'schedcc list' can list.
std::vector<std::string_view> list_kinds();

}  // namespace schedcc::cli
