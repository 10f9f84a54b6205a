#pragma once

// The effect of a send of SCCL at its receiver.

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/contributions.hpp"
#include "analysis/problem_contributions.hpp"
#include "schedcc/problem.hpp"

namespace schedcc {

/// Replays the steps of an algorithm and tracks which rank has which contributions. Memory:
/// proportional to the sends.
class ScclSends {
 public:
  /// fills: the receiver has no contribution to the chunk, and no other arrives in the step.
  enum class Effect : std::uint8_t { fills, replaces, combines };

  explicit ScclSends(const Problem& problem) : problem_(problem) {}

  /// The effect of each transfer of the next step (the transfers' own modes and counts are ignored:
  /// each is of one chunk). Ranks and chunks are the problem's.
  std::vector<Effect> step(std::span<const Transfer> sends);

 private:
  using Id = Contributions::Id;

  const Problem& problem_;
  Contributions contributions_;
  HeldContributions held_{problem_, contributions_};
};

}  // namespace schedcc
