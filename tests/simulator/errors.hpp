#pragma once

// The number of errors in a schedule, for tests that count them in thousands of variants of one.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "simulator/simulator.hpp"

namespace naive {

/// Counts the goals of a problem over at most eight ranks that are not met, and the transfers that
/// cannot be made, chunk by chunk, at endpoint level. What is received in a step can be sent in the
/// next.
class ErrorCounter {
 public:
  explicit ErrorCounter(const Problem& problem);
  /// `sent`: in the order of their steps.
  std::size_t count(std::span<const Sent> sent) const;

 private:
  /// What a rank holds of a chunk: how often each rank's contribution is included.
  struct Content {
    bool held = false;
    std::array<std::uint32_t, 8> times = {};
    friend bool operator==(const Content&, const Content&) = default;
  };
  struct Goal {
    std::size_t place;
    Content content;
  };
  std::size_t place(Rank rank, Chunk chunk) const { return rank * chunks_ + chunk; }

  std::size_t chunks_;
  std::vector<Content> start_;  ///< by place
  std::vector<Goal> goals_;
};

}  // namespace naive
