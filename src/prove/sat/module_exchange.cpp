// A broadcast of K packets on 2^q ranks in K - 1 + q steps, the bound for one port, in which few
// messages leave the modules of the machine.
//
// Exchanges. In each step every rank but the root has a label, the packet that it received last
// while few had it; the root sends packet t in step t. A packet p is the label of 1, 2, 4, ...,
// 2^(q-1) ranks when steps p + 1, p + 2, ..., p + q begin; then its age is 1, 2, ..., q, and it is
// no label any more after the last of these. So when a step begins, one half of the ranks, F, has
// the label of age q, and the other half, N, the root and the labels of ages 1 to q - 1. In the
// step every rank of N sends its label to a rank of F, and the root the new packet; every rank of F
// but one sends its own to a rank of N. Then all have the packet of age q, and the labels of F are
// those of N, which are twice as many as before and a step older: the step can be repeated, with
// any pairs of ranks. After step K + q - 2 every rank has the label K - 1 or a later one, if packet
// K - 1 is sent in the place of the later ones, and all packets before K - 1 have been everywhere.
// Packets below 0, the labels at the start, are not sent.
//
// Modules. Let there be 2^r modules of 2^s ranks, q = r + s. Each has 2^(a-r-1) labels of each age
// a from r + 1 to q, 2^s - 1 together, and one more rank, its carrier: the root, or one with a
// label of age 1 to r. The modules whose carrier has age r are as many as the others. Each of these
// is paired with one of the others; the carriers send to ranks of F in each other's modules, all
// other messages stay within a module. Then a label of each of the ages above r is twice as
// frequent as that of the age before, as required: in either module of a pair one label of age r
// has become r + 1. The other one of the pair was younger than r: its rank is the carrier now, or
// the root remains that. So in each step one message enters every module, and one leaves it.

#include "prove/sat/module_exchange.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "prove/sat/packets.hpp"

namespace schedcc::prover {

namespace {

class ModuleExchange {
 public:
  ModuleExchange(const Packets& packets, std::uint64_t ranks, std::uint64_t columns)
      : packets_(packets),
        ranks_(ranks),
        columns_(columns),
        local_(std::bit_width(columns) - 1),
        all_(std::bit_width(ranks) - 1),
        root_(packets.deliveries.front().sources.front()),
        holds_(ranks, std::vector<bool>(packets.chunks.size())) {
    start();
  }

  std::shared_ptr<const Schedule> schedule() {
    auto result = std::make_shared<Schedule>();
    const std::uint64_t steps = module_exchange_steps(ranks_, packets_.chunks.size());
    for (std::uint64_t t = 0; t < steps; ++t) {
      result->begin_step(t);
      step(*result);
      ++now_;
    }
    return result;
  }

 private:
  /// The ranks of a module when a step begins.
  struct Module {
    Rank carrier = 0;
    std::vector<Rank> oldest;  ///< those with the label of age q
    std::vector<Rank> others;  ///< but for the carrier
  };

  std::int64_t age(Rank v) const { return v == root_ ? 0 : now_ - label_[v]; }
  std::int64_t outer() const { return all_ - local_; }

  /// Labels below 0, in the numbers that step 0 requires.
  void start() {
    label_.assign(ranks_, 0);
    std::uint64_t carriers = 0;  // with a label
    for (Rank first = 0; first < ranks_; first += static_cast<Rank>(columns_)) {
      const bool has_root = root_ / columns_ == first / columns_;
      const Rank carrier = has_root ? root_ : first;
      // One carrier of age 1, two of age 2, four of age 3, ...
      if (!has_root) label_[carrier] = -static_cast<std::int64_t>(std::bit_width(++carriers));
      std::uint64_t ranks = 0;
      for (Rank v = first; v < first + columns_; ++v) {
        if (v != carrier) label_[v] = -outer() - static_cast<std::int64_t>(std::bit_width(++ranks));
      }
    }
  }

  Module module(std::uint64_t number) const {
    Module result;
    for (std::uint64_t i = 0; i < columns_; ++i) {
      const auto v = static_cast<Rank>(number * columns_ + i);
      if (age(v) == all_) {
        result.oldest.push_back(v);
      } else if (age(v) <= outer()) {
        result.carrier = v;
      } else {
        result.others.push_back(v);
      }
    }
    return result;
  }

  void step(Schedule& schedule) {
    std::vector<Module> old, young;  // by their carriers
    for (std::uint64_t m = 0; m < ranks_ / columns_; ++m) {
      Module next = module(m);
      (age(next.carrier) == outer() ? old : young).push_back(std::move(next));
    }
    std::vector<std::pair<Rank, std::int64_t>> labels;  // those that ranks receive
    const auto exchange = [&](Rank from, Rank to) {
      const std::int64_t packet = from == root_ ? now_ : label_[from];
      send(from, to, packet, schedule);
      labels.emplace_back(to, packet);
    };
    for (std::size_t i = 0; i < old.size(); ++i) {
      for (const Module* m : {&old[i], &young[i]}) {
        for (std::size_t j = 0; j < m->others.size(); ++j) {
          exchange(m->others[j], m->oldest[j]);
          send(m->oldest[j], m->others[j], now_ - all_, schedule);
        }
        send(m->oldest.back(), m->carrier, now_ - all_, schedule);
      }
      exchange(old[i].carrier, young[i].oldest.back());
      exchange(young[i].carrier, old[i].oldest.back());
    }
    for (const auto& [v, packet] : labels) label_[v] = packet;
  }

  /// Sends a packet, or the last one in its place, unless the receiver has it.
  void send(Rank from, Rank to, std::int64_t packet, Schedule& schedule) {
    if (packet < 0 || to == root_) return;
    const auto sent = std::min(static_cast<std::size_t>(packet), packets_.chunks.size() - 1);
    if (holds_[to][sent]) return;
    holds_[to][sent] = true;
    for (const Chunk c : packets_.chunks[sent]) schedule.add(copy(from, to, c));
  }

  const Packets& packets_;
  std::uint64_t ranks_, columns_;
  std::int64_t local_, all_;  ///< s and q
  Rank root_;
  std::vector<std::vector<bool>> holds_;  ///< by rank and packet
  std::vector<std::int64_t> label_;       ///< of each rank
  std::int64_t now_ = 0;                  ///< the step
};

}  // namespace

std::uint64_t module_exchange_steps(std::uint64_t ranks, std::uint64_t packets) {
  return packets - 1 + static_cast<std::uint64_t>(std::bit_width(ranks - 1));
}

std::shared_ptr<const Schedule> module_exchange(const Instance& instance,
                                                const std::vector<Delivery>& chunks,
                                                std::uint64_t columns) {
  if (instance.ranks < 4 || !takes_packets(instance) || !is_broadcast(instance, chunks) ||
      !std::has_single_bit(instance.ranks) || !std::has_single_bit(columns) || columns < 2 ||
      columns >= instance.ranks) {
    return nullptr;
  }
  const Packets all = packets(chunks, width(instance));
  return ModuleExchange(all, instance.ranks, columns).schedule();
}

}  // namespace schedcc::prover
