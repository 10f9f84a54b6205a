// Let each port and channel have a price, which every message that takes it pays. Theorem: the sum
// over the chunks of the price of the cheapest way to their goals is at most the width of a message
// times the number of steps times the sum of all prices, each times the messages that its port or
// channel carries in a step. For a chunk takes some way, each of its messages pays for a part of
// it, with at most as many others as the width, and no more messages take a port or a channel than
// it carries. If the inequality does not hold there is no schedule: cuts are the case of prices of
// 0 and 1.
//
// On machines without ports chunks pay for links, and what they pay is at most the number of rounds
// times the sum of all prices, each times the capacity of its link. Rounds that no step needs are
// left out (Instance::extra_rounds): a step in which every link carries all chunks needs no more.
//
// By duality of linear programs the best prices state what the fractional flow of all chunks
// states, if time is ignored. They are approximated by multiplicative weights: chunks take the
// cheapest ways, and prices grow by the loads, relative to what is carried; their mean so far is
// tried, too. Prices are rounded to integers, finely and to 0 and 1 (a cut, where they approach
// one), and only for these the inequality is evaluated, exactly. If the mean of the loads so far
// fits into the steps there are no such prices.

#include "prove/sat/bounds/prices.hpp"

#include <algorithm>
#include <cmath>

#include "core/saturating.hpp"
#include "prove/sat/bounds/cheapest_ways.hpp"
#include "prove/sat/question/packets.hpp"

namespace schedcc::prover {

namespace {

/// Problems with more nodes take long.
constexpr std::uint64_t max_nodes = 64;

/// What messages take, all of which has a price: of each rank, the port to send, then the port to
/// receive; then the channels. Or the links.
class PriceSearch {
 public:
  PriceSearch(const Instance& instance, const std::vector<Delivery>& chunks)
      : instance_(instance), demand_(demand(instance, chunks)) {
    if (instance.ports) {
      take_ports();
    } else {
      take_links();
    }
  }

  std::optional<Prices> run(const PollLimits& poll_limits) {
    constexpr int tries = 300;
    const auto rounds = static_cast<double>(this->rounds());
    std::vector<double> weight, total(carried_.size()), mean_weight(carried_.size());
    for (std::size_t r = 0; r < carried_.size(); ++r) weight.push_back(1 / carried(r));
    for (int i = 1; i <= tries; ++i) {
      if (poll_limits) poll_limits();
      double worth = 0;
      for (std::size_t r = 0; r < weight.size(); ++r) worth += weight[r] * carried(r);
      for (std::size_t r = 0; r < weight.size(); ++r) mean_weight[r] += weight[r] / worth;
      for (const std::vector<double>* prices : {&weight, &mean_weight}) {
        for (const double largest : {10'000., 1.}) {
          const auto found = rounded(*prices, largest);
          if (found && refute(*found)) return prices_of(*found);
        }
      }
      const std::vector<double> load = loads(weight);
      double most = 0, mean = 0;
      for (std::size_t r = 0; r < load.size(); ++r) {
        total[r] += load[r];
        most = std::max(most, load[r] / carried(r));
        mean = std::max(mean, total[r] / i / carried(r));
      }
      if (mean <= rounds) return std::nullopt;
      const double rate = 1 / std::sqrt(i);
      for (std::size_t r = 0; r < load.size(); ++r) {
        weight[r] *= std::exp(rate * load[r] / carried(r) / most);
      }
    }
    return std::nullopt;
  }

 private:
  void take_ports() {
    const std::uint64_t ranks = instance_.ranks, chunks = width(instance_);
    carried_.assign(ranks, chunks * instance_.ports->send);
    carried_.resize(2 * ranks, chunks * instance_.ports->receive);
    for (const std::uint64_t channel : instance_.channels) carried_.push_back(chunks * channel);
    for (const Arc& arc : instance_.arcs) {
      uses_.push_back({arc.from, ranks + arc.to});
      for (const std::size_t channel : arc.channels) uses_.back().push_back(2 * ranks + channel);
    }
  }
  void take_links() {
    for (const Arc& arc : instance_.arcs) {
      uses_.push_back({carried_.size()});
      carried_.push_back(arc.capacity.value());
    }
  }

  std::uint64_t rounds() const { return instance_.steps + instance_.extra_rounds; }
  double carried(std::size_t r) const { return static_cast<double>(carried_[r]); }

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

  /// Integers in these proportions, up to `largest`.
  static std::optional<std::vector<std::uint64_t>> rounded(const std::vector<double>& weight,
                                                           double largest) {
    const double scale = largest / std::ranges::max(weight);
    std::vector<std::uint64_t> result;
    for (const double one : weight) {
      const double price = std::round(one * scale);
      if (!(price >= 0 && price <= largest)) return std::nullopt;
      result.push_back(static_cast<std::uint64_t>(price));
    }
    return result;
  }

  /// Do the chunks cost more than all that messages can take is worth?
  bool refute(const std::vector<std::uint64_t>& price) const {
    Saturating worth = 0;
    for (std::size_t r = 0; r < price.size(); ++r) worth += Saturating(price[r]) * carried_[r];
    const CheapestWays<std::uint64_t> ways(instance_, arc_prices(price));
    return worth * rounds() < ways.cost(demand_);
  }

  Prices prices_of(const std::vector<std::uint64_t>& price) const {
    if (!instance_.ports) return {{}, {}, {}, price};
    const auto ranks = static_cast<std::ptrdiff_t>(instance_.ranks);
    const auto receive = price.begin() + ranks, channels = receive + ranks;
    return {{price.begin(), receive}, {receive, channels}, {channels, price.end()}, {}};
  }

  const Instance& instance_;
  Demand demand_;
  std::vector<std::uint64_t> carried_;          ///< chunks in a round, of each
  std::vector<std::vector<std::size_t>> uses_;  ///< of each arc
};

/// Do chunks take links alone, with waiting, and is there a way for each?
bool takes_links(const Instance& instance, const std::vector<Delivery>& chunks) {
  if (instance.ports || instance.logp || !instance.links.empty()) return false;
  return std::ranges::all_of(chunks, [&](const Delivery& chunk) {
    return chunk.goals.empty() || instance.nearest(chunk.sources, chunk.goals.front());
  });
}

}  // namespace

std::optional<Prices> refuting_prices(const Instance& instance, const std::vector<Delivery>& chunks,
                                      const PollLimits& poll_limits) {
  if (instance.ranks < 2 || instance.arcs.empty() || instance.nodes > max_nodes ||
      !has_single_goals(chunks))
    return {};
  if (!takes_packets(instance) && !takes_links(instance, chunks)) return {};
  return PriceSearch(instance, chunks).run(poll_limits);
}

}  // namespace schedcc::prover
