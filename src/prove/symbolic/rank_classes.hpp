#pragma once

// Groups listed ranks with the same formulas into rank classes.
//
// The formulas of an edge's family have two parameters, `start` and `place`. Ranks whose edges
// differ in a common shift of all starts, and one of all places, have the same formulas, with a
// variable for each shift: in a chain of 4096 ranks there are three classes of ranks, in a
// fractional tree a dozen, however long its groups. Edges of a rank that start one after the other
// with one place after the other (to or from the ranks of a group) are one family with an index.
//
// The variables range over intervals that contain the shifts that occur, and possibly others: the
// members of a class, one for each shift of places, represent exactly those that occur.

#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "prove/symbolic/symbolic.hpp"

namespace schedcc::prover {

/// The numbers of the edges at each rank.
class Incidence {
 public:
  Incidence(const SymbolicSchedule& schedule, const PollLimits& poll_limits);
  std::span<const std::uint32_t> in(std::uint64_t rank) const { return in_.at(rank); }
  std::span<const std::uint32_t> out(std::uint64_t rank) const { return out_.at(rank); }

 private:
  struct Lists {
    std::vector<std::uint32_t> begin, edges;
    std::span<const std::uint32_t> at(std::uint64_t rank) const {
      return std::span(edges).subspan(begin[rank], begin[rank + 1] - begin[rank]);
    }
  };
  static Lists lists(const SymbolicSchedule& schedule, std::uint32_t Edge::*end,
                     const PollLimits& poll_limits);
  Lists in_, out_;
};

/// A number of edges, with starts start, start + stride, ..., and places place, place + 1, ...
struct EdgeSequence {
  std::uint32_t family;
  std::uint64_t start, place, count, stride;
  auto tied() const { return std::tie(family, start, place, count, stride); }
  friend bool operator<(const EdgeSequence& a, const EdgeSequence& b) {
    return a.tied() < b.tied();
  }
};
using EdgeSequences = std::vector<EdgeSequence>;

/// The data that the ranks of a class share.
struct View {
  bool root;
  EdgeSequences in, out;
  friend bool operator<(const View& a, const View& b) {
    return std::tie(a.root, a.in, a.out) < std::tie(b.root, b.in, b.out);
  }
};

/// The inverse of an edge's formula: the arrival of packet p by a sequence of edges whose first
/// edge has this start and this place. (The caller sets its line.)
using Inverse = std::vector<Arrival> (*)(const SymbolicSchedule&, const EdgeSequence&,
                                         const Term& start, const Term& place, const Term& p);

/// The view of rank v. `stride`: the difference between starts of edges that may be joined.
View view(const SymbolicSchedule& schedule, const Incidence& incidence, std::uint64_t v,
          std::uint64_t stride);

/// The class of the ranks with this view, with all starts shifted by `shift` and all places by
/// `offset`. Its `where` and `rank` are not set yet.
RankClass rank_class(const SymbolicSchedule& schedule, const View& view, const Term& shift,
                     const Term& offset, Inverse inverse);

/// The classes of all ranks. `shifted`: starts are steps, with shifts in common.
std::vector<RankClass> rank_classes(const SymbolicSchedule& schedule, bool shifted, Inverse inverse,
                                    const PollLimits& poll_limits);

}  // namespace schedcc::prover
