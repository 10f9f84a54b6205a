#ifndef SCHEDCC_LOCAL_LOGP_LINEAR_HPP
#define SCHEDCC_LOCAL_LOGP_LINEAR_HPP

// LogP: rank 0 sends packet i / (P-1) to rank 1 + i mod (P-1) in cycle i s, s = max(g, o), and the
// receive starts o + L cycles later. In the reduction sends come in the opposite order.
//
// Source: BL, "Example: Broadcasts" (T_lin).

#include "algorithm/kernel/base.hpp"

namespace schedcc::local {

class LogpLinear {
 public:
  LogpLinear(std::uint64_t P, std::uint64_t K, std::uint64_t L, std::uint64_t o, std::uint64_t g,
             bool reduction = false)
      : P_(P), K_(K), L_(L), o_(o), s_(std::max(g, o)), reduction_(reduction) {}

  /// In cycles.
  std::uint64_t steps() const { return P_ == 1 ? 0 : (K_ * (P_ - 1) - 1) * s_ + L_ + 2 * o_; }

  /// The messages, the cycle of the i-th send, and who sends then.
  std::uint64_t rows() const { return K_ * (P_ - 1); }
  std::uint64_t step_of(std::uint64_t row) const { return row * s_; }
  Ranks senders(std::uint64_t cycle) const {
    const std::uint64_t sender = reduction_ ? 1 + (rows() - 1 - cycle / s_) % (P_ - 1) : 0;
    return {sender, sender + 1};
  }

  /// Of rank 0: the messages with all ranks, in their order; of another: those of its own.
  struct Place {
    std::uint64_t rank, others, messages, s, delay;
    bool sending, reduction;

    When when() const {
      if (others == 0) return {};
      const std::uint64_t shift = sending ? 0 : delay;
      if (rank == 0) return {shift, (messages - 1) * s + shift + 1, s};
      const std::uint64_t first = reduction ? others - rank : rank - 1;
      return {first * s + shift, (messages - 1) * s + shift + 1, others * s};
    }
    template <typename F>
    void sends(std::uint64_t cycle, F f) const {
      if (sending) message(cycle, f);
    }
    template <typename F>
    void receives(std::uint64_t cycle, F f) const {
      if (!sending && cycle >= delay) message(cycle - delay, f);
    }

   private:
    template <typename F>
    void message(std::uint64_t cycle, F f) const {
      if (cycle % s != 0 || cycle / s >= messages) return;
      const std::uint64_t i = reduction ? messages - 1 - cycle / s : cycle / s;
      const std::uint64_t other = 1 + i % others;
      if (rank == 0) f(Part{other, i / others, 1, reduction});
      if (rank == other) f(Part{0, i / others, 1, reduction});
    }
  };
  Place at(std::uint64_t rank) const {
    return {rank, P_ - 1, rows(), s_, o_ + L_, (rank == 0) != reduction_, reduction_};
  }

 private:
  std::uint64_t P_, K_, L_, o_, s_;
  bool reduction_;
};

}  // namespace schedcc::local

#endif  // SCHEDCC_LOCAL_LOGP_LINEAR_HPP
