#pragma once

// The ways of packets that go to one rank each: what messages take of ports and channels, and which
// of them go by way of another rank.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "prove/sat/question/instance.hpp"
#include "prove/sat/question/packets.hpp"
#include "prove/sat/question/symmetry.hpp"
#include "prove/sat/solve/dice.hpp"

namespace schedcc::prover {

/// Renamings of ranks and packets that preserve a problem: all products of some pairings
/// (symmetry.hpp). A schedule that they preserve has, with a message, all its images in its step.
class Renamings {
 public:
  Renamings(const Instance& instance, const Packets& packets,
            const std::vector<Symmetry>& pairings);

  std::size_t size() const { return ranks_.size(); }
  /// One packet of each orbit.
  const std::vector<std::size_t>& packets() const { return first_; }
  /// The image of an arc, or of a packet, under one of the renamings.
  std::size_t arc(std::size_t renaming, std::size_t arc) const;
  std::size_t packet(std::size_t renaming, std::size_t packet) const {
    return packets_[renaming][packet];
  }
  /// The number of the arc from a rank to another.
  std::size_t number(Rank from, Rank to) const { return number_[from][to]; }

 private:
  const Instance& instance_;
  std::vector<std::vector<std::size_t>> number_;   ///< of the arc, by its ends
  std::vector<std::vector<Rank>> ranks_;           ///< by renaming
  std::vector<std::vector<std::size_t>> packets_;  ///< by renaming
  std::vector<std::size_t> first_;
};

/// What messages share: the ports of ranks, then channels, then pairs of ranks, as a step has one
/// message for each.
class Shares {
 public:
  /// A resource, and how often it is taken.
  struct Use {
    std::size_t resource;
    std::uint64_t times;
  };

  Shares(const Instance& instance, const Renamings& renamings);

  std::size_t resources() const { return capacity_.size(); }
  /// The messages that one carries in a step.
  std::uint64_t capacity(std::size_t resource) const { return capacity_[resource]; }
  bool is_channel(std::size_t resource) const {
    return resource >= ports_ && resource - ports_ < channels_;
  }
  /// What a message on this arc takes, together with its images.
  const std::vector<Use>& uses(std::size_t arc) const { return uses_[arc]; }
  /// Can these be in one step?
  bool fits(std::size_t arc) const;

 private:
  std::size_t ports_, channels_;  ///< resources of these kinds
  std::vector<std::uint64_t> capacity_;
  std::vector<std::vector<Use>> uses_;  ///< by arc
};

/// A way: its arcs, one or two.
using Way = std::vector<std::size_t>;

/// The ways of the packets in Renamings::packets(), by no more than one other rank each, which
/// ports carry in all steps together, and channels in all but `idle` steps; none if none are found.
std::vector<Way> choose_ways(const Instance& instance, const Packets& packets,
                             const Renamings& renamings, const Shares& shares, std::uint64_t idle,
                             Dice& dice);

}  // namespace schedcc::prover
