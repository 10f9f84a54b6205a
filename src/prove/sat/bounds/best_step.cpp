// Branch and bound: one arc after another is taken, if ports and channels are free, or left. What
// later arcs can add is at most what each rank sends on its dearest ones, as many as it has ports.

#include "prove/sat/bounds/best_step.hpp"

#include <algorithm>
#include <utility>

namespace schedcc::prover {

namespace {

class StepSearch {
 public:
  StepSearch(const Instance& instance, const std::vector<std::uint64_t>& price,
             std::uint64_t& effort)
      : instance_(instance), price_(price), effort_(effort) {
    free_.assign(instance.ranks, instance.ports->send);
    free_.resize(2 * instance.ranks, instance.ports->receive);
    free_.insert(free_.end(), instance.channels.begin(), instance.channels.end());
    for (std::size_t a = 0; a < price.size(); ++a) {
      if (price[a] > 0) order_.push_back(a);
    }
    std::ranges::stable_sort(order_, [&](std::size_t a, std::size_t b) {
      if (instance.arcs[a].from != instance.arcs[b].from) {
        return instance.arcs[a].from < instance.arcs[b].from;
      }
      return price[a] > price[b];
    });
    bound_rest();
  }

  std::optional<PricedStep> run() {
    extend(0, 0);
    if (effort_ == 0) return std::nullopt;
    return std::move(best_);
  }

 private:
  /// The dearest arcs of a rank come first among its arcs.
  void bound_rest() {
    rest_.assign(order_.size() + 1, 0);
    std::uint64_t later = 0;  // of the ranks after this one
    for (std::size_t i = order_.size(); i-- > 0;) {
      const Rank from = instance_.arcs[order_[i]].from;
      if (i + 1 < order_.size() && instance_.arcs[order_[i + 1]].from != from) later = rest_[i + 1];
      rest_[i] = later;
      const std::size_t end = i + std::min<std::size_t>(instance_.ports->send, order_.size() - i);
      for (std::size_t j = i; j < end && instance_.arcs[order_[j]].from == from; ++j) {
        rest_[i] += price_[order_[j]];
      }
    }
  }

  void extend(std::size_t i, std::uint64_t worth) {
    if (effort_ == 0) return;
    --effort_;
    if (worth > best_.worth) best_ = {worth, taken_};
    if (worth + rest_[i] <= best_.worth) return;
    const std::size_t arc = order_[i];
    if (fits(arc)) {
      take(arc, -1);
      taken_.push_back(arc);
      extend(i + 1, worth + price_[arc]);
      taken_.pop_back();
      take(arc, 1);
    }
    extend(i + 1, worth);
  }

  /// Calls `test` with each port and channel of an arc, until it is false.
  template <typename Test>
  bool all_of(std::size_t arc, const Test& test) {
    const Arc& a = instance_.arcs[arc];
    return test(free_[a.from]) && test(free_[instance_.ranks + a.to]) &&
           std::ranges::all_of(a.channels, [&](std::size_t channel) {
             return test(free_[2 * instance_.ranks + channel]);
           });
  }
  bool fits(std::size_t arc) {
    return all_of(arc, [](std::uint64_t free) { return free > 0; });
  }
  void take(std::size_t arc, int change) {
    all_of(arc, [&](std::uint64_t& free) {
      free += static_cast<std::uint64_t>(change);
      return true;
    });
  }

  const Instance& instance_;
  const std::vector<std::uint64_t>& price_;
  std::uint64_t& effort_;
  std::vector<std::uint64_t> free_;  ///< messages that ports to send, to receive, channels can take
  std::vector<std::size_t> order_, taken_;  ///< arcs: all with a price, and those of the step
  std::vector<std::uint64_t> rest_;         ///< at most, by the number of arcs that are decided
  PricedStep best_;
};

}  // namespace

std::optional<PricedStep> best_step(const Instance& instance,
                                    const std::vector<std::uint64_t>& price,
                                    std::uint64_t& effort) {
  return StepSearch(instance, price, effort).run();
}

}  // namespace schedcc::prover
