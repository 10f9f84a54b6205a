#ifndef SCHEDCC_LOCAL_TWO_PHASE_HPP
#define SCHEDCC_LOCAL_TWO_PHASE_HPP

// The pipelined two-phase broadcast. The message is cut into parts of P - 1 chunks, one for each
// rank v >= 1. In period p rank 0 scatters part p, and every other rank sends its block of part p -
// 1 to all others but rank 0; with k ports rank v sends to v + kq + 1 .. v + kq + k in step q of a
// period.
//
// Source: CC, Other collectives in BSP, pipelined.

#include "algorithm/kernel/base.hpp"

namespace schedcc::local {

class TwoPhase {
 public:
  TwoPhase(std::uint64_t P, std::uint64_t K, std::uint64_t ports) : P_(P), K_(K) {
    if (P == 1) return;
    k_ = std::min(ports, P - 1);
    length_ = ceil_div(P - 1, k_);
    parts_ = ceil_div(K, P - 1);
    last_ = K - (parts_ - 1) * (P - 1);
  }

  std::uint64_t steps() const {
    if (P_ <= 2) return P_ == 1 ? 0 : K_;
    return parts_ * length_ + ceil_div(last_ == 1 ? P_ - 2 : P_ - 1, k_);
  }
  RankSchedule<TwoPhase> at(std::uint64_t rank) const { return {*this, rank}; }

  /// In the first period the step in which its chunk arrives; all steps in between; in the last
  /// period all if it has a chunk of the last part, else those in which such chunks arrive.
  StepRanges active_steps(std::uint64_t rank) const {
    if (P_ == 1) return {};
    const std::uint64_t last = parts_ * length_;
    if (rank == 0) return {{{0, last - length_ + ceil_div(last_, k_), 1}}};
    StepRanges ranges;
    if (rank <= size(0)) ranges.parts.push_back({(rank - 1) / k_, (rank - 1) / k_ + 1, 1});
    ranges.parts.push_back({length_, last, 1});
    if (rank <= last_) {
      ranges.parts.push_back({last, steps(), 1});
    } else {
      ranges.parts.push_back({last + (rank - last_ - 1) / k_, last + (rank - 2) / k_ + 1, 1});
    }
    return ranges;
  }

  /// The period, and the distances of the step.
  struct StepData {
    std::uint64_t period, low, high;
  };
  StepData step_data(std::uint64_t step) const {
    const std::uint64_t low = step % length_ * k_ + 1;
    return {step / length_, low, std::min(low + k_ - 1, P_ - 1)};
  }
  /// The ranks with a chunk of the previous part.
  Ranks senders(const StepData& data) const {
    return {0, data.period == 0 ? 1 : 1 + size(data.period - 1)};
  }
  template <typename F>
  void sends(std::uint64_t rank, const StepData& data, F f) const {
    const auto [period, low, high] = data;
    if (rank == 0) {
      for (std::uint64_t to = low; to <= std::min(high, size(period)); ++to) {
        f(RankTransfer{to, period * (P_ - 1) + to - 1, 1, false});
      }
      return;
    }
    for (std::uint64_t distance = low; distance <= high; ++distance) {
      const std::uint64_t to = add_mod(rank, distance, P_);
      if (to != 0) f(RankTransfer{to, (period - 1) * (P_ - 1) + rank - 1, 1, false});
    }
  }
  template <typename F>
  void receives(std::uint64_t rank, const StepData& data, F f) const {
    if (rank == 0) return;
    const auto [period, low, high] = data;
    if (low <= rank && rank <= high && rank <= size(period)) {
      f(RankTransfer{0, period * (P_ - 1) + rank - 1, 1, false});
    }
    if (period == 0) return;
    // From the ranks 1 .. size that are `distance` before it: below it, or above it with
    // wrap-around.
    const std::uint64_t size = this->size(period - 1), first = (period - 1) * (P_ - 1);
    const auto from = [&](std::uint64_t begin, std::uint64_t end) {
      for (std::uint64_t v = begin; v < end; ++v) f(RankTransfer{v, first + v - 1, 1, false});
    };
    if (low < rank) from(rank - std::min(high, rank - 1), std::min(rank - low, size) + 1);
    if (high > rank) {
      from(rank + P_ - high, std::min(rank + P_ - std::max(low, rank + 1), size) + 1);
    }
  }

 private:
  /// The chunks of a part.
  std::uint64_t size(std::uint64_t part) const {
    return part + 1 < parts_ ? P_ - 1 : part + 1 == parts_ ? last_ : 0;
  }

  std::uint64_t P_, K_;
  std::uint64_t k_ = 1, length_ = 1, parts_ = 0, last_ = 0;
};

}  // namespace schedcc::local

#endif  // SCHEDCC_LOCAL_TWO_PHASE_HPP
