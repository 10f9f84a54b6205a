// A message over channels c1, ..., cn is a walk: it starts from its rank to c1, moves from each
// channel to the next one, and stops from cn at its receiver. Where channels carry one message, a
// step is described by what each channel carries, where it comes from and where it goes. That is a
// number of literals in proportion to channels, where one for each sender and receiver is in
// proportion to pairs of ranks; and a solver sees from one channel what passes by, instead of a
// conflict of two messages.
//
// Not all walks are routes: on a ring messages would go the longer way, too. A sequence of channels
// is broken if it is no part of a route, while it would be without its first, and without its last
// one: on a ring of P ranks, all of P/2 + 1 neighbours upwards. No message contains one. Whether
// what remains are the routes, and nothing else, is tried walk by walk. It is where routes go along
// one dimension after the other, as on paths, rings, meshes and tori.

#include "prove/sat/clauses/channel_walks.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "prove/sat/solve/formula.hpp"

namespace schedcc::prover {

namespace {

/// Channels, one after another.
using Route = std::vector<std::size_t>;

Route without_first(const Route& some) { return {some.begin() + 1, some.end()}; }

class WalkFinder {
 public:
  WalkFinder(const Instance& instance, const std::vector<std::size_t>& arcs)
      : instance_(instance), arcs_(arcs) {}

  std::optional<ChannelWalks> find() {
    if (std::ranges::any_of(instance_.channels, [](std::uint64_t n) { return n != 1; })) return {};
    walks_.channels = instance_.channels.size();
    for (const std::size_t a : arcs_) add(a);
    for (const auto& [ends, number] : moves_) walks_.moves[number] = {ends.first, ends.second};
    for (const auto& [rank, channel] : starts_) walks_.starts.push_back({rank, channel});
    for (const auto& [channel, rank] : stops_) walks_.stops.push_back({channel, rank});
    break_walks();
    for (const auto& [rank, channel] : starts_) {
      if (!all_are_routes(rank, {channel})) return {};
    }
    return std::move(walks_);
  }

 private:
  void add(std::size_t arc) {
    const auto& [from, to, capacity, latency, links, channels] = instance_.arcs[arc];
    if (channels.empty()) return walks_.direct.push_back(arc);
    routes_.emplace(std::pair(from, to), channels);
    starts_.emplace(from, channels.front());
    stops_.emplace(channels.back(), to);
    longest_ = std::max(longest_, channels.size());
    for (std::size_t i = 0; i + 1 < channels.size(); ++i) {
      const bool is_new =
          moves_.emplace(std::pair(channels[i], channels[i + 1]), moves_.size()).second;
      if (is_new) walks_.moves.emplace_back();
    }
    add_parts(channels);
  }

  /// The route, or a part of one, and all of its parts.
  void add_parts(const Route& route) {
    if (route.empty() || !parts_.insert(route).second) return;
    add_parts(without_first(route));
    add_parts({route.begin(), route.end() - 1});
  }

  void break_walks() {
    for (const Route& part : parts_) {
      for (auto next = moves_.lower_bound({part.back(), 0});
           next != moves_.end() && next->first.first == part.back(); ++next) {
        Route longer = part;
        longer.push_back(next->first.second);
        if (parts_.contains(longer) || !parts_.contains(without_first(longer))) continue;
        std::vector<std::size_t> made;
        for (std::size_t i = 0; i + 1 < longer.size(); ++i)
          made.push_back(moves_.at({longer[i], longer[i + 1]}));
        walks_.broken.push_back(std::move(made));
        broken_.insert(std::move(longer));
      }
    }
  }

  bool is_broken(const Route& walk) const {
    for (auto first = walk.begin(); first != walk.end(); ++first) {
      if (broken_.contains(Route(first, walk.end()))) return true;
    }
    return false;
  }

  /// Are all walks from a rank that begin with these channels routes?
  bool all_are_routes(Rank from, const Route& begun) const {
    if (is_broken(begun)) return true;
    if (begun.size() > longest_) return false;
    const std::size_t last = begun.back();
    for (auto stop = stops_.lower_bound({last, 0}); stop != stops_.end() && stop->first == last;
         ++stop) {
      const auto route = routes_.find({from, stop->second});
      if (route == routes_.end() || route->second != begun) return false;
    }
    for (auto next = moves_.lower_bound({last, 0});
         next != moves_.end() && next->first.first == last; ++next) {
      Route longer = begun;
      longer.push_back(next->first.second);
      if (!all_are_routes(from, longer)) return false;
    }
    return true;
  }

  const Instance& instance_;
  const std::vector<std::size_t>& arcs_;
  ChannelWalks walks_;
  std::map<std::pair<Rank, Rank>, Route> routes_;  ///< by their ends
  std::size_t longest_ = 0;                        ///< of these
  std::set<std::pair<Rank, std::size_t>> starts_;
  std::set<std::pair<std::size_t, Rank>> stops_;
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> moves_;  ///< their numbers
  std::set<Route> parts_, broken_;
};

}  // namespace

std::optional<ChannelWalks> channel_walks(const Instance& instance,
                                          const std::vector<std::size_t>& arcs) {
  return WalkFinder(instance, arcs).find();
}

bool walks_from_channel_to_channel(const Instance& instance) {
  std::vector<std::size_t> all(instance.arcs.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  const auto walks = channel_walks(instance, all);
  return walks && walks->channels > 0;
}

WalkingMessages::WalkingMessages(const ChannelWalks& walks, const Instance& instance,
                                 std::size_t packets, std::uint64_t step, Formula& formula)
    : walks_(walks),
      carried_(walks.channels),
      enter_(walks.channels),
      leave_(walks.channels),
      sent_(instance.ranks),
      received_(instance.ranks) {
  for (const auto& [rank, channel] : walks.starts) {
    const Literal start = formula.variable("starts", {rank, channel, step});
    starts_.push_back(start);
    sent_[rank].push_back(start);
    enter_[channel].push_back(start);
  }
  for (const auto& [from, to] : walks.moves) {
    const Literal move = formula.variable("moves", {from, to, step});
    moves_.push_back(move);
    leave_[from].push_back(move);
    enter_[to].push_back(move);
  }
  for (const auto& [channel, rank] : walks.stops) {
    const Literal stop = formula.variable("stops", {channel, rank, step});
    stops_.push_back(stop);
    leave_[channel].push_back(stop);
    received_[rank].push_back(stop);
  }
  for (std::size_t channel = 0; channel < walks.channels; ++channel) {
    for (std::size_t p = 0; p < packets; ++p)
      carried_[channel].push_back(formula.variable("carries", {channel, p, step}));
    use(channel, formula);
  }
  for (const std::vector<std::size_t>& moves : walks.broken) {
    Literals none;
    for (const std::size_t move : moves) none.push_back(-moves_[move]);
    formula.add(none);
  }
}

/// A channel that is used carries one packet, which comes from somewhere and goes somewhere.
void WalkingMessages::use(std::size_t channel, Formula& formula) const {
  const Literal used = formula.fresh();
  for (const Literals* one : {&carried_[channel], &enter_[channel], &leave_[channel]}) {
    formula.at_most(*one, 1);
    for (const Literal literal : *one) formula.add({-literal, used});
    Literals any = *one;
    any.push_back(-used);
    formula.add(any);
  }
}

void WalkingMessages::carry(const std::vector<Literals>& holds, const std::vector<Literals>& gets,
                            Formula& formula) const {
  for (std::size_t i = 0; i < starts_.size(); ++i) {
    const auto& [rank, channel] = walks_.starts[i];
    for (std::size_t p = 0; p < carried_[channel].size(); ++p)
      formula.add({-starts_[i], -carried_[channel][p], holds[rank][p]});
  }
  for (std::size_t i = 0; i < moves_.size(); ++i) {
    const auto& [from, to] = walks_.moves[i];
    for (std::size_t p = 0; p < carried_[from].size(); ++p)
      equal_if(moves_[i], carried_[from][p], carried_[to][p], formula);
  }
  for (std::size_t i = 0; i < stops_.size(); ++i) {
    const auto& [channel, rank] = walks_.stops[i];
    for (std::size_t p = 0; p < carried_[channel].size(); ++p)
      equal_if(stops_[i], carried_[channel][p], gets[rank][p], formula);
  }
}

void WalkingMessages::send(const Literals& otherwise, Rank rank, std::size_t packet,
                           Formula& formula) const {
  for (std::size_t i = 0; i < starts_.size(); ++i) {
    if (walks_.starts[i].rank != rank) continue;
    Literals clause = otherwise;
    clause.push_back(-starts_[i]);
    clause.push_back(carried_[walks_.starts[i].channel][packet]);
    formula.add(clause);
  }
}

Rank WalkingMessages::receiver(std::size_t start, const Model& model) const {
  std::size_t channel = walks_.starts[start].channel;
  const auto moves_on = [&] {
    for (std::size_t i = 0; i < moves_.size(); ++i) {
      if (walks_.moves[i].from == channel && is_true(moves_[i], model))
        return std::optional(walks_.moves[i].to);
    }
    return std::optional<std::size_t>();
  };
  while (const auto next = moves_on()) channel = *next;
  for (std::size_t i = 0; i < stops_.size(); ++i) {
    if (walks_.stops[i].channel == channel && is_true(stops_[i], model))
      return walks_.stops[i].rank;
  }
  throw InternalError("a message stops nowhere");
}

}  // namespace schedcc::prover
