#ifndef SCHEDCC_LOCAL_MULTIPLYING_HPP
#define SCHEDCC_LOCAL_MULTIPLYING_HPP

// Recursive multiplying: an allreduce of whole vectors among as many ranks at a time as the factors
// of a number say.
//
// Source: MPICH, recursive multiplying; Ruefenacht, Bull, Booth 2017, doi
// 10.1016/j.parco.2017.08.004.

#include <cstddef>
#include <utility>
#include <vector>

#include "algorithm/kernel/base.hpp"

namespace schedcc::local {

/// As many factors k as there are in a power that is not above P.
inline std::vector<std::uint64_t> equal_factors(std::uint64_t P, std::uint64_t k) {
  std::vector<std::uint64_t> result;
  k = std::max<std::uint64_t>(std::min(k, P), 2);
  for (std::uint64_t power = k; power <= P; power *= k) {
    result.push_back(k);
    if (power > P / k) break;
  }
  return result;
}

/// The first Q ranks, Q the product of the factors, exchange vectors of K chunks: in step i those
/// whose numbers differ only in digit i, where the factors are the bases of the digits. Before, the
/// ranks r >= Q, fewer than Q (f - 1) if f is the least factor, send theirs to rank r modulo Q;
/// finally they get the result.
class MultiplyingAllreduce {
 public:
  MultiplyingAllreduce(std::uint64_t P, std::uint64_t K, std::vector<std::uint64_t> factors)
      : P_(P), K_(K), factors_(std::move(factors)) {
    for (const std::uint64_t factor : factors_) Q_ *= factor;
  }

  std::uint64_t steps() const { return factors_.size() + (folds() ? 2 : 0); }
  RankSchedule<MultiplyingAllreduce> at(std::uint64_t rank) const { return {*this, rank}; }

  enum Kind : std::uint8_t { fold, level, unfold };
  /// A level with the distance of partners that are next to another, and its factor.
  struct StepData {
    Kind kind;
    std::uint64_t unit, factor;
  };
  StepData step_data(std::uint64_t step) const {
    if (folds() && step == 0) return {fold, 0, 0};
    const std::uint64_t i = step - (folds() ? 1 : 0);
    if (i == factors_.size()) return {unfold, 0, 0};
    std::uint64_t unit = 1;
    for (std::size_t j = 0; j < i; ++j) unit *= factors_[j];
    return {level, unit, factors_[i]};
  }
  template <typename F>
  void sends(std::uint64_t rank, const StepData& data, F f) const {
    each_peer(rank, data, fold, f);
  }
  template <typename F>
  void receives(std::uint64_t rank, const StepData& data, F f) const {
    each_peer(rank, data, unfold, f);
  }

 private:
  bool folds() const { return P_ > Q_; }
  /// The peers of a rank: in the step `of_rest` those >= Q have one, in its opposite the
  /// others have them.
  template <typename F>
  void each_peer(std::uint64_t rank, const StepData& data, Kind of_rest, F f) const {
    const bool reduce = data.kind != unfold;
    const auto with = [&](std::uint64_t peer) { f(RankTransfer{peer, 0, K_, reduce}); };
    if (data.kind == level) {
      if (rank >= Q_) return;
      const std::uint64_t base = rank - rank / data.unit % data.factor * data.unit;
      for (std::uint64_t digit = 0; digit < data.factor; ++digit) {
        if (base + digit * data.unit != rank) with(base + digit * data.unit);
      }
    } else if (data.kind == of_rest) {
      if (rank >= Q_) with(rank % Q_);
    } else if (rank < Q_) {
      for (std::uint64_t peer = rank + Q_; peer < P_; peer += Q_) with(peer);
    }
  }

  std::uint64_t P_, K_, Q_ = 1;
  std::vector<std::uint64_t> factors_;
};

}  // namespace schedcc::local

#endif  // SCHEDCC_LOCAL_MULTIPLYING_HPP
