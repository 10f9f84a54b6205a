#pragma once

// A limit on how finely transfers may cut their chunks.
//
// The state of a check is kept by runs of equal values, or by sets of contributions, and the cost
// of a transfer is the number of those that it covers. Transfers whose ends all differ cut chunks
// ever finer: n of them can cover n^2 runs. Practical schedules cut their chunks in few ways. So
// each transfer may cover a few, and all together a million more; schedules beyond that are not
// decided.

#include <cstdint>
#include <utility>

#include <fmt/core.h>

#include "schedcc/error.hpp"

namespace schedcc {

class RunBudget {
 public:
  static constexpr std::uint64_t for_each_transfer = 16;
  static constexpr std::uint64_t beyond_that = std::uint64_t{1} << 20;

  void add_transfer() { add_transfers(1); }
  void add_transfers(std::uint64_t count) { left_ += count * for_each_transfer; }
  /// Notes a run that is covered.
  void cover() const { ++covered_; }
  /// The runs noted since the last call.
  std::uint64_t take_covered() { return std::exchange(covered_, 0); }
  /// The transfers up to `step` have covered `runs` more runs, or made as many more sets. Throws
  /// LimitError if these are too many.
  void spend(std::uint64_t runs, std::uint64_t step) {
    if (runs > left_) [[unlikely]] {
      throw LimitError(
          fmt::format("step {}: the transfers up to here cut their chunks too finely: the limit is "
                      "{} runs of chunks for each of them and {} beyond that",
                      step, for_each_transfer, beyond_that));
    }
    left_ -= runs;
  }

 private:
  std::uint64_t left_ = beyond_that;
  mutable std::uint64_t covered_ = 0;
};

}  // namespace schedcc
