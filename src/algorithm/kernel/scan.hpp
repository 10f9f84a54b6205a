#ifndef SCHEDCC_LOCAL_SCAN_HPP
#define SCHEDCC_LOCAL_SCAN_HPP

// Kogge and Stone's scan: in step i rank v sends the reduction over its 2^i last ranks to v + 2^i.
// The exclusive one is a shift by a rank, then the scan of the ranks 1..P-1.
//
// Source: Kogge, Stone 1973, doi 10.1109/TC.1973.5009159.

#include "algorithm/kernel/base.hpp"

namespace schedcc::local {

class Scan {
 public:
  Scan(std::uint64_t P, std::uint64_t K, bool exclusive = false)
      : P_(P), K_(K), exclusive_(exclusive) {}

  std::uint64_t steps() const {
    if (P_ == 1) return 0;
    return exclusive_ ? 1 + ceil_log(2, P_ - 1) : ceil_log(2, P_);
  }
  RankSchedule<Scan> at(std::uint64_t rank) const { return {*this, rank}; }

  /// The first rank that sends, the distance of all messages, and whether they are reduced.
  struct StepData {
    std::uint64_t first, distance;
    bool reduces;
  };
  StepData step_data(std::uint64_t step) const {
    if (!exclusive_) return {0, std::uint64_t{1} << step, true};
    return step == 0 ? StepData{0, 1, false} : StepData{1, std::uint64_t{1} << (step - 1), true};
  }
  Ranks senders(const StepData& data) const { return {data.first, P_ - data.distance}; }
  template <typename F>
  void sends(std::uint64_t rank, const StepData& data, F f) const {
    f(RankTransfer{rank + data.distance, 0, K_, data.reduces});
  }
  template <typename F>
  void receives(std::uint64_t rank, const StepData& data, F f) const {
    if (rank >= data.distance + data.first)
      f(RankTransfer{rank - data.distance, 0, K_, data.reduces});
  }

 private:
  std::uint64_t P_, K_;
  bool exclusive_;
};

}  // namespace schedcc::local

#endif  // SCHEDCC_LOCAL_SCAN_HPP
