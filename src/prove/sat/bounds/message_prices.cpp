// Let each message have a price, by its sender and its receiver. Theorem: the sum over the chunks
// of the price of the cheapest way to their goals is at most the width of a message times the
// number of steps times what the messages of a step are worth at most, together. For each message
// of a chunk pays for a part of its way, with at most as many others as the width. If the
// inequality does not hold there is no schedule.
//
// Prices of ports and channels (prices.cpp) are the case in which a message costs what its ports
// and channels do, and a step is worth no more than all of them. Here it is worth no more than what
// a step can have: on a ring of four ranks, where messages between opposite ranks cost 2, and
// others 1, that is 4, though ports and links have room for two of the former and two of the
// latter.
//
// The prices are found by multiplicative weights: chunks take the cheapest ways, the step takes the
// messages that are worth most, and prices grow where there are more of the former; their mean so
// far is tried, too. If the chunks fit into the mean of the steps so far there are no such prices.
// Symmetries of the problem preserve the prices.

#include "prove/sat/bounds/message_prices.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "prove/sat/bounds/best_step.hpp"
#include "prove/sat/bounds/cheapest_ways.hpp"
#include "prove/sat/question/packets.hpp"
#include "prove/sat/question/symmetry.hpp"

namespace schedcc::prover {

namespace {

/// On more ranks the best step takes long, also for whoever checks a certificate.
constexpr std::uint64_t most_ranks = 8;

class MessagePriceSearch {
 public:
  MessagePriceSearch(const Instance& instance, const std::vector<Delivery>& chunks,
                     const PollLimits& poll_limits)
      : instance_(instance), poll_limits_(poll_limits), demand_(demand(instance, chunks)) {
    Orbits orbits(instance.arcs.size());
    const ArcNumbers number = arc_numbers(instance.arcs);
    for (const Symmetry& symmetry : symmetries(instance, chunks, true, poll_limits)) {
      for (std::size_t a = 0; a < instance.arcs.size(); ++a) {
        const Arc& arc = instance.arcs[a];
        orbits.join(a, number.at({symmetry.node[arc.from], symmetry.node[arc.to]}));
      }
    }
    std::map<std::size_t, std::size_t> kinds;
    for (std::size_t a = 0; a < instance.arcs.size(); ++a) {
      kind_.push_back(kinds.try_emplace(orbits[a], kinds.size()).first->second);
    }
    weight_.assign(kinds.size(), 1);
    mean_weight_.resize(kinds.size());
    excess_.resize(kinds.size());
  }

  std::optional<MessagePrices> run() {
    constexpr int rounds = 300;
    for (int i = 1; i <= rounds; ++i) {
      if (poll_limits_) poll_limits_();
      const double largest = std::ranges::max(weight_);
      for (std::size_t k = 0; k < weight_.size(); ++k) mean_weight_[k] += weight_[k] / largest;
      for (const std::vector<double>* weight : {&mean_weight_, &weight_}) {
        MessagePrices prices = rounded(*weight);
        step_ = best_step(instance_, prices.of_arc, effort_);
        if (!step_) return std::nullopt;
        ways_.emplace(instance_, prices.of_arc);
        if (Saturating(step_->worth) * carried() < ways_->cost(demand_)) return prices;
      }
      if (!grow(1 / std::sqrt(i))) return std::nullopt;
    }
    return std::nullopt;
  }

 private:
  /// The messages on an arc in all steps, times their width.
  Saturating carried() const { return Saturating(instance_.steps) * width(instance_); }

  /// Integers in these proportions.
  MessagePrices rounded(const std::vector<double>& weight) const {
    const double scale = 10'000 / std::ranges::max(weight);
    MessagePrices result;
    for (const std::size_t kind : kind_) {
      result.of_arc.push_back(static_cast<std::uint64_t>(std::round(weight[kind] * scale)));
    }
    return result;
  }

  /// Makes messages dearer of which the chunks take more than the steps have. False if the chunks
  /// so far fit into the steps so far.
  bool grow(double rate) {
    std::vector<double> more(weight_.size());
    ways_->for_each_message(demand_, [&](std::size_t arc, std::uint64_t chunks) {
      more[kind_[arc]] += static_cast<double>(chunks);
    });
    for (const std::size_t arc : step_->arcs) {
      more[kind_[arc]] -= static_cast<double>(carried().value());
    }
    double most = 1;
    for (const double difference : more) most = std::max(most, std::abs(difference));
    for (std::size_t k = 0; k < more.size(); ++k) {
      excess_[k] += more[k];
      weight_[k] *= std::exp(rate * more[k] / most);
    }
    return std::ranges::max(excess_) > 0;
  }

  const Instance& instance_;
  const PollLimits& poll_limits_;
  const Demand demand_;
  std::vector<std::size_t> kind_;             ///< of each arc: its orbit
  std::vector<double> weight_, mean_weight_;  ///< by kind
  std::vector<double> excess_;                ///< of messages, by kind, in all rounds
  std::uint64_t effort_ = 3'000'000;          ///< that is left, for all steps
  std::optional<PricedStep> step_;
  std::optional<CheapestWays<std::uint64_t>> ways_;
};

}  // namespace

std::optional<MessagePrices> refuting_message_prices(const Instance& instance,
                                                     const std::vector<Delivery>& chunks,
                                                     const PollLimits& poll_limits) {
  if (instance.ranks < 2 || instance.ranks > most_ranks || !takes_packets(instance)) return {};
  if (instance.channels.empty() || !has_single_goals(chunks)) return {};
  return MessagePriceSearch(instance, chunks, poll_limits).run();
}

}  // namespace schedcc::prover
