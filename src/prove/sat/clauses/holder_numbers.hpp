#pragma once

// Counting for broadcasts by one port: how many ranks hold each packet when each step begins.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace schedcc::prover {

/// Bounds on the numbers of ranks but the root that hold each packet of a broadcast by one port,
/// one a message, whose root sends packet t in step t.
class HolderNumbers {
 public:
  struct Range {
    std::uint64_t least, most;
  };

  /// `steps`: at least as many as the bound, exchange_steps (exchange_run.hpp).
  HolderNumbers(std::uint64_t ranks, std::size_t packets, std::uint64_t steps);

  /// When a step begins, or, with the number of steps, in the end.
  Range of(std::size_t packet, std::uint64_t step) const { return ranges_[step][packet]; }

 private:
  void grow();
  void remain();
  void spread();
  void narrow(Range& range, std::uint64_t least, std::uint64_t most);

  std::uint64_t others_;  ///< ranks but the root
  std::size_t packets_;
  std::vector<std::vector<Range>> ranges_;  ///< by step, one more, and packet
  bool narrowed_ = true;
};

}  // namespace schedcc::prover
