#pragma once

// The links of a machine as a graph, and its narrowest cut for a collective.
//
// Every chunk of the ranks S ∩ R that have data, of a node set S that misses some rank, leaves S
// over a link out of S, be it for an allgather (R: all ranks) or a broadcast (R: the root). So with
// K chunks of each rank of R no schedule takes less time than K / x*,
//     1/x* = max over such S of |S ∩ R| / b(S),
// b(S) being the capacity of the links out of S. Switches that copy a packet change nothing: each
// chunk crosses the cut at least once. For the reverses, reduce-scatter and reduce, the links into
// S count: each chunk for a rank in S needs a contribution, or a sum of some, from outside.
//
// With a source s and arcs of capacity x from it to all of R, all ranks get |R| x from s if and
// only if x <= x*. Search: from the narrowest cut around a single rank, a flow to each rank in
// turn; if one is too small, its least cut has a larger ratio, which is the next 1/x. The ratios
// rise, and each is that of a cut, so that the last one is exact, a fraction whose denominator is
// at most the least capacity into a rank.
//
// Source: Zhao et al., "ForestColl" (arXiv 2402.06787), sections 4 and 5.1; there the fraction is
// bisected.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "schedcc/machine.hpp"

namespace schedcc {

/// The links of a machine as a graph: nodes 0..ranks-1 are the ranks, all others switches.
struct LinkGraph {
  /// From a node to another one, with what it carries at the same time.
  struct Link {
    Rank from, to;
    std::uint64_t capacity;

    friend bool operator==(const Link&, const Link&) = default;
  };
  Rank ranks = 0;
  std::uint64_t nodes = 0;
  std::vector<Link> links;  ///< each once

  friend bool operator==(const LinkGraph&, const LinkGraph&) = default;
};

/// Channels that are the links of a graph, or the ports of a rank.
class LinkChannels : public Channels {
 public:
  /// The links that messages take, with the messages that each carries per step or, if messages
  /// share them, with capacities in the ratio of their bandwidths. None if these channels are
  /// not the links of a graph, or if a message can avoid them.
  virtual std::optional<LinkGraph> graph() const = 0;
};

/// A positive fraction in lowest terms.
struct Fraction {
  std::uint64_t numerator, denominator;

  friend bool operator==(const Fraction&, const Fraction&) = default;
};
/// In lowest terms, from two positive numbers.
Fraction fraction(std::uint64_t numerator, std::uint64_t denominator);

/// The links of a network of that many ranks, by (from, to), in chunks per step. None if there are
/// more than `max_links` links or nodes, or if their capacities come to 2^40 or more.
std::optional<LinkGraph> link_graph(const Network& network, Rank ranks, std::uint64_t max_links);
/// The same of channels; none also if they are not the links of a graph.
std::optional<LinkGraph> link_graph(const Channels& channels, Rank ranks, std::uint64_t max_links);
/// The one or the other of a machine.
std::optional<LinkGraph> link_graph(const Machine& machine, Rank ranks, std::uint64_t max_links);

/// Every link in the other direction.
LinkGraph reversed(LinkGraph graph);

/// By node: those that its links lead to.
using Successors = std::vector<std::vector<Rank>>;
Successors successors(const LinkGraph& graph);

/// By node: the links on a shortest way from a node to it, or `no_distance`.
constexpr std::uint32_t no_distance = UINT32_MAX;
std::vector<std::uint32_t> distances(const Successors& successors, Rank from);

/// 1/x*, where the ranks `sources` have as many data each, which all ranks must get. None if a rank
/// cannot be reached from one of them. At least two ranks, below 2^16.
std::optional<Fraction> bottleneck(const LinkGraph& graph, std::span<const Rank> sources);

}  // namespace schedcc
