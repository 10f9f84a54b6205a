#pragma once

// When the packets of one generation, and the last packet, arrive at ranks and leave them
// (one_generation.hpp).

#include <cstdint>
#include <vector>

#include "schedcc/schedule.hpp"

namespace schedcc {

/// Packets 0..q-1, and packet m in place q. Times are numbers of rows plus one; for packet m rows
/// are counted from row m. All are below 256.
class PacketLives {
 public:
  /// q and m are positive.
  PacketLives(Rank ranks, Rank root, std::uint64_t q, std::uint64_t m)
      : ranks_(ranks),
        root_(root),
        q_(q),
        m_(m),
        arrived_(ranks * (q + 1)),
        left_(ranks * (q + 1)) {}

  /// A transfer of the packet in a place, at a time, no earlier than those before. Throws Abandoned
  /// if its sender has not had the packet before, or its receiver has.
  void follow(const Transfer& transfer, std::uint64_t place, std::uint64_t time);

  /// Has each rank but the root received each of the packets?
  bool complete() const { return arrivals_ == (ranks_ - 1) * (q_ + 1); }
  /// When the last rank receives the packet in a place.
  std::uint64_t last_arrival(std::uint64_t place) const;

  /// The longest queue of a rank, and of all of them together.
  std::uint64_t longest_queue() const;
  std::uint64_t longest_joint_queue() const;

 private:
  /// From its arrival until it leaves for the last time.
  struct Stay {
    std::uint64_t begin, end;
    bool empty() const { return end <= begin; }  // also if it never leaves
  };
  Stay stay(Rank rank, std::uint64_t place) const {
    const std::uint64_t at = rank * (q_ + 1) + place;
    return {arrived_[at], rank == root_ ? 0U : left_[at]};
  }
  /// How many packets like that in a place there are in front of packet m.
  std::uint64_t generations(std::uint64_t place) const { return (m_ - 1 - place) / q_ + 1; }
  std::uint64_t longest_without_last(Rank rank, std::vector<std::uint64_t>& changes) const;
  std::uint64_t longest_with_last(Rank rank, std::vector<std::uint64_t>& changes) const;

  std::uint64_t ranks_;
  Rank root_;
  std::uint64_t q_, m_;
  std::vector<std::uint8_t> arrived_, left_;  ///< by rank and place; 0: never
  std::uint64_t arrivals_ = 0;
};

}  // namespace schedcc
