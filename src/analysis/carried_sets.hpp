#pragma once

// Whose contributions the transfers of a small schedule carry.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/contributions.hpp"
#include "analysis/problem_contributions.hpp"
#include "schedcc/problem.hpp"

namespace schedcc {

class CarriedSets {
 public:
  /// When the destination of a transfer that leaves in `step` holds what it brings.
  using Arrives = std::function<std::uint64_t(std::uint64_t step, const Transfer&)>;

  /// `most`: chunks of transfers that are followed; beyond them nothing is known.
  CarriedSets(const Problem& problem, Arrives arrives, std::uint64_t most)
      : problem_(problem), arrives_(std::move(arrives)), left_(most) {}

  /// For each transfer of the next step the contributions that every chunk of it carries; none if
  /// they are not the same, or not those of reduction chunks, or not known.
  std::vector<std::optional<Intervals>> advance(const Step& step);

 private:
  struct Flight {
    Rank dst;
    Chunk chunk;
    Contributions::Id id;
    bool reduce;
  };

  void arrive(std::uint64_t time);

  const Problem& problem_;
  Arrives arrives_;
  std::uint64_t left_;
  Contributions contributions_;
  HeldContributions held_{problem_, contributions_};
  std::map<std::uint64_t, std::vector<Flight>> flights_;  ///< by the time of arrival
};

}  // namespace schedcc
