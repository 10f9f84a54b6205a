#pragma once

// A problem on a machine in the form that the encodings use: nodes and arcs.

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/saturating.hpp"
#include "prove/sat/question/deliveries.hpp"
#include "schedcc/error.hpp"
#include "schedcc/machine.hpp"
#include "schedcc/problem.hpp"
#include "schedcc/prove.hpp"

namespace schedcc::prover {

/// Are there schedules at endpoint level without an equivalent at hop level? If routes pass through
/// ranks, which do not hold chunks in transit, and the contributions under way must not mix with
/// theirs.
bool hop_level_only(const Question& question);

/// A link or route from a node to another, and the chunks that it carries per round.
struct Arc {
  Rank from, to;
  Saturating capacity;
  std::uint64_t latency = 1;  ///< steps until a sent chunk is held
  /// Without waiting: the links that it takes, one a step, as numbers of Instance::links.
  std::vector<std::size_t> links = {};
  /// The channels that its messages share, in the order of the route: numbers of
  /// Instance::channels.
  std::vector<std::size_t> channels = {};
};

/// The numbers of arcs, by their ends.
using ArcNumbers = std::map<std::pair<Rank, Rank>, std::size_t>;
ArcNumbers arc_numbers(std::span<const Arc> arcs);

struct Instance {
  std::uint64_t ranks = 1, nodes = 1, steps = 0;
  /// Rounds that the steps share beyond one each, and the most of them that one step can use.
  std::uint64_t extra_rounds = 0, step_rounds = 0;
  std::vector<Arc> arcs;            ///< by (from, to)
  std::optional<PortLimits> ports;  ///< messages per rank and step
  std::optional<LogP> logp;
  bool rendezvous = false;                  ///< LogP: a send completes with its receive
  std::uint64_t quickest = 1, slowest = 1;  ///< of the arcs' latencies
  std::vector<Arc> links;                   ///< without waiting: what arcs share
  /// Machines with channels: the messages that each carries per step. Those that always carry all
  /// that their arcs may are left out.
  std::vector<std::uint64_t> channels;
  std::vector<std::vector<std::size_t>> out, in;  ///< of each node: its arcs

  /// Steps of the shortest path between nodes; none if there is no path.
  std::vector<std::vector<std::optional<std::uint64_t>>> distance;
  /// apart[x][v] identifies the component that contains v when node x is removed; none for x
  /// itself.
  std::vector<std::vector<std::optional<Rank>>> apart;

  /// Is there a path of at most this many steps from u to v?
  bool within(Rank u, Rank v, std::uint64_t limit) const {
    return distance[u][v] && *distance[u][v] <= limit;
  }
  /// Steps from the nearest of `sources` to v; none if there is no path.
  std::optional<std::uint64_t> nearest(std::span<const Rank> sources, Rank v) const;
  /// Steps from v to the nearest of `goals`; none if there is no path.
  std::optional<std::uint64_t> to_nearest(Rank v, std::span<const Rank> goals) const;

  /// Chunks that node v can receive in this number of steps, whenever they were sent.
  Saturating receivable(Rank v, std::uint64_t steps_taken) const;
  /// Machines with ports: chunks that all ranks together can send in a step to some of them.
  Saturating step_capacity(std::uint64_t receivers) const;
  /// Chunks that node v can have sent so that others hold them at the beginning of step `t`.
  Saturating sendable(Rank v, std::uint64_t t) const;

 private:
  /// Chunks over some of the arcs of node v in this number of steps, if its ports allow `messages`.
  Saturating carried(Rank v, const std::vector<std::size_t>& some, std::uint64_t steps_taken,
                     std::uint64_t messages) const;
};

/// The question, or its formula, would not fit into memory.
class InstanceTooLarge : public LimitError {
 public:
  using LimitError::LimitError;
};

/// How the time of an instance's schedules runs, as that of the question's schedules is forwards.
enum class Direction : std::uint8_t { forwards, backwards };

/// Throws InputError for a question that the prover does not support, and InstanceTooLarge if even
/// one step would not fit into memory; clauses_refusal() has the limit of all steps. Backwards,
/// every arc is reversed.
Instance make_instance(const Question& question, Direction direction = Direction::forwards);

/// The steps at whose beginning a node may have received a chunk for the first time.
struct Window {
  std::uint64_t first, last;
  bool contains(std::uint64_t t) const { return t >= first && t <= last; }
  bool empty() const { return last < first; }
};

/// The window of chunk and node v, without useless transfers; empty if v never receives it.
Window window(const Instance& instance, const Delivery& chunk, Rank v);

}  // namespace schedcc::prover
