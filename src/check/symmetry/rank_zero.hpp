#pragma once

// A symmetric schedule reduced to what rank 0 sends and receives.

#include <cstdint>
#include <functional>
#include <memory>

#include "check/crew.hpp"
#include "check/symmetry/symmetry.hpp"
#include "schedcc/source.hpp"

namespace schedcc {

/// What is left of a symmetric schedule.
struct RankZero {
  Source source;
  /// How many transfers the schedule has, which is known once the source has been read: runs of
  /// several blocks may be more transfers at some ranks than at others. nullptr: P/2 times as many
  /// as the source.
  std::shared_ptr<const std::uint64_t> transfers;
};

/// The source with the transfers of rank 0 only. Those of each step are its sends, then what it
/// receives. It throws Abandoned at a step that is not seen to be symmetric: when it is read, or at
/// once.
///
/// If rank 0's transfers are few enough to be kept, all steps are compared here; where they can be
/// read in any order, by a crew, and `progress` is called by the caller's thread with the number of
/// transfers read.
RankZero of_rank_zero(const Source& source, const Symmetry& symmetry, const Crew& crew,
                      const std::function<void(std::uint64_t)>& progress);

}  // namespace schedcc
