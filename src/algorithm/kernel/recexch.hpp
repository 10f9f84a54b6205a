#ifndef SCHEDCC_LOCAL_RECEXCH_HPP
#define SCHEDCC_LOCAL_RECEXCH_HPP

// Recursive exchange: k ranks at a time, for any number of ranks.
//
// Source: MPICH, recexch_algo.c.

#include <vector>

#include "algorithm/kernel/base.hpp"
#include "algorithm/kernel/blocks.hpp"

namespace schedcc::local {

/// Of P ranks Q = k^h, the largest power that is not above P, are active, each for an interval of
/// ranks that ends with itself. The others are passive.
class ActiveRanks {
 public:
  ActiveRanks(std::uint64_t P, std::uint64_t k)
      : P_(P), k_(std::max<std::uint64_t>(std::min(k, P), 2)) {
    for (; Q_ <= P_ / k_; Q_ *= k_) ++h_;
    const std::uint64_t rest = P_ - Q_;
    full_ = rest / (k_ - 1);
    partial_ = rest % (k_ - 1);
  }

  std::uint64_t k() const { return k_; }
  std::uint64_t Q() const { return Q_; }
  std::uint64_t levels() const { return h_; }
  bool folds() const { return P_ > Q_; }

  /// The number of ranks, all but one passive, for which number v < Q is active.
  std::uint64_t weight(std::uint64_t v) const {
    return v < full_ ? k_ : v == full_ ? partial_ + 1 : 1;
  }
  /// The active rank that is number v: the first `full_` ones have k ranks each, one has some more.
  std::uint64_t rank(std::uint64_t v) const { return v < full_ ? v * k_ + k_ - 1 : v + P_ - Q_; }
  /// The first of its ranks.
  std::uint64_t first(std::uint64_t v) const { return rank(v) + 1 - weight(v); }
  /// The number that is active for a rank.
  std::uint64_t number(std::uint64_t rank) const {
    if (rank < full_ * k_) return rank / k_;
    return rank < full_ * k_ + partial_ ? full_ : rank - (P_ - Q_);
  }
  bool active(std::uint64_t r) const { return rank(number(r)) == r; }

 private:
  std::uint64_t P_, k_;
  std::uint64_t Q_ = 1, h_ = 0, full_ = 0, partial_ = 0;
};

/// The steps of an exchange: first passive ranks send to active ones, then active ones exchange,
/// level by level, finally they send to passive ones. The first and the last step are left out if
/// all ranks are active.
struct ExchangeStep {
  enum Kind : std::uint8_t { fold, level, unfold };
  Kind kind;
  std::uint64_t unit = 1;  ///< of a level: k^i, the distance of partners that are next to another

  static std::uint64_t steps(const ActiveRanks& ranks) {
    return ranks.levels() + (ranks.folds() ? 2 : 0);
  }
  static ExchangeStep of(const ActiveRanks& ranks, std::uint64_t step) {
    if (ranks.folds() && step == 0) return {fold};
    const std::uint64_t i = step - (ranks.folds() ? 1 : 0);
    if (i == ranks.levels()) return {unfold};
    return {level, power(ranks.k(), i)};
  }
};

/// Calls g(u) for the numbers that differ from v in the digit of weight `unit`, to base k.
template <typename G>
void each_partner(std::uint64_t v, std::uint64_t unit, std::uint64_t k, G g) {
  const std::uint64_t base = v - v / unit % k * unit;
  for (std::uint64_t digit = 0; digit < k; ++digit) {
    if (base + digit * unit != v) g(base + digit * unit);
  }
}

/// Schedules of this form: `Rule` has put(sender, receiver, peer, turn, f), which calls f for what
/// the first of these ranks sends to the second, in parts whose peer is `peer`.
template <typename Rule>
class RecursiveExchange {
 public:
  RecursiveExchange(std::uint64_t P, std::uint64_t chunks, std::uint64_t k)
      : ranks_(P, k), rule_(P, chunks) {}

  std::uint64_t steps() const { return ExchangeStep::steps(ranks_); }
  RankSchedule<RecursiveExchange> at(std::uint64_t rank) const { return {*this, rank}; }

  ExchangeStep step_data(std::uint64_t step) const { return ExchangeStep::of(ranks_, step); }
  template <typename F>
  void sends(std::uint64_t rank, const ExchangeStep& data, F f) const {
    each_peer(rank, data, ExchangeStep::fold,
              [&](std::uint64_t peer) { rule_.put(ranks_, rank, peer, peer, data, f); });
  }
  template <typename F>
  void receives(std::uint64_t rank, const ExchangeStep& data, F f) const {
    each_peer(rank, data, ExchangeStep::unfold,
              [&](std::uint64_t peer) { rule_.put(ranks_, peer, rank, peer, data, f); });
  }

 private:
  /// Calls g for the partners of an active rank at a level; in the first and the last step, for the
  /// active rank of a passive one if the step is `of_passive`, else for the passive ranks of an
  /// active one.
  template <typename G>
  void each_peer(std::uint64_t rank, const ExchangeStep& data, ExchangeStep::Kind of_passive,
                 G g) const {
    const std::uint64_t v = ranks_.number(rank), active = ranks_.rank(v);
    if (data.kind == ExchangeStep::level) {
      if (active != rank) return;
      each_partner(v, data.unit, ranks_.k(), [&](std::uint64_t u) { g(ranks_.rank(u)); });
    } else if (data.kind == of_passive) {
      if (active != rank) g(active);
    } else if (active == rank) {
      for (std::uint64_t passive = ranks_.first(v); passive < rank; ++passive) g(passive);
    }
  }

  ActiveRanks ranks_;
  Rule rule_;
};

/// Whole vectors of K chunks: an allreduce.
class WholeVectors {
 public:
  WholeVectors(std::uint64_t /*P*/, std::uint64_t K) : K_(K) {}

  template <typename F>
  void put(const ActiveRanks&, std::uint64_t, std::uint64_t, std::uint64_t peer,
           const ExchangeStep& data, F f) const {
    f(RankTransfer{peer, 0, K_, data.kind != ExchangeStep::unfold});
  }

 private:
  std::uint64_t K_;
};

/// The blocks of a vector of `total` chunks that the sender has: an allgather. Before the level
/// with distance k^i a number has those of k^i numbers that differ in the lowest i digits only.
class HeldBlocks {
 public:
  HeldBlocks(std::uint64_t P, std::uint64_t total) : blocks_{total, P} {}

  template <typename F>
  void put(const ActiveRanks& ranks, std::uint64_t sender, std::uint64_t receiver,
           std::uint64_t peer, const ExchangeStep& data, F f) const {
    if (data.kind == ExchangeStep::fold) return blocks_.send(peer, sender, 1, f);
    if (data.kind == ExchangeStep::unfold) {  // all but its own
      blocks_.send(peer, 0, receiver, f);
      return blocks_.send(peer, receiver + 1, blocks_.P - receiver - 1, f);
    }
    const std::uint64_t v = ranks.number(sender), low = v - v % data.unit;
    const std::uint64_t first = ranks.first(low);
    blocks_.send(peer, first, ranks.rank(low + data.unit - 1) + 1 - first, f);
  }

 private:
  Blocks blocks_;
};

/// Contributions to blocks of K chunks: a reduce-scatter that keeps their order, since those of the
/// nearest ranks are combined first. After the level with distance k^i a number is responsible for
/// the blocks of all that agree with it in the lowest i + 1 digits.
class OrderedBlocks {
 public:
  OrderedBlocks(std::uint64_t P, std::uint64_t K) : P_(P), K_(K) {}

  template <typename F>
  void put(const ActiveRanks& ranks, std::uint64_t /*sender*/, std::uint64_t receiver,
           std::uint64_t peer, const ExchangeStep& data, F f) const {
    if (data.kind == ExchangeStep::fold) return f(RankTransfer{peer, 0, P_ * K_, true});
    if (data.kind == ExchangeStep::unfold) return f(RankTransfer{peer, receiver * K_, K_, false});
    const std::uint64_t next = data.unit * ranks.k();
    for (std::uint64_t w = ranks.number(receiver) % next; w < ranks.Q(); w += next)
      f(RankTransfer{peer, ranks.first(w) * K_, ranks.weight(w) * K_, true});
  }

 private:
  std::uint64_t P_, K_;
};

using RecexchAllreduce = RecursiveExchange<WholeVectors>;
using RecexchAllgather = RecursiveExchange<HeldBlocks>;
using RecexchReduceScatter = RecursiveExchange<OrderedBlocks>;

}  // namespace schedcc::local

#endif  // SCHEDCC_LOCAL_RECEXCH_HPP
