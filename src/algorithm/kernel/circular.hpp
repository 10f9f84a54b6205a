#ifndef SCHEDCC_LOCAL_CIRCULAR_HPP
#define SCHEDCC_LOCAL_CIRCULAR_HPP

// Blocks move around the ring of ranks by powers of r, r - 1 messages a rank in each of ceil(log_r
// P) steps, for any P; r = 2 is Bruck's.
//
// Source: Bruck et al. 1997, doi 10.1109/71.642949; CC, "(Reduce-)Scatter and (All)Gather in BSP".

#include "algorithm/kernel/base.hpp"
#include "algorithm/kernel/blocks.hpp"
#include "algorithm/kernel/trees.hpp"

namespace schedcc::local {

/// The blocks of a rank v before an allgather.
enum class InitialBlocks : std::uint8_t {
  own_block,     ///< block v
  tree_blocks,   ///< block v and those that TreeScatter routed through v
  forest_blocks  ///< the same, but rank 0 had only those of its part
};

/// Before step i rank v has the r^i blocks v, v + 1, ... modulo P; others have the following ones
/// and send them. Blocks that a rank has at the start are not sent.
class CircularAllgather {
 public:
  CircularAllgather(std::uint64_t P, std::uint64_t total, std::uint64_t r,
                    InitialBlocks held = InitialBlocks::own_block)
      : P_(P), blocks_{total, P}, r_(r), held_(held) {}

  std::uint64_t steps() const { return ceil_log(r_, P_); }
  RankSchedule<CircularAllgather> at(std::uint64_t rank) const { return {*this, rank}; }

  /// The blocks that a rank has.
  std::uint64_t step_data(std::uint64_t step) const { return power(r_, step); }
  template <typename F>
  void sends(std::uint64_t rank, std::uint64_t known, F f) const {
    if (blocks_.empty_from(rank) >= known) return;
    for (std::uint64_t distance = known; distance < end(known); distance += known) {
      const std::uint64_t to = sub_mod(rank, distance, P_);
      send(to, to, distance, known, at_start(to), f);
    }
  }
  template <typename F>
  void receives(std::uint64_t rank, std::uint64_t known, F f) const {
    const std::uint64_t has = at_start(rank);
    for (std::uint64_t distance = has < known ? known : has / known * known; distance < end(known);
         distance += known) {
      if (r_ > 2)
        distance += blocks_.empty_from(add_mod(rank, distance, P_)) / known * known;  // no chunk
      if (distance >= end(known)) return;
      send(rank, add_mod(rank, distance, P_), distance, known, has, f);
    }
  }

 private:
  /// The largest distance of others, plus one.
  std::uint64_t end(std::uint64_t known) const { return std::min(r_ * known, P_); }
  /// The blocks that `receiver`, which has `has` blocks at the start, gets from the rank at
  /// this distance.
  template <typename F>
  void send(std::uint64_t receiver, std::uint64_t peer, std::uint64_t distance, std::uint64_t known,
            std::uint64_t has, F f) const {
    const std::uint64_t begin = receiver + std::max(distance, has);
    const std::uint64_t end = receiver + std::min(distance + known, P_);
    if (begin < std::min(end, P_)) blocks_.send(peer, begin, std::min(end, P_) - begin, f);
    const std::uint64_t wrapped = std::max(begin, P_);
    if (wrapped < end) blocks_.send(peer, wrapped - P_, end - wrapped, f);
  }
  std::uint64_t at_start(std::uint64_t rank) const {
    if (held_ == InitialBlocks::own_block) return 1;
    if (rank == 0) {
      return held_ == InitialBlocks::tree_blocks
                 ? P_
                 : power(r_, std::max<std::uint64_t>(1, steps()) - 1);
    }
    std::uint64_t part = 1;
    while (rank % (part * r_) == 0) part *= r_;
    return std::min(part, P_ - rank);
  }

  std::uint64_t P_;
  Blocks blocks_;
  std::uint64_t r_;
  InitialBlocks held_;
};

/// A broadcast of K chunks from rank 0: a scatter, then an allgather of the missing chunks.
class ScatterAllgather {
 public:
  ScatterAllgather(std::uint64_t P, std::uint64_t K, std::uint64_t r)
      : both_(TreeScatter(P, K, r), CircularAllgather(P, K, r, InitialBlocks::tree_blocks)) {
    // One chunk is the block of rank P - 1; the last step may have no receiver.
    const std::uint64_t once = ceil_log(r, P);
    idle_last_ = K == 1 && P > 1 && P == power(r, once - 1) + 1;
  }

  std::uint64_t steps() const { return both_.steps() - (idle_last_ ? 1 : 0); }
  const Sequence<TreeScatter, CircularAllgather>& both() const { return both_; }

  struct RankSchedule {
    Sequence<TreeScatter, CircularAllgather>::RankSchedule both;
    std::uint64_t steps;

    StepRange active_steps() const { return {0, steps, 1}; }
    template <typename F>
    void sends(std::uint64_t step, F f) const {
      both.sends(step, f);
    }
    template <typename F>
    void receives(std::uint64_t step, F f) const {
      both.receives(step, f);
    }
  };
  RankSchedule at(std::uint64_t rank) const { return {both_.at(rank), steps()}; }

 private:
  Sequence<TreeScatter, CircularAllgather> both_;
  bool idle_last_;
};

/// A total exchange of K chunks a block: in step i the block of rank o for rank d moves by the i-th
/// digit of d - o (modulo P), to base r, times r^i ranks.
class DigitExchange {
 public:
  DigitExchange(std::uint64_t P, std::uint64_t K, std::uint64_t r) : P_(P), K_(K), r_(r) {}

  std::uint64_t steps() const { return ceil_log(r_, P_); }
  RankSchedule<DigitExchange> at(std::uint64_t rank) const { return {*this, rank}; }

  /// The weight of the step's digit.
  std::uint64_t step_data(std::uint64_t step) const { return power(r_, step); }
  template <typename F>
  void sends(std::uint64_t rank, std::uint64_t unit, F f) const {
    each_digit(unit, [&](std::uint64_t high, std::uint64_t digit) {
      blocks(rank, add_mod(rank, digit * unit, P_), high, unit, f);
    });
  }
  template <typename F>
  void receives(std::uint64_t rank, std::uint64_t unit, F f) const {
    each_digit(unit, [&](std::uint64_t high, std::uint64_t digit) {
      const std::uint64_t from = sub_mod(rank, digit * unit, P_);
      blocks(from, from, high, unit, f);
    });
  }

 private:
  /// Calls g(high, digit) for all distances whose digit is not 0 and those below it are.
  template <typename G>
  void each_digit(std::uint64_t unit, G g) const {
    for (std::uint64_t above = 0; above < P_; above += r_ * unit) {
      for (std::uint64_t digit = 1; digit < r_ && above + digit * unit < P_; ++digit) {
        g(above + digit * unit, digit);
      }
    }
  }
  /// The blocks that `sender` forwards whose distance is `high` up to the digit.
  template <typename F>
  void blocks(std::uint64_t sender, std::uint64_t peer, std::uint64_t high, std::uint64_t unit,
              F f) const {
    for (std::uint64_t low = 0; low < std::min(unit, P_ - high); ++low) {
      const std::uint64_t origin = sub_mod(sender, low, P_);
      f(RankTransfer{peer, (origin * P_ + add_mod(origin, high + low, P_)) * K_, K_, false});
    }
  }

  std::uint64_t P_, K_, r_;
};

}  // namespace schedcc::local

#endif  // SCHEDCC_LOCAL_CIRCULAR_HPP
