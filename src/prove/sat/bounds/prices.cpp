// Let each port and channel have a price, which every message that takes it pays. Theorem: the sum
// over the chunks of the price of the cheapest way to their goals is at most the width of a message
// times the number of steps times the sum of all prices, each times the messages that its port or
// channel carries in a step. For a chunk takes some way, each of its messages pays for a part of
// it, with at most as many others as the width, and no more messages take a port or a channel than
// it carries. If the inequality does not hold there is no schedule: cuts are the case of prices of
// 0 and 1.
//
// By duality of linear programs the best prices state what the fractional flow of all chunks
// states, if time is ignored. They are approximated by multiplicative weights: chunks take the
// cheapest ways, and prices grow by the loads, relative to what is carried; their mean so far is
// tried, too. Prices are rounded to integers, and only for these the inequality is evaluated,
// exactly. If the mean of the loads so far fits into the steps there are no such prices.

#include "prove/sat/bounds/prices.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/checked.hpp"
#include "prove/sat/bounds/cheapest_ways.hpp"
#include "prove/sat/question/packets.hpp"

namespace schedcc::prover {

namespace {

/// Problems with more ranks take long.
constexpr std::uint64_t max_ranks = 64;

class PriceSearch {
 public:
  PriceSearch(const Instance& instance, const std::vector<Delivery>& chunks)
      : instance_(instance), demand_(demand(instance, chunks)) {
    const auto messages = static_cast<double>(width(instance));
    carried_.assign(instance.ranks, messages * instance.ports->send);
    carried_.resize(2 * instance.ranks, messages * instance.ports->receive);
    for (const std::uint64_t channel : instance.channels) {
      carried_.push_back(messages * static_cast<double>(channel));
    }
    for (const Arc& arc : instance.arcs) {
      uses_.push_back({arc.from, instance.ranks + arc.to});
      for (const std::size_t channel : arc.channels) {
        uses_.back().push_back(2 * instance.ranks + channel);
      }
    }
  }

  std::optional<Prices> run(const PollLimits& poll_limits) {
    constexpr int rounds = 300;
    const auto steps = static_cast<double>(instance_.steps);
    std::vector<double> weight, total(carried_.size()), mean_weight(carried_.size());
    for (const double carried : carried_) weight.push_back(1 / carried);
    for (int i = 1; i <= rounds; ++i) {
      if (poll_limits) poll_limits();
      double worth = 0;
      for (std::size_t r = 0; r < weight.size(); ++r) worth += weight[r] * carried_[r];
      for (std::size_t r = 0; r < weight.size(); ++r) mean_weight[r] += weight[r] / worth;
      for (const std::vector<double>* prices : {&weight, &mean_weight}) {
        auto found = rounded(*prices);
        if (found && refutes(*found)) return found;
      }
      const std::vector<double> load = loads(weight);
      double most = 0, mean = 0;
      for (std::size_t r = 0; r < load.size(); ++r) {
        total[r] += load[r];
        most = std::max(most, load[r] / carried_[r]);
        mean = std::max(mean, total[r] / i / carried_[r]);
      }
      if (mean <= steps) return std::nullopt;
      const double rate = 1 / std::sqrt(i);
      for (std::size_t r = 0; r < load.size(); ++r) {
        weight[r] *= std::exp(rate * load[r] / carried_[r] / most);
      }
    }
    return std::nullopt;
  }

 private:
  template <typename Price>
  std::vector<Price> arc_prices(const std::vector<Price>& price) const {
    std::vector<Price> result;
    for (const std::vector<std::size_t>& uses : uses_) {
      result.push_back(0);
      for (const std::size_t r : uses) result.back() += price[r];
    }
    return result;
  }

  /// What all chunks take on the cheapest ways.
  std::vector<double> loads(const std::vector<double>& price) const {
    const CheapestWays<double> ways(instance_, arc_prices(price));
    std::vector<double> result(carried_.size());
    ways.for_each_message(demand_, [&](std::size_t arc, std::uint64_t chunks) {
      for (const std::size_t r : uses_[arc]) result[r] += static_cast<double>(chunks);
    });
    return result;
  }

  /// Integers in these proportions.
  std::optional<Prices> rounded(const std::vector<double>& weight) const {
    constexpr double largest = 10'000;
    const double scale = largest / std::ranges::max(weight);
    Prices result;
    for (std::size_t r = 0; r < weight.size(); ++r) {
      const double price = std::round(weight[r] * scale);
      if (!(price >= 0 && price <= largest)) return std::nullopt;
      auto& of = r < instance_.ranks       ? result.send
                 : r < 2 * instance_.ranks ? result.receive
                                           : result.channels;
      of.push_back(static_cast<std::uint64_t>(price));
    }
    return result;
  }

  /// Do the chunks cost more than all ports and channels are worth?
  bool refutes(const Prices& prices) const {
    std::vector<std::uint64_t> price = prices.send;
    price.insert(price.end(), prices.receive.begin(), prices.receive.end());
    price.insert(price.end(), prices.channels.begin(), prices.channels.end());
    Saturating worth = 0;
    for (Rank v = 0; v < instance_.ranks; ++v) {
      worth += Saturating(prices.send[v]) * instance_.ports->send;
      worth += Saturating(prices.receive[v]) * instance_.ports->receive;
    }
    for (std::size_t c = 0; c < prices.channels.size(); ++c) {
      worth += Saturating(prices.channels[c]) * instance_.channels[c];
    }
    worth = worth * instance_.steps * width(instance_);
    const CheapestWays<std::uint64_t> ways(instance_, arc_prices(price));
    return worth < ways.cost(demand_);
  }

  const Instance& instance_;
  Demand demand_;
  std::vector<double> carried_;  ///< chunks in a step: of each port to send, to receive, channel
  std::vector<std::vector<std::size_t>> uses_;  ///< ports and channels of each arc
};

}  // namespace

std::optional<Prices> refuting_prices(const Instance& instance, const std::vector<Delivery>& chunks,
                                      const PollLimits& poll_limits) {
  if (instance.ranks < 2 || instance.ranks > max_ranks || !takes_packets(instance)) return {};
  if (!has_single_goals(chunks)) return {};
  return PriceSearch(instance, chunks).run(poll_limits);
}

}  // namespace schedcc::prover
