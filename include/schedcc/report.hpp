#pragma once

// Findings of checks, as data and as text.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schedcc/error.hpp"
#include "schedcc/problem.hpp"

#pragma GCC visibility push(default)

namespace schedcc {

/// Three values: an undecided check is never a pass.
enum class Verdict : std::uint8_t { holds, violated, unknown };
std::string_view name(Verdict verdict);

/// A note does not affect the verdict.
enum class Severity : std::uint8_t { note, warning, error };
std::string_view name(Severity severity);

/// A transfer as the schedule states it: at endpoint level on machines with routes, too.
struct TransferLocation {
  std::uint64_t step = 0;  ///< in which it leaves its source
  Rank src = 0, dst = 0;
  bool reduce = false;
  std::uint32_t line = 0;  ///< in the schedule's file; 0: none
  friend bool operator==(const TransferLocation&, const TransferLocation&) = default;
};

/// The cause of errors of causality and delivery. All errors with one cause are one finding.
struct FindingCause {
  /// overwritten, twice, unwanted, stuck, undelivered, absent, early, disorder or untraced:
  /// docs/findings.md, "Causes in JSON".
  std::string_view kind;
  std::optional<std::uint64_t> rank = {};  ///< at which it happens
  /// The transfer that causes it; none if one is missing.
  std::optional<std::uint64_t> step = {}, src = {}, dst = {};
  std::uint32_t line = 0;
  /// `twice`: the transfer by which contributions reach a rank that has them already.
  std::optional<TransferLocation> meets = {};
  /// The errors that it has: chunks that ranks end without, or wrong, these ranks, and transfers
  /// whose source does not hold the chunk, or has contributions that are not in order.
  std::uint64_t chunks = 0, ranks = 0, transfers = 0;
};

/// An instruction of a program, or an operation of a plan.
struct InstructionLocation {
  std::uint64_t rank = 0, threadblock = 0, step = 0;
  std::uint32_t line = 0;  ///< in the program's file; 0: none
  friend bool operator==(const InstructionLocation&, const InstructionLocation&) = default;
};

/// An error in a schedule. Fields that do not apply are empty.
struct Finding {
  std::string_view check;
  Severity severity = Severity::error;
  std::optional<std::uint64_t> step, rank, src, dst, chunk;
  std::optional<std::uint64_t> threadblock = {};  ///< programs; `step` is one of its steps
  std::uint32_t line = 0, column = 0;             ///< in the schedule's file; 0: none
  std::string message;
  std::optional<FindingCause> cause = {};  ///< causality and delivery
  /// If it is about a hop: the transfer that was lowered.
  std::optional<TransferLocation> hop_of = {};
  /// Programs: the other instructions that it is about, as that which races with this one, or waits
  /// in a cycle with it.
  std::vector<InstructionLocation> others = {};
};

/// The verdict of a check.
struct CheckResult {
  std::string_view check;
  Verdict verdict = Verdict::holds;
  std::string reason = {};     ///< why it is unknown, and what would decide it
  std::uint64_t warnings = 0;  ///< its findings that are errors only with --strict
};

/// Lower bounds for the problem on the machine, and their sources; none if no bound is known.
struct LowerBound {
  std::optional<std::uint64_t> steps;   ///< LogP: the time, in cycles
  std::optional<std::uint64_t> volume;  ///< in chunks
  std::string source;                   ///< the paper and theorem, or the argument
};

/// Fat trees: the longest queues at the links of the routers of one level.
struct LevelQueues {
  std::uint32_t level;
  std::uint64_t up = 0, down = 0;             ///< for a link to the parent, for a link to a child
  std::optional<std::uint64_t> claimed = {};  ///< claimed by the schedule's source
};

/// The outcome for one schedule.
struct Report {
  std::string schedule, collective, machine, file;
  std::string title;  ///< the title of a custom collective; may be empty
  /// Algorithms: the parameters that were left open, and the values that were chosen for them.
  std::vector<std::pair<std::string, std::string>> chosen;
  std::uint64_t ranks = 0;            ///< P
  std::uint64_t chunks = 0;           ///< Problem::chunks: K; of custom collectives all chunks
  std::optional<std::uint64_t> root;  ///< none if the collective has none
  bool timed = false;                 ///< LogP: `steps` and the bound are times
  /// The number of the last step plus one, of routed machines at hop level; if `timed`, the cycle
  /// in which the last rank holds its data.
  std::uint64_t steps = 0;
  /// The sum over the steps of the largest message of each, in chunks; 0 for tokens.
  std::uint64_t volume = 0;
  std::uint64_t transfers = 0;  ///< runs of chunks, before they are lowered to hops
  std::uint64_t messages = 0;   ///< of each step the pairs of source and destination, likewise
  std::uint64_t width = 0;      ///< the largest message, in chunks
  std::optional<std::uint64_t> hops;  ///< routed machines: the transfers over single links
  /// Programs: their number. `steps` is then the longest chain of messages of which each waits for
  /// the previous one, `volume` the most chunks that a GPU sends, and each send is a transfer and a
  /// message.
  std::optional<std::uint64_t> threadblocks;
  /// Meshes, crossbars, clusters: the most messages that an edge, or a channel into or out of a
  /// module, carries in a step; none: `links` was not among the checks.
  std::optional<std::uint64_t> congestion;
  std::optional<LowerBound> lower_bound;  ///< none: `bound` was not among the checks
  /// The longest queue, in chunks (docs/semantics.md, "Buffers"); none: `buffers` was not among the
  /// checks.
  std::optional<std::uint64_t> max_buffer;
  std::vector<LevelQueues> queues;  ///< fat trees, by level (1, 2, ...), if max_buffer is set
  std::vector<CheckResult> checks;
  std::vector<Finding> findings;     ///< the first ones
  std::uint64_t findings_total = 0;  ///< all of them
  bool below_bound = false;          ///< all checks hold below the lower bound: an internal error

  /// Violated if any check is, else unknown if any is or there are no checks, else holds.
  Verdict verdict() const;
};

/// The findings, a line each, and a line with the verdict and the figures. `colored`: with the
/// colours of a terminal.
std::string to_text(const Report& report, bool colored = false);
/// A JSON object, as docs/report.schema.json describes it, and a newline.
std::string to_json(const Report& report);

}  // namespace schedcc

#pragma GCC visibility pop
