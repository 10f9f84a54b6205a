#pragma once

// The steps of a source as its writers take them: a large one in parts, where it can be made so.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "schedcc/schedule.hpp"
#include "schedcc/source.hpp"

namespace schedcc {

/// Is the step written? Those without transfers are left out, except those of several rounds, whose
/// time messages in flight need. Throws InputError for a step number that no reader accepts.
bool is_written(const Step& step);

/// The steps that are written. Each is taken in parts, so that all of it need not be in memory: a
/// message is in one part, and the messages of the parts begin in the order in which those of the
/// step do. Steps that are made by rotations are divided by senders, others are one part.
class WrittenSteps {
 public:
  using TakePart = std::function<void(const Step& part)>;
  static constexpr std::size_t transfers_at_once = std::size_t{1} << 18;

  /// `at_once`: the most transfers in a part of several senders.
  explicit WrittenSteps(const Source& source, std::size_t at_once = transfers_at_once);

  /// The next step, with at least one of its transfers if it has any; false at the end.
  bool next(Step& step);
  /// Takes this step in parts, each of which is valid during the call.
  void each_part(const TakePart& take) const;

 private:
  bool read(Step& step);

  std::unique_ptr<StepStream> stream_;
  std::optional<Steps> rotated_;  ///< all steps, if they are made by rotations
  std::size_t at_once_;
  std::uint64_t row_ = 0;  ///< of the next step, if they are
  Step step_;
  Transfers seeds_;
};

}  // namespace schedcc
