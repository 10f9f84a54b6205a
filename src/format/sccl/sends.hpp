#pragma once

// What a send of SCCL does at its receiver.

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/contributions.hpp"
#include "analysis/problem_contributions.hpp"
#include "schedcc/problem.hpp"

namespace schedcc {

/// Goes through the steps of an algorithm and keeps who has which contributions. Memory: by what
/// the sends touch.
class ScclSends {
 public:
  /// fills: the receiver has nothing of the chunk, and nothing else comes in the step.
  enum class Effect : std::uint8_t { fills, replaces, combines };

  explicit ScclSends(const Problem& problem) : problem_(problem) {}

  /// What each transfer of the next step does (the transfers' own modes and counts are not looked
  /// at: each is of one chunk). Ranks and chunks are the problem's.
  std::vector<Effect> step(std::span<const Transfer> sends);

 private:
  using Id = Contributions::Id;

  const Problem& problem_;
  Contributions contributions_;
  HeldContributions held_{problem_, contributions_};
};

}  // namespace schedcc
