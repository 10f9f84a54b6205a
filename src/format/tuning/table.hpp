#pragma once

// Tables by which a library chooses an algorithm for a call, as the library's own parser reads
// them: rules in their order, and what that parser drops, skips or reads differently.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/lint_finding.hpp"
#include "format/tuning/interval.hpp"

namespace schedcc {

enum class TuningFormat : std::uint8_t {
  ompi_rules,  ///< Open MPI, coll_tuned_dynamic_rules_filename, as text
  ompi_json,   ///< the same as JSON
  nccl_tuner,  ///< NCCL, the example of a tuner plugin, as CSV
};
inline constexpr std::size_t tuning_formats = 3;
std::string_view name(TuningFormat format);
/// The names of all formats, in the order of the enumeration.
std::span<const std::string_view> tuning_format_names();
/// The format of this name; none if there is none.
std::optional<TuningFormat> find_tuning_format(std::string_view name);
/// The library, as `libraries` names it (algorithm/library_names.hpp).
std::string_view library(TuningFormat format);

/// A rule as it was read.
struct TuningRule {
  std::uint32_t line = 0, column = 0;
  std::string collective;  ///< the library's word
  std::string algorithm;   ///< the library's word; empty: none, or a number that does not exist
  std::uint64_t number = 0;
  Interval ranks;  ///< the numbers of ranks that take it, if no rule before it serves them
  Interval bytes;  ///< the same for sizes, as the library counts them
  /// Open MPI: the least number of ranks that the file states for it; 0: none.
  std::uint64_t stated_ranks = 0;
  std::uint64_t fanout = 0, segment = 0;
  /// Further conditions, -1 any. Of NCCL nodes, numPipeOps, regBuff; and the protocol. Of Open
  /// MPI's JSON the distribution of ranks on nodes, as one of these: 1 one-per-node, 2 single-node.
  std::int64_t nodes = -1, pipe_ops = -1, registered = -1;
  std::string protocol = {};
  /// May a call take it, if only to fail? A rule that the library cannot apply, or whose numbers
  /// match no call, is kept for the listing, and has a finding.
  bool applies = true;
};

struct TuningTable {
  TuningFormat format = TuningFormat::ompi_rules;
  std::string file;
  bool dropped = false;  ///< the library drops the whole file
  std::vector<TuningRule> rules;
  std::vector<LintFinding> findings;

  void add(Severity severity, std::string_view rule, std::uint32_t line, std::uint32_t column,
           std::string message) {
    findings.push_back({severity, rule, {file, line, column}, std::move(message)});
  }
};

/// The most rules of a table.
inline constexpr std::size_t max_rules = 10000;

/// The collectives of NCCL's tables; the plugin reads any other word as the first.
inline constexpr std::array<std::string_view, 5> nccl_collectives{
    "allreduce", "allgather", "broadcast", "reduce", "reducescatter"};

/// The algorithms that NCCL has for a collective of these.
std::vector<std::string_view> nccl_algorithms_of(std::string_view collective);

/// The format that the text looks like; none: no table.
std::optional<TuningFormat> tuning_format(std::string_view text);

/// Reads a table; `file` is its name for messages. Throws InputError for one with too many rules
/// (in JSON with the communicator rules), and for JSON that is malformed or has values of other
/// types.
TuningTable read_tuning_table(std::string_view text, const std::string& file, TuningFormat format);

TuningTable read_ompi_rules(std::string_view text, const std::string& file);
TuningTable read_ompi_json(std::string_view text, const std::string& file);
TuningTable read_nccl_tuner(std::string_view text, const std::string& file);

}  // namespace schedcc
