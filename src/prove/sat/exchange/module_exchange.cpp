// Exchanges (exchange_run.cpp) in which few messages leave the modules of the machine.
//
// Let there be 2^r modules of 2^s ranks, q = r + s. Each has 2^(a-r-1) labels of each age
// a from r + 1 to q, 2^s - 1 together, and one more rank, its carrier: the root, or one with a
// label of age 1 to r. The modules whose carrier has age r are as many as the others. Each of these
// is paired with one of the others; the carriers send to ranks of F in each other's modules, all
// other messages stay within a module. Then a label of each of the ages above r is twice as
// frequent as that of the age before, as required: in either module of a pair one label of age r
// has become r + 1. The other one of the pair was younger than r: its rank is the carrier now, or
// the root remains that. So in each step one message enters every module, and one leaves it.

#include "prove/sat/exchange/module_exchange.hpp"

#include <bit>
#include <utility>

#include "prove/sat/exchange/exchange_run.hpp"
#include "prove/sat/question/packets.hpp"

namespace schedcc::prover {

namespace {

class ModuleExchange {
 public:
  ModuleExchange(const Packets& packets, std::uint64_t ranks, std::uint64_t columns)
      : ranks_(ranks),
        columns_(columns),
        outer_(bits(ranks - 1) - bits(columns - 1)),
        run_(packets, ages(packets.deliveries.front().sources.front())) {}

  std::shared_ptr<const Schedule> schedule() {
    for (; !run_.over(); run_.advance()) step();
    return run_.schedule();
  }

 private:
  /// The ranks of a module when a step begins.
  struct Module {
    Rank carrier = 0;
    std::vector<Rank> oldest;  ///< those with the label of age q
    std::vector<Rank> others;  ///< but for the carrier
  };

  static std::uint64_t bits(std::uint64_t n) {
    return static_cast<std::uint64_t>(std::bit_width(n));
  }

  /// The ages with which the first step begins.
  std::vector<std::uint64_t> ages(Rank root) const {
    std::vector<std::uint64_t> result(ranks_);
    std::uint64_t carriers = 0;  // with a label
    for (std::uint64_t first = 0; first < ranks_; first += columns_) {
      const bool has_root = root / columns_ == first / columns_;
      const std::uint64_t carrier = has_root ? root : first;
      // One carrier of age 1, two of age 2, four of age 3, ...
      if (!has_root) result[carrier] = bits(++carriers);
      std::uint64_t ranks = 0;
      for (std::uint64_t v = first; v < first + columns_; ++v) {
        if (v != carrier) result[v] = outer_ + bits(++ranks);
      }
    }
    return result;
  }

  Module module(std::uint64_t number) const {
    Module result;
    for (std::uint64_t i = 0; i < columns_; ++i) {
      const auto v = static_cast<Rank>(number * columns_ + i);
      if (run_.oldest(v)) {
        result.oldest.push_back(v);
      } else if (run_.age(v) <= outer_) {
        result.carrier = v;
      } else {
        result.others.push_back(v);
      }
    }
    return result;
  }

  void step() {
    std::vector<Module> old, young;  // by their carriers
    for (std::uint64_t m = 0; m < ranks_ / columns_; ++m) {
      Module next = module(m);
      (run_.age(next.carrier) == outer_ ? old : young).push_back(std::move(next));
    }
    for (std::size_t i = 0; i < old.size(); ++i) {
      for (const Module* m : {&old[i], &young[i]}) {
        for (std::size_t j = 0; j < m->others.size(); ++j) {
          run_.message(m->others[j], m->oldest[j]);
          run_.message(m->oldest[j], m->others[j]);
        }
        run_.message(m->oldest.back(), m->carrier);
      }
      run_.message(old[i].carrier, young[i].oldest.back());
      run_.message(young[i].carrier, old[i].oldest.back());
    }
  }

  std::uint64_t ranks_, columns_;
  std::uint64_t outer_;  ///< r
  ExchangeRun run_;
};

}  // namespace

std::shared_ptr<const Schedule> module_exchange(const Instance& instance,
                                                const std::vector<Delivery>& chunks,
                                                std::uint64_t columns) {
  if (instance.ranks < 4 || !takes_packets(instance) || !is_broadcast(instance, chunks) ||
      !std::has_single_bit(instance.ranks) || !std::has_single_bit(columns) || columns < 2 ||
      columns >= instance.ranks) {
    return nullptr;
  }
  return ModuleExchange(packets(chunks, width(instance)), instance.ranks, columns).schedule();
}

}  // namespace schedcc::prover
