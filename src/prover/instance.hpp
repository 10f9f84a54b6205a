#pragma once

// A problem on a machine as the encodings see it: nodes, arcs, and for each chunk where it is and
// who wants it.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

#include "schedcc/error.hpp"
#include "schedcc/machine.hpp"
#include "schedcc/problem.hpp"

namespace schedcc::prover {

/// Is there a schedule with so many steps?
struct Question {
  Problem problem;
  Machine machine;
  std::uint64_t steps = 0;
  std::optional<std::uint64_t> rounds;  ///< topologies: that the steps share; none: one each
  /// Machines with routers: packets may wait in them, and routers copy and combine. Else a transfer
  /// is from rank to rank, and takes its route without waiting, as at endpoint level.
  bool waiting = true;
  /// LogP: messages per pair that are buffered; 0 (a send completes with its receive), or as many
  /// as it takes that none waits.
  std::uint64_t eager = 0;
};

/// A way from a node to another, and the chunks that it carries per round.
struct Arc {
  Rank from, to;
  std::uint64_t capacity;
  std::uint64_t latency = 1;  ///< steps until what is sent is held
  /// Without waiting: the links that it takes, one a step, as numbers of Instance::links.
  std::vector<std::size_t> links = {};
};

/// What a chunk is for: where it, or a contribution to it, starts, and who wants it.
struct Delivery {
  std::vector<Rank> sources;  ///< ascending
  std::vector<Rank> goals;    ///< ascending; of copies, without the sources
  bool reduced = false;       ///< each source has a contribution of its own

  bool starts_at(Rank v) const { return std::ranges::binary_search(sources, v); }
  bool wanted_by(Rank v) const { return std::ranges::binary_search(goals, v); }

  bool operator<(const Delivery& other) const {
    return std::tie(sources, goals, reduced) < std::tie(other.sources, other.goals, other.reduced);
  }
};

struct Instance {
  std::uint64_t ranks = 1, nodes = 1, steps = 0;
  /// Rounds that the steps share beyond one each, and those of them that a step can have use for.
  std::uint64_t extra_rounds = 0, step_rounds = 0;
  std::vector<Arc> arcs;            ///< by (from, to)
  std::optional<PortLimits> ports;  ///< messages per rank and step
  std::optional<LogP> logp;
  bool rendezvous = false;                        ///< LogP: a send completes with its receive
  std::uint64_t quickest = 1, slowest = 1;        ///< of the arcs' latencies
  std::vector<Arc> links;                         ///< without waiting: what arcs share
  std::vector<std::vector<std::size_t>> out, in;  ///< of each node: its arcs

  static constexpr std::uint64_t far = UINT32_MAX;
  /// Steps that the shortest way between nodes takes; `far` where there is none.
  std::vector<std::vector<std::uint64_t>> distance;
  /// apart[x][v] is the part in which v is when node x is taken out.
  std::vector<std::vector<std::uint64_t>> apart;

  /// Chunks that node v can receive in so many steps, whenever they were sent.
  std::uint64_t receivable(Rank v, std::uint64_t steps_taken) const;
  /// Chunks that node v can have sent so that others hold them at the beginning of step `t`.
  std::uint64_t sendable(Rank v, std::uint64_t t) const;

 private:
  /// Chunks over some of the arcs of node v in so many steps, its ports allowing `messages`.
  std::uint64_t carried(Rank v, const std::vector<std::size_t>& some, std::uint64_t steps_taken,
                        std::uint64_t messages) const;
};

/// The formula would not fit into memory.
class TooLarge : public InputError {
 public:
  using InputError::InputError;
};

/// Throws InputError for a machine that the prover has no rules for, and TooLarge. `reversed`:
/// every arc turned round.
Instance make_instance(const Question& question, bool reversed);

/// The steps at whose beginning v may have received a chunk for the first time, the first and the
/// last, if nothing is sent that is of no use. The last is before the first where v never does.
std::pair<std::uint64_t, std::uint64_t> window(const Instance& instance, const Delivery& chunk,
                                               Rank v);

/// The chunks of a collective.
std::vector<Delivery> deliveries(const Problem& problem);

/// Does `goal`, which wants a chunk that is reduced, want the contribution of `source` in it?
bool wants(const Problem& problem, Rank goal, Rank source);

/// Reductions in any order: the chunks of that problem without reductions whose schedules, run
/// backwards on a machine whose arcs are turned round, are exactly those of this one. None where a
/// chunk has several goals, and where some are copied.
std::optional<std::vector<Delivery>> dual(const Problem& problem);

}  // namespace schedcc::prover
