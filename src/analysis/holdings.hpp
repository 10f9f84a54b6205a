#pragma once

// The state of a run: which node holds which chunk, or which contributions to it, in every step.
//
// A transfer that its sender cannot serve delivers nothing. All sends of a step read the state
// before it; what they carry arrives latency() steps later. causality, delivery and redundancy read
// the outcome, so that the state is advanced once for all of them.
//
// A lowered schedule is advanced by the transfers that leave their sources (RouteEnds): each
// arrives after its last hop, and the nodes between its ends do not change.
//
// A part of the chunks may be followed alone, in memory for that part. Transfers are then cut to
// it, and of the end state only all_complete(), may_disagree() and each_right() may be asked.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/reporter.hpp"
#include "schedcc/machine.hpp"
#include "schedcc/problem.hpp"

namespace schedcc {

class QueueParts;

class Holdings {
 public:
  /// An error of a transfer, at the first chunk that has it.
  struct Fault {
    LocatedTransfer where;
    Chunk chunk;
    std::string detail = {};
  };
  struct Outcome {
    std::vector<Fault> unheld;     ///< the sender does not hold the chunk
    std::vector<Fault> unordered;  ///< the contributions sent are not an interval of ranks
    std::vector<Fault> redundant;  ///< a rank receives a value that it holds
    bool empty() const { return unheld.empty() && unordered.empty() && redundant.empty(); }
    void clear();
  };
  /// A rank that ends without what it must hold.
  struct Shortfall {
    Rank rank;
    Chunk chunk;           ///< the first
    std::uint64_t chunks;  ///< how many
    std::string detail;    ///< the error of the first
  };

  virtual ~Holdings() = default;

  /// The arrivals up to this step, then the sends of the step. `meet`: some chunk may arrive more
  /// than once at a node in this step.
  void advance(const Step& step, bool meet, Outcome& outcome);
  /// All transfers still under way arrive.
  void finish(Outcome& outcome);

  /// Calls `report` with the shortfalls of the first ranks (at most `most`); the number of all
  /// ranks that have one.
  virtual std::uint64_t shortfalls(std::size_t most,
                                   const std::function<void(Shortfall)>& report) const;
  /// Has no rank a shortfall? Without looking for the first.
  bool all_complete() const;
  /// Does a rank hold a chunk as its goal requires?
  bool right(Rank rank, Chunk chunk) const { return satisfied(rank, {chunk, 1}) == 1; }
  /// The chunks that a rank ends without, or wrong: ascending runs, at most `most` of them.
  std::vector<Run> lacking(Rank rank, std::size_t most) const;

  /// The reduction chunks of which ranks may hold right sums with different expressions. Ascending
  /// runs; only where several ranks end with a sum (shares_sums). Of other chunks all right sums
  /// are copies of one, as the last addition was made once, or all were added up in the same way
  /// (SumSplits).
  virtual std::vector<Run> may_disagree() const { return {}; }
  /// For a problem with reductions, calls f(run) for the parts of a run that a rank holds as its
  /// goal requires, ascending, with gaps between them.
  virtual void each_right(Rank, Run, const std::function<void(Run)>&) const {}

 protected:
  Holdings(const Problem& problem, std::uint64_t latency, const Run& part)
      : problem_(problem), latency_(latency), part_(part) {}

  /// Sends all transfers of the step. Those of latency 0 arrive, the others are under way.
  virtual void send(const Step& step, bool meet, Outcome& outcome) = 0;
  /// Delivers the transfers that arrive at `time` or earlier.
  virtual void arrive(std::uint64_t time, Outcome& outcome) = 0;

  /// Called when all transfers have arrived: `satisfied` will be called for up to `chunks` chunks
  /// at each of up to `ranks` ranks.
  virtual void prepare_reads(std::uint64_t chunks, std::uint64_t ranks) = 0;

  /// The number of chunks of a run that a rank holds as the goal requires.
  virtual std::uint64_t satisfied(Rank rank, Run run) const = 0;
  /// Does a rank of a standard collective hold all that it must, of the part?
  virtual bool complete(Rank rank) const;
  /// satisfied() of other holdings.
  static std::uint64_t satisfied_by(const Holdings& other, Rank rank, Run run) {
    return other.satisfied(rank, run);
  }
  /// Why a chunk is not satisfied at the end.
  virtual Shortfall explain(Rank rank, Chunk chunk) const = 0;
  /// Nodes that may have changed since the start, in any order and perhaps several times.
  virtual std::vector<Rank> touched() const = 0;

  bool is_rank(Rank node) const { return node < problem_.ranks; }
  /// When its destination holds what transfer `i` of the step brings.
  std::uint64_t arrival(const Step& step, std::size_t i) const {
    return step.number + (step.origins.empty() ? latency_ : step.origins[i].hops);
  }

  const Problem& problem_;
  std::uint64_t latency_;
  Run part_;  ///< the chunks that are followed

 private:
  bool holds(Rank rank, const Runs& goal) const;
  /// Has only the root a goal?
  bool only_root() const;
  std::optional<Shortfall> shortfall(Rank rank, const Runs& goal) const;
  void lacking(Rank rank, Run run, std::size_t most, std::vector<Run>& result) const;
};

/// The state for problems whose chunks are copied; bits. `part`: the chunks that are followed; of
/// an alltoall, all of some origins.
std::unique_ptr<Holdings> copy_holdings(const Problem& problem, std::uint64_t nodes,
                                        std::uint64_t latency, const Run& part);
/// The same, without bits as long as `queues` tell who holds what (QueueParts::tell_holdings).
/// Nothing checks these preconditions, and results are wrong without them: all nodes are ranks, and
/// what is sent arrives in the next step; `queues` outlive the result; and they have followed a
/// step before `advance` is called with it. Before queues begin, bits are followed. Once they no
/// longer tell it, bits are followed to the end: `reopen` opens the steps again, from the first one
/// on, in `advance` or, if they end too early, in the first question about the end state. Steps
/// after which `queues` still tell it need not be passed to `advance`.
std::unique_ptr<Holdings> queued_holdings(const Problem& problem, const QueueParts& queues,
                                          std::function<std::unique_ptr<StepStream>()> reopen);
/// The state for problems with reduction chunks; sets of contributions.
std::unique_ptr<Holdings> reduction_holdings(const Problem& problem, std::uint64_t nodes,
                                             std::uint64_t latency, const Run& part);

/// Is it a reduction to one rank or to all, of which any order of additions is right?
bool may_be_along_trees(const Problem& problem);
/// The state for one of these, over ranks alone and where what is sent arrives in the next step.
/// Each rank's part of a tree as long as chunks are reduced along trees, else sets of
/// contributions. `reopen` as for queued_holdings.
std::unique_ptr<Holdings> tree_holdings(const Problem& problem,
                                        std::function<std::unique_ptr<StepStream>()> reopen);

}  // namespace schedcc
