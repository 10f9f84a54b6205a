#ifndef SCHEDCC_LOCAL_CIRCULAR_HPP
#define SCHEDCC_LOCAL_CIRCULAR_HPP

// Blocks go round the ring of ranks by powers of r, r - 1 messages a rank in each of ceil(log_r P)
// steps, for any P; r = 2 is Bruck's.
//
// Source: Bruck et al. 1997, doi 10.1109/71.642949; CC, "(Reduce-)Scatter and (All)Gather in BSP".

#include "algorithm/kernel/base.hpp"
#include "algorithm/kernel/blocks.hpp"
#include "algorithm/kernel/trees.hpp"

namespace schedcc::local {

/// Before step i rank v has the r^i blocks from v on, modulo P; others have those that come next
/// and send them. What a rank has at the start is not sent: its own block, or, `after_scatter`,
/// those that TreeScatter left with it.
class CircularAllgather {
 public:
  CircularAllgather(std::uint64_t P, std::uint64_t total, std::uint64_t r,
                    bool after_scatter = false)
      : P_(P), blocks_{total, P}, r_(r), after_scatter_(after_scatter) {}

  std::uint64_t steps() const { return ceil_log(r_, P_); }
  Place<CircularAllgather> at(std::uint64_t rank) const { return {*this, rank}; }

  template <typename F>
  void sends(std::uint64_t rank, std::uint64_t step, F f) const {
    const std::uint64_t known = power(r_, step);
    if (blocks_.empty_from(rank) >= known) return;
    for (std::uint64_t i = 1; i < r_ && i * known < P_; ++i) {
      const std::uint64_t to = back(rank, i * known, P_);
      send(to, to, i * known, known, f);
    }
  }
  template <typename F>
  void receives(std::uint64_t rank, std::uint64_t step, F f) const {
    const std::uint64_t known = power(r_, step);
    for (std::uint64_t i = std::max<std::uint64_t>(1, held(rank) / known); i < r_; ++i) {
      if (i * known >= P_) return;
      i += blocks_.empty_from(further(rank, i * known, P_)) / known;  // those who have no chunk
      if (i >= r_ || i * known >= P_) return;
      send(rank, further(rank, i * known, P_), i * known, known, f);
    }
  }

 private:
  /// What `receiver` gets from the rank that is `far` further.
  template <typename F>
  void send(std::uint64_t receiver, std::uint64_t peer, std::uint64_t far, std::uint64_t known,
            F f) const {
    const std::uint64_t begin = receiver + std::max(far, held(receiver));
    const std::uint64_t end = receiver + std::min(far + known, P_);
    if (begin < std::min(end, P_)) blocks_.send(peer, begin, std::min(end, P_) - begin, f);
    const std::uint64_t wrapped = std::max(begin, P_);
    if (wrapped < end) blocks_.send(peer, wrapped - P_, end - wrapped, f);
  }
  std::uint64_t held(std::uint64_t rank) const {
    if (!after_scatter_) return 1;
    if (rank == 0) return P_;
    std::uint64_t part = 1;
    while (rank % (part * r_) == 0) part *= r_;
    return std::min(part, P_ - rank);
  }

  std::uint64_t P_;
  Blocks blocks_;
  std::uint64_t r_;
  bool after_scatter_;
};

/// A broadcast of K chunks from rank 0: a scatter, then an allgather of what is not there yet.
class ScatterAllgather {
 public:
  ScatterAllgather(std::uint64_t P, std::uint64_t K, std::uint64_t r)
      : both_(TreeScatter(P, K, r), CircularAllgather(P, K, r, true)) {
    // One chunk is the block of rank P - 1; it may be that the last step would bring it to nobody.
    const std::uint64_t once = ceil_log(r, P);
    nothing_last_ = K == 1 && P > 1 && P == power(r, once - 1) + 1;
  }

  std::uint64_t steps() const { return both_.steps() - (nothing_last_ ? 1 : 0); }

  struct Place {
    Sequence<TreeScatter, CircularAllgather>::Place both;
    std::uint64_t steps;

    When when() const { return {0, steps, 1}; }
    template <typename F>
    void sends(std::uint64_t step, F f) const {
      both.sends(step, f);
    }
    template <typename F>
    void receives(std::uint64_t step, F f) const {
      both.receives(step, f);
    }
  };
  Place at(std::uint64_t rank) const { return {both_.at(rank), steps()}; }

 private:
  Sequence<TreeScatter, CircularAllgather> both_;
  bool nothing_last_;
};

/// A total exchange of K chunks a block: in step i the block of rank o for rank d goes as many
/// ranks further as the i-th digit of d - o (modulo P), to base r, says.
class DigitExchange {
 public:
  DigitExchange(std::uint64_t P, std::uint64_t K, std::uint64_t r) : P_(P), K_(K), r_(r) {}

  std::uint64_t steps() const { return ceil_log(r_, P_); }
  Place<DigitExchange> at(std::uint64_t rank) const { return {*this, rank}; }

  template <typename F>
  void sends(std::uint64_t rank, std::uint64_t step, F f) const {
    each_digit(step, [&](std::uint64_t digit, std::uint64_t unit) {
      blocks(rank, further(rank, digit * unit, P_), digit, unit, f);
    });
  }
  template <typename F>
  void receives(std::uint64_t rank, std::uint64_t step, F f) const {
    each_digit(step, [&](std::uint64_t digit, std::uint64_t unit) {
      const std::uint64_t from = back(rank, digit * unit, P_);
      blocks(from, from, digit, unit, f);
    });
  }

 private:
  template <typename G>
  void each_digit(std::uint64_t step, G g) const {
    const std::uint64_t unit = power(r_, step);
    for (std::uint64_t digit = 1; digit < r_ && digit * unit < P_; ++digit) g(digit, unit);
  }
  /// All blocks that `sender` passes on whose distance has this digit.
  template <typename F>
  void blocks(std::uint64_t sender, std::uint64_t peer, std::uint64_t digit, std::uint64_t unit,
              F f) const {
    for (std::uint64_t high = digit * unit; high < P_; high += r_ * unit) {
      for (std::uint64_t low = 0; low < unit && high + low < P_; ++low) {
        const std::uint64_t origin = back(sender, low, P_);
        f(Part{peer, (origin * P_ + further(origin, high + low, P_)) * K_, K_, false});
      }
    }
  }

  std::uint64_t P_, K_, r_;
};

}  // namespace schedcc::local

#endif  // SCHEDCC_LOCAL_CIRCULAR_HPP
