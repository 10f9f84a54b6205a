#ifndef SCHEDCC_LOCAL_EXCESS_HPP
#define SCHEDCC_LOCAL_EXCESS_HPP

// Schedules for 2^h ranks among any number P of them, 2^h <= P < 2^(h+1): of the e = P - 2^h first
// pairs of neighbours the even rank represents both.
//
// Source: Thakur, Rabenseifner, Gropp 2005, doi 10.1177/1094342005051521.

#include <bit>
#include <optional>

#include "algorithm/kernel/base.hpp"

namespace schedcc::local {

/// The rank that is number v of the acting ones.
inline std::uint64_t acting_rank(std::uint64_t v, std::uint64_t e) { return v < e ? 2 * v : v + e; }

/// The schedule of the 2^h acting ranks.
template <typename Kernel>
class ExcessFolded {
 public:
  ExcessFolded(Kernel kernel, std::uint64_t P)
      : kernel_(std::move(kernel)), e_(P - std::bit_floor(P)) {}

  std::uint64_t steps() const { return kernel_.steps(); }
  const Kernel& inner() const { return kernel_; }
  auto renaming() const {
    return [e = e_](std::uint64_t v) { return acting_rank(v, e); };
  }

  struct RankSchedule {
    std::optional<decltype(std::declval<Kernel>().at(0))> inner;  ///< none: another acts for it
    std::uint64_t e, steps;

    StepRange active_steps() const { return {0, inner ? steps : 0, 1}; }
    template <typename F>
    void sends(std::uint64_t step, F f) const {
      if (inner) inner->sends(step, [&](const RankTransfer& part) { renamed(part, f); });
    }
    template <typename F>
    void receives(std::uint64_t step, F f) const {
      if (inner) inner->receives(step, [&](const RankTransfer& part) { renamed(part, f); });
    }

   private:
    template <typename F>
    void renamed(RankTransfer part, F f) const {
      part.peer = acting_rank(part.peer, e);
      f(part);
    }
  };
  RankSchedule at(std::uint64_t rank) const {
    if (rank >= 2 * e_) return {kernel_.at(rank - e_), e_, steps()};
    if (rank % 2 == 0) return {kernel_.at(rank / 2), e_, steps()};
    return {std::nullopt, e_, steps()};
  }

 private:
  Kernel kernel_;
  std::uint64_t e_;
};

/// One step in which the ranks that acted for a neighbour send it the K chunks.
class ReturnToExcess {
 public:
  ReturnToExcess(std::uint64_t P, std::uint64_t K) : e_(P - std::bit_floor(P)), K_(K) {}

  std::uint64_t steps() const { return e_ == 0 ? 0 : 1; }
  RankSchedule<ReturnToExcess> at(std::uint64_t rank) const { return {*this, rank}; }

  Ranks senders(std::uint64_t) const { return {0, 2 * e_, 2}; }
  template <typename F>
  void sends(std::uint64_t rank, std::uint64_t /*step*/, F f) const {
    f(RankTransfer{rank + 1, 0, K_, false});
  }
  template <typename F>
  void receives(std::uint64_t rank, std::uint64_t /*step*/, F f) const {
    if (rank < 2 * e_ && rank % 2 == 1) f(RankTransfer{rank - 1, 0, K_, false});
  }

 private:
  std::uint64_t e_, K_;
};

}  // namespace schedcc::local

#endif  // SCHEDCC_LOCAL_EXCESS_HPP
