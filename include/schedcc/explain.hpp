#pragma once

// Explanations: how a rank got its value of a chunk, transfer by transfer.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schedcc/machine.hpp"
#include "schedcc/problem.hpp"
#include "schedcc/report.hpp"
#include "schedcc/source.hpp"

#pragma GCC visibility push(default)

namespace schedcc {

/// The value that is asked about: what `rank` holds of `chunk` at the beginning of `step`.
struct ExplainRequest {
  Rank rank = 0;  ///< of a schedule at hop level also a router
  Chunk chunk = 0;
  std::optional<std::uint64_t> step = {};  ///< none: at the end
};

/// A set of ranks: its first intervals, at most 64, and how many more it has.
struct RankList {
  Intervals first = {};
  std::uint64_t more = 0;
  bool empty() const { return first.empty(); }
};

/// Contributions to a reduction chunk: whose they are, and which of them count more than once.
/// Empty for chunks that are only copied.
struct ContributionList {
  RankList ranks = {}, twice = {};
};

/// A transfer without which the value would be another. The value of its source is that which
/// `sent` left there, or that of the start; it replaces the value of its destination, or is added
/// to what `added_to` left there, or to that of the start.
struct ExplainedTransfer {
  TransferLocation location;
  std::uint64_t arrives = 0;                 ///< the step from which its destination holds it
  std::optional<std::size_t> sent = {};      ///< an earlier transfer of the explanation
  std::optional<std::size_t> added_to = {};  ///< likewise
  bool added_to_start = false;
  ContributionList carries = {}, result = {};  ///< what it carries, what its destination then holds
};

/// A transfer that has no effect because its source does not hold the chunk.
struct FailedTransfer {
  TransferLocation location;
  std::optional<std::uint64_t> first_held = {};  ///< when its source first holds the chunk, if ever
  std::optional<TransferLocation> held_by = {};  ///< the transfer that brings it there
};

/// A contribution that is counted twice, and the two paths on which it came: transfers of the
/// explanation, each as it comes from the origin (none: it is the rank's own). Both end at the
/// destination of `meets`, which is the last of `second`.
struct CountedTwice {
  Rank contributor = 0;
  std::size_t meets = 0;
  std::vector<std::size_t> first = {}, second = {};
};

/// The history of a value. Exact for schedules of any size.
struct Explanation {
  std::string schedule, file, machine;
  ExplainRequest request;
  bool reduction = false;  ///< of a chunk that gathers contributions
  bool starts = false;     ///< the rank starts with the chunk, or with a contribution to it
  bool wanted = false;     ///< the rank must end with the chunk
  bool held = false;
  ContributionList holds = {};
  RankList missing = {}, unwanted = {};  ///< contributions, if it must end with the chunk
  /// The transfers that made the value, in the order in which they arrive, and the last of them;
  /// none if it is that of the start, or nothing is held.
  std::vector<ExplainedTransfer> transfers = {};
  std::optional<std::size_t> made_by = {};
  /// Transfers to the rank that had no effect, and those to their sources, and so on.
  std::vector<FailedTransfer> failed = {};
  std::optional<CountedTwice> counted_twice = {};
  /// The nodes that hold the chunk then; of a reduction that lacks contributions, the first of the
  /// contributors that are missing, and the nodes whose values have its contribution.
  RankList holders = {};
  std::optional<Rank> lost = {};
  /// Without a step: why the rank ends without the chunk, or with a wrong one, as `check` reports
  /// it; empty if nothing is wrong. `traced` is false if that was too much work.
  std::vector<Finding> causes = {};
  bool traced = true;

  /// Is it what the rank must end with, or need it not end with the chunk?
  bool right() const {
    return !wanted || (held && missing.empty() && unwanted.empty() && holds.twice.empty());
  }
};

/// The history of a chunk at a rank. The steps are read once, or twice if no transfer brings the
/// chunk there; memory is proportional to the transfers that carry the chunk. Throws InputError for
/// a rank or a chunk that does not exist, and as `check` does.
Explanation explain(const Source& source, const Machine& machine, const ExplainRequest& request);

/// As text, several lines.
std::string to_text(const Explanation& explanation, bool colored = false);
/// A JSON object, as docs/explain.schema.json describes it, and a newline.
std::string to_json(const Explanation& explanation);

}  // namespace schedcc

#pragma GCC visibility pop
