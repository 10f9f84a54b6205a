#pragma once

// The steps of a symmetric schedule, reduced to what rank 0 sends and receives.

#include <memory>
#include <utility>

#include "check/abandoned.hpp"
#include "check/symmetry/orbits.hpp"

namespace schedcc {

/// Throws Abandoned at a step that is not seen to be symmetric.
class RankZeroSteps : public StepStream {
 public:
  RankZeroSteps(std::unique_ptr<StepStream> stream, const Symmetry& symmetry)
      : stream_(std::move(stream)), orbits_(symmetry) {}

  bool next(Step& step) override {
    if (!stream_->next(step)) return false;
    if (!orbits_.read(step.transfers)) throw Abandoned();
    step.transfers = orbits_.of_rank_zero();
    step.lines = {};
    return true;
  }

 private:
  std::unique_ptr<StepStream> stream_;
  Orbits orbits_;
};

}  // namespace schedcc
