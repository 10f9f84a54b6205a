#ifndef SCHEDCC_LOCAL_SCAN_HPP
#define SCHEDCC_LOCAL_SCAN_HPP

// Kogge and Stone's scan: in step i rank v sends the reduction over its 2^i last ranks to v + 2^i.
// The exclusive one is a shift by a rank, then the scan of the ranks from 1 on.
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

  /// The first rank that takes part, how far all send, and whether it is combined.
  struct Turn {
    std::uint64_t first, far;
    bool reduces;
  };
  Turn turn(std::uint64_t step) const {
    if (!exclusive_) return {0, std::uint64_t{1} << step, true};
    return step == 0 ? Turn{0, 1, false} : Turn{1, std::uint64_t{1} << (step - 1), true};
  }
  Ranks senders(const Turn& turn) const { return {turn.first, P_ - turn.far}; }
  template <typename F>
  void sends(std::uint64_t rank, const Turn& turn, F f) const {
    f(RankTransfer{rank + turn.far, 0, K_, turn.reduces});
  }
  template <typename F>
  void receives(std::uint64_t rank, const Turn& turn, F f) const {
    if (rank >= turn.far + turn.first) f(RankTransfer{rank - turn.far, 0, K_, turn.reduces});
  }

 private:
  std::uint64_t P_, K_;
  bool exclusive_;
};

}  // namespace schedcc::local

#endif  // SCHEDCC_LOCAL_SCAN_HPP
