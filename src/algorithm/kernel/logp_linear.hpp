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

  /// The messages, and the cycle of the i-th send.
  std::uint64_t rows() const { return K_ * (P_ - 1); }
  std::uint64_t step_of(std::uint64_t row) const { return row * s_; }

  /// The peer of rank 0 and the packet; rank 0: no message.
  struct Message {
    std::uint64_t other = 0, packet = 0;
  };
  /// The sends and the receives of a cycle.
  struct StepData {
    Message sent, received;
  };
  StepData step_data(std::uint64_t cycle) const {
    return {message(cycle), cycle < delay() ? Message{} : message(cycle - delay())};
  }
  StepData step_data_of_row(std::uint64_t row) const { return {numbered(row), {}}; }

  RankSchedule<LogpLinear> at(std::uint64_t rank) const { return {*this, rank}; }

  /// Rank 0: the messages with all ranks, in their order; another rank: its own messages.
  StepRange active_steps(std::uint64_t rank) const {
    const std::uint64_t others = P_ - 1;
    if (others == 0) return {};
    const std::uint64_t shift = (rank == 0) != reduction_ ? 0 : delay();
    const std::uint64_t end = step_of(rows() - 1) + shift + 1;
    if (rank == 0) return {shift, end, s_};
    const std::uint64_t first = reduction_ ? others - rank : rank - 1;
    return {first * s_ + shift, end, others * s_};
  }
  Ranks senders(const StepData& data) const {
    const std::uint64_t other = data.sent.other, sender = reduction_ ? other : 0;
    return other == 0 ? Ranks{} : Ranks{sender, sender + 1};
  }
  template <typename F>
  void sends(std::uint64_t rank, const StepData& data, F f) const {
    f(RankTransfer{rank == 0 ? data.sent.other : 0, data.sent.packet, 1, reduction_});
  }
  template <typename F>
  void receives(std::uint64_t rank, const StepData& data, F f) const {
    const auto [other, packet] = data.received;
    if (other == 0 || rank != (reduction_ ? 0 : other)) return;
    f(RankTransfer{reduction_ ? other : 0, packet, 1, reduction_});
  }

 private:
  /// From the start of a send to that of the receive.
  std::uint64_t delay() const { return o_ + L_; }
  /// The one that is sent in a cycle, ...
  Message message(std::uint64_t cycle) const {
    return cycle % s_ != 0 || cycle / s_ >= rows() ? Message{} : numbered(cycle / s_);
  }
  /// ... the i-th.
  Message numbered(std::uint64_t i) const {
    if (reduction_) i = rows() - 1 - i;
    return {1 + i % (P_ - 1), i / (P_ - 1)};
  }

  std::uint64_t P_, K_, L_, o_, s_;
  bool reduction_;
};

}  // namespace schedcc::local

#endif  // SCHEDCC_LOCAL_LOGP_LINEAR_HPP
