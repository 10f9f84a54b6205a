#pragma once

// The options of the command line: a struct for each command, with the options that it takes.
// Initial values are the defaults; options without a default stay empty if not given.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/option_set.hpp"
#include "cli/usage_error.hpp"
#include "format/selection.hpp"
#include "schedcc/check.hpp"
#include "schedcc/cost.hpp"

namespace schedcc::cli {

/// When to colour.
enum class Color : std::uint8_t { automatic, always, never };

/// All commands.
struct GeneralOptions {
  std::vector<std::string> arguments;  ///< the operands: SOURCE, FILE...
  bool quiet = false;
  Color color = Color::automatic;
};

/// Commands that can report as JSON.
struct ReportOptions : GeneralOptions {
  bool json = false;
  bool json_lines = false;  ///< implies `json`; only of commands with several reports
};

/// The problem, apart from its numbers of ranks and chunks, and the machine.
struct ProblemOptions {
  std::optional<std::string> collective, machine;
  std::optional<std::uint64_t> root;
  bool ordered = false;
};

/// The numbers of one problem, for an algorithm or for `prove`.
struct SizeOptions {
  std::optional<std::uint64_t> ranks, chunks;
  std::optional<std::string> block_sizes;  ///< a file
};

/// A program that prints schedules, as an algorithm.
struct GeneratorOptions {
  static constexpr double default_timeout = 60;
  std::optional<std::string> generator;  ///< its command
  std::optional<double> timeout;         ///< seconds; none: `default_timeout`
};

/// How a file is read.
struct FileOptions {
  std::optional<std::string> from;     ///< its format
  std::optional<std::string> problem;  ///< the file that states what a program computes
  std::optional<std::string> runtime;  ///< the one that a program is for
  bool strict_format = false;
};

/// A SOURCE: an algorithm and its problem, or a file.
struct SourceOptions : ProblemOptions, SizeOptions, FileOptions, GeneratorOptions {};

/// The destination of a schedule, and its format.
struct OutputOptions {
  std::optional<std::string> emit, output;
};

/// The part of a schedule that is shown; none: all of it.
struct PartOptions {
  std::optional<NumberInterval> shown_ranks, shown_steps;
};

/// The options of checks, which take all processors.
struct CheckingOptions {
  CheckOptions check = {.jobs = 0};
};

/// The cost model.
struct ModelOptions {
  std::optional<std::string> alpha, beta, model;
};

struct ListOptions : ReportOptions {
  bool files = false;  ///< machine files instead of kinds of machines
  bool names = false;  ///< what libraries call the algorithms
};

struct CompileOptions : ReportOptions, SourceOptions, OutputOptions, PartOptions, CheckingOptions {
  bool hop_level = false;
  bool no_verify = false;
  std::optional<std::uint64_t> sample;  ///< ranks in a step each to look at, instead of all
  std::optional<std::uint64_t> seed;    ///< of the sample
};

struct ConvertOptions : GeneralOptions, ProblemOptions, FileOptions, OutputOptions {
  bool verify = false;
};

/// How `verify` reports.
enum class ReportFormat : std::uint8_t { text, json, json_lines, github, sarif, junit };

struct VerifyOptions : ReportOptions, SourceOptions, CheckingOptions {
  ReportFormat format = ReportFormat::text;
  std::optional<std::string> same_as;  ///< the SOURCE to compare with
};

struct LintOptions : ReportOptions, ModelOptions {
  std::optional<std::string> from, runtime, machine;
  std::optional<std::uint64_t> ranks;
  std::size_t max_findings = 1000;
};

struct ExplainOptions : ReportOptions, SourceOptions {
  std::optional<std::uint64_t> rank, chunk, step;
};

struct ShowOptions : GeneralOptions, SourceOptions, OutputOptions, PartOptions, CheckingOptions {
  bool no_verify = false;
};

struct CostOptions : ReportOptions, SourceOptions, ModelOptions, PartOptions {
  std::optional<std::string> output;  ///< a page
  std::optional<std::string> bytes;   ///< the size of the message, or of a block
  std::optional<Receive> receive;
  bool critical_path = false;
  bool csv = false;
  bool no_verify = false;
};

struct TuneOptions : ReportOptions, ProblemOptions, GeneratorOptions, ModelOptions, OutputOptions {
  std::optional<std::string> bytes;     ///< the size of the message, or of a block; or "1KiB..1MiB"
  std::optional<std::string> ranks;     ///< "64,1024"
  std::optional<std::uint64_t> chunks;  ///< none: chosen
  std::optional<std::uint64_t> points;  ///< sizes of a range; none: doubling
  std::string algorithms = "all";
  std::optional<std::string> improvement;  ///< an algorithm
  bool reproducible = false;
  bool csv = false;
};

struct ProveOptions : ReportOptions, SourceOptions, OutputOptions {
  std::optional<std::uint64_t> steps, rounds;
  std::uint64_t eager = 0;  ///< LogP: messages per pair that are buffered
  bool all_chunks = false;
  bool pareto = false, assume_bound = false, no_wait = false;
  std::optional<std::uint64_t> memory;  ///< bytes
  std::optional<std::string> smt2, certificate, solver;
};

struct SweepOptions : ReportOptions, GeneratorOptions, CheckingOptions {
  unsigned jobs = 1;  ///< cases at once, each checked by one thread; 0: one per processor
  std::optional<std::string> collective, machine;
  std::string algorithms = "all", ranks = "2..64", chunks = "1..16";
  bool first_root = false;              ///< root 0 only
  std::uint64_t shard = 0, shards = 1;  ///< this part, counted from 0, and the number of parts
  std::optional<std::string> resume;    ///< the file with what has been checked
};

struct RecordOptions : ReportOptions, OutputOptions, CheckingOptions {
  std::optional<std::string> machine, recorder;
  std::optional<std::string> ranks;  ///< "2..33"
  bool ordered = false;
  double timeout = 20;  ///< seconds without progress
};

struct CompletionOptions : GeneralOptions {};

/// Binds the options that a command takes to the members of its struct.
void declare(OptionSet& set, ListOptions& options);
void declare(OptionSet& set, CompileOptions& options);
void declare(OptionSet& set, ConvertOptions& options);
void declare(OptionSet& set, VerifyOptions& options);
void declare(OptionSet& set, LintOptions& options);
void declare(OptionSet& set, ExplainOptions& options);
void declare(OptionSet& set, ShowOptions& options);
void declare(OptionSet& set, CostOptions& options);
void declare(OptionSet& set, TuneOptions& options);
void declare(OptionSet& set, ProveOptions& options);
void declare(OptionSet& set, SweepOptions& options);
void declare(OptionSet& set, RecordOptions& options);
void declare(OptionSet& set, CompletionOptions& options);

}  // namespace schedcc::cli
