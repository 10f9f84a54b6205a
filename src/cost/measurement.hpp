#pragma once

// The synchronous time of a schedule for all sizes of its chunks, measured as far as it is needed:
// a search abandons a schedule as soon as its first steps take too long, and continues there if
// that is not so for another size.

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "cost/clock.hpp"
#include "cost/known_steps.hpp"
#include "cost/step_reader.hpp"
#include "cost/step_rules.hpp"
#include "cost/time_profile.hpp"
#include "schedcc/cost.hpp"
#include "schedcc/machine.hpp"
#include "schedcc/source.hpp"

namespace schedcc {

class Measurement {
 public:
  /// Of a schedule for this machine under a model that is linear or has_profiles() there.
  Measurement(const Machine& machine, const CostModel& model);

  /// Reads steps until `enough(*this)`, or to the end. `rest`: the schedule from row rows() on.
  /// `rules`: those that steps are tested for, on the way; nullptr: none.
  void read(const Source& rest, const Machine& machine, const CostModel& model, StepRules* rules,
            const std::function<bool(const Measurement&)>& enough,
            const std::function<void(std::uint64_t)>& progress);

  /// Have all steps been read?
  bool complete() const { return complete_; }
  /// Was the last step the first that does not seem to keep the rules? It has not been timed.
  bool suspect() const { return suspect_; }
  /// How many rows of the schedule have been read.
  std::uint64_t rows() const { return rows_; }
  /// The time, of what has been read, with chunks of so many bytes. Never falls by reading on.
  double at(double chunk) const;
  /// Of what has been read: the steps, and the largest message, in chunks.
  std::uint64_t steps() const { return steps_; }
  std::uint64_t width() const { return width_; }

 private:
  bool add(StepReader& reader, Clock* clock, KnownSteps& known, StepRules* rules);

  bool complete_ = false, suspect_ = false;
  std::uint64_t rows_ = 0, steps_ = 0, width_ = 0;
  std::uint64_t busy_ = 0;  ///< steps with transfers
  TimeProfile profile_;
  std::vector<LinkTime> lines_;                    ///< of a step
  std::unique_ptr<LinearClock> linear_ = nullptr;  ///< of linear models: a chunk is a byte
};

}  // namespace schedcc
