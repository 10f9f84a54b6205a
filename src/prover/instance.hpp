#pragma once

// A problem on a machine as the encodings see it: nodes and arcs.

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "prover/deliveries.hpp"
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

}  // namespace schedcc::prover
