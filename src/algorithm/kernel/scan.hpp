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
  Place<Scan> at(std::uint64_t rank) const { return {*this, rank}; }

  template <typename F>
  void sends(std::uint64_t rank, std::uint64_t step, F f) const {
    const std::uint64_t far = distance(step);
    if (rank >= first(step) && rank < P_ - far) f(Part{rank + far, 0, K_, reduces(step)});
  }
  template <typename F>
  void receives(std::uint64_t rank, std::uint64_t step, F f) const {
    const std::uint64_t far = distance(step);
    if (rank >= far + first(step)) f(Part{rank - far, 0, K_, reduces(step)});
  }

 private:
  bool reduces(std::uint64_t step) const { return !exclusive_ || step > 0; }
  /// The first rank that takes part.
  std::uint64_t first(std::uint64_t step) const { return exclusive_ && step > 0 ? 1 : 0; }
  std::uint64_t distance(std::uint64_t step) const {
    return std::uint64_t{1} << (exclusive_ && step > 0 ? step - 1 : step);
  }

  std::uint64_t P_, K_;
  bool exclusive_;
};

}  // namespace schedcc::local

#endif  // SCHEDCC_LOCAL_SCAN_HPP
