#pragma once

// Algorithms for any machine that is a network of links: its graph for a collective, and why they
// do not serve it.

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "algorithm/shapes.hpp"
#include "machine/link_graph.hpp"

namespace schedcc {

/// The most ranks for which schedules are computed from the links, within a minute; and the most
/// links, or nodes.
constexpr std::uint64_t max_graph_ranks = 128, max_graph_links = 4096;

/// Does the collective go backwards along the schedule of its dual? Then the links count backwards.
bool goes_backwards(Collective collective);

/// The directions in which a collective goes along that schedule: is it backwards? Both for an
/// allreduce.
std::vector<bool> directions(Collective collective);

/// The links of the request's machine, in the direction of an allgather or a broadcast: reversed if
/// `backwards`. Not for requests with a graph_refusal().
LinkGraph graph_of(const Request& request, bool backwards);

/// Why the request's machine has no graph that can be served: none, too large a one, or one in
/// which data cannot get everywhere. None if it has.
std::optional<std::string> graph_refusal(const Request& request);

/// Why a rank cannot send messages to so many ranks in a step, or receive them.
std::string ports_refusal(Rank rank, std::uint64_t ranks, std::uint64_t ports);

/// On machines with ports: why these messages, from rank to rank, cannot all be in one step. None
/// if they can.
using RankPairs = std::set<std::pair<Rank, Rank>>;
std::optional<std::string> messages_refusal(const Machine& machine, const RankPairs& messages);

/// The steps of an allgather, or a broadcast, for the request's collective: backwards for
/// reduce-scatter and reduce, and both for allreduce. `forwards(backwards)` makes its steps on
/// graph_of(request, backwards).
template <typename F>
Steps on_links(const Problem& problem, F forwards) {
  if (problem.collective == Collective::allreduce)
    return sequence(reverse_reducing(forwards(true)), forwards(false));
  const bool backwards = goes_backwards(problem.collective);
  return backwards ? reverse_reducing(forwards(true)) : forwards(false);
}

/// For `AlgorithmEntry::order`: why the reductions `reduction` of a request, of reduce,
/// reduce-scatter or the first half of an allreduce, send contributions that are not an interval of
/// ranks; none if all are. Reads every transfer.
std::optional<std::string> order_refusal(const Request& request, const Steps& reduction);

/// The chunks of each rank's block in an allgather for the problem: K, or those of a vector.
inline Run block_of(const Problem& problem, Rank rank) {
  if (problem.collective == Collective::allreduce)
    return vector_block(problem.chunks, problem.ranks, rank);
  return {rank * problem.chunks, problem.chunks};
}

}  // namespace schedcc
