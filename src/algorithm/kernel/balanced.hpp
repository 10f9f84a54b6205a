#ifndef SCHEDCC_LOCAL_BALANCED_HPP
#define SCHEDCC_LOCAL_BALANCED_HPP

// Bruck's allgather with radix r, in which all messages of the last step have nearly the same size.
//
// Source: Bruck et al. 1997, doi 10.1109/71.642949, for all steps but the last.

#include "algorithm/kernel/base.hpp"
#include "algorithm/kernel/blocks.hpp"
#include "algorithm/kernel/skips.hpp"

namespace schedcc::local {

/// Before step i rank v has the r^i blocks v, v + 1, ... modulo P, and gets as many from each of
/// the r - 1 ranks at the distances r^i, 2 r^i, ... In the last step the blocks that it has not got
/// are cut into r - 1 runs, or fewer, whose sizes differ by at most 1; each comes from the rank at
/// the run's beginning.
class BalancedAllgather {
 public:
  BalancedAllgather(std::uint64_t P, std::uint64_t total, std::uint64_t r)
      : blocks_{total, P}, r_(r) {}

  std::uint64_t steps() const { return ceil_log(r_, blocks_.P); }
  RankSchedule<BalancedAllgather> at(std::uint64_t rank) const { return {*this, rank}; }

  /// The blocks that a rank has, those that it gets, and their runs.
  struct StepData {
    std::uint64_t known, missing, runs;
  };
  StepData step_data(std::uint64_t step) const {
    const std::uint64_t known = power(r_, step);
    const std::uint64_t missing = std::min((r_ - 1) * known, blocks_.P - known);
    return {known, missing, std::min(r_ - 1, missing)};
  }
  template <typename F>
  void sends(std::uint64_t rank, const StepData& data, F f) const {
    each_run(data, [&](std::uint64_t distance, std::uint64_t count) {
      send_around(blocks_, sub_mod(rank, distance, blocks_.P), rank, count, f);
    });
  }
  template <typename F>
  void receives(std::uint64_t rank, const StepData& data, F f) const {
    each_run(data, [&](std::uint64_t distance, std::uint64_t count) {
      const std::uint64_t from = add_mod(rank, distance, blocks_.P);
      send_around(blocks_, from, from, count, f);
    });
  }

 private:
  /// Calls g(far, count) for each run.
  template <typename G>
  void each_run(const StepData& data, G g) const {
    const Blocks runs{data.missing, data.runs};
    for (std::uint64_t i = 0; i < data.runs; ++i)
      g(data.known + runs.begin(i), runs.begin(i + 1) - runs.begin(i));
  }

  Blocks blocks_;
  std::uint64_t r_;
};

}  // namespace schedcc::local

#endif  // SCHEDCC_LOCAL_BALANCED_HPP
