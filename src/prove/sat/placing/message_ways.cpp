// Most packets go in one message, from the rank that has it to the one that wants it. If that would
// be more than a port or a channel carries in all steps together, some go by way of another rank,
// in two messages: on a torus, say, the other way round. One packet after another gets the way with
// which the excess, summed over ports and channels, falls most, up to some noise.

#include "prove/sat/placing/message_ways.hpp"

#include <algorithm>
#include <limits>
#include <map>

namespace schedcc::prover {

Renamings::Renamings(const Instance& instance, const Packets& packets,
                     const std::vector<Symmetry>& pairings)
    : instance_(instance), number_(arcs_by_ends(instance)) {
  const std::size_t count = packets.chunks.size();
  std::map<Chunk, std::size_t> packet_of;  // by the first chunk of each
  for (std::size_t p = 0; p < count; ++p) packet_of[packets.chunks[p].front()] = p;
  std::vector<std::vector<Rank>> of_ranks;
  std::vector<std::vector<std::size_t>> of_packets;
  for (const auto& [ranks, chunks] : pairings) {
    of_ranks.push_back(ranks);
    auto& becomes = of_packets.emplace_back();
    for (std::size_t p = 0; p < count; ++p)
      becomes.push_back(packet_of.at(chunks[packets.chunks[p].front()]));
  }
  ranks_ = products(of_ranks, instance.ranks);
  packets_ = products(of_packets, count);
  for (std::size_t p = 0; p < packets.chunks.size(); ++p) {
    const auto earlier = [&](const std::vector<std::size_t>& image) { return image[p] < p; };
    const bool wanted = !packets.deliveries[p].goals.empty();
    if (wanted && std::ranges::none_of(packets_, earlier)) first_.push_back(p);
  }
}

std::size_t Renamings::arc(std::size_t renaming, std::size_t arc) const {
  const std::vector<Rank>& rank = ranks_[renaming];
  return number_[rank[instance_.arcs[arc].from]][rank[instance_.arcs[arc].to]];
}

Shares::Shares(const Instance& instance, const Renamings& renamings)
    : ports_(2 * instance.ranks), channels_(instance.channels.size()), uses_(instance.arcs.size()) {
  const std::uint64_t ranks = instance.ranks;
  capacity_.assign(ranks, instance.ports->send);
  capacity_.resize(2 * ranks, instance.ports->receive);
  capacity_.insert(capacity_.end(), instance.channels.begin(), instance.channels.end());
  const bool several = instance.ports->send > 1 && instance.ports->receive > 1;
  const std::size_t pairs = capacity_.size();
  if (several) capacity_.resize(pairs + instance.arcs.size(), 1);
  for (std::size_t a = 0; a < instance.arcs.size(); ++a) {
    std::map<std::size_t, std::uint64_t> times;
    for (std::size_t i = 0; i < renamings.size(); ++i) {
      const std::size_t image = renamings.arc(i, a);
      const Arc& arc = instance.arcs[image];
      ++times[arc.from];
      ++times[ranks + arc.to];
      for (const std::size_t channel : arc.channels) ++times[2 * ranks + channel];
      if (several) ++times[pairs + image];
    }
    for (const auto& [resource, count] : times) uses_[a].push_back({resource, count});
  }
}

bool Shares::fits(std::size_t arc) const {
  return std::ranges::all_of(uses_[arc],
                             [&](const Use& use) { return use.times <= capacity_[use.resource]; });
}

namespace {

class WayChoice {
 public:
  WayChoice(const Instance& instance, const Packets& packets, const Renamings& renamings,
            const Shares& shares, std::uint64_t idle, Dice& dice)
      : instance_(instance),
        packets_(packets),
        renamings_(renamings),
        shares_(shares),
        idle_(idle),
        dice_(dice),
        load_(shares.resources()) {}

  std::vector<Way> run() {
    for (const std::size_t p : renamings_.packets()) {
      const Delivery& packet = packets_.deliveries[p];
      ways_.push_back({renamings_.number(packet.sources.front(), packet.goals.front())});
      add(ways_.back(), 1);
    }
    const std::size_t most = 20 * ways_.size() + 100;
    for (std::size_t i = 0; i < most && excess_ > 0; ++i) {
      if (!relieve()) break;
    }
    if (excess_ > 0) ways_.clear();
    return std::move(ways_);
  }

 private:
  /// More than all steps together carry.
  std::int64_t over(std::size_t resource) const {
    const std::uint64_t idle = shares_.is_channel(resource) ? idle_ : 0;
    const Saturating all = shares_.capacity(resource) * remaining(instance_.steps, idle);
    constexpr std::uint64_t no_load = std::numeric_limits<std::int64_t>::max();
    const auto carried = static_cast<std::int64_t>(std::min<std::uint64_t>(all.value(), no_load));
    return std::max<std::int64_t>(load_[resource] - carried, 0);
  }
  /// Adds the messages of a way, or with -1 takes them off again. Those that do not fit into a step
  /// are an excess, too.
  void add(const Way& way, std::int64_t sign) {
    for (const std::size_t a : way) {
      if (!shares_.fits(a)) excess_ += sign;
      for (const auto& [resource, times] : shares_.uses(a)) {
        excess_ -= over(resource);
        load_[resource] += sign * static_cast<std::int64_t>(times);
        excess_ += over(resource);
      }
    }
  }
  bool overloads(const Way& way) const {
    return std::ranges::any_of(way, [&](std::size_t a) {
      return !shares_.fits(a) || std::ranges::any_of(shares_.uses(a), [&](const Shares::Use& use) {
        return over(use.resource) > 0;
      });
    });
  }

  /// Gives one packet another way. Returns false if there is none to be had.
  bool relieve() {
    constexpr std::size_t samples = 16;
    std::vector<std::size_t> some;
    for (std::size_t i = 0; i < ways_.size(); ++i) {
      if (overloads(ways_[i])) some.push_back(i);
    }
    dice_.shuffle(some);
    some.resize(std::min(some.size(), samples));
    double least = std::numeric_limits<double>::max();
    std::size_t chosen = 0;
    Way best;
    for (const std::size_t i : some) {
      add(ways_[i], -1);
      for (Way& way : others(i)) {
        add(way, 1);
        const double excess = static_cast<double>(excess_) + 2 * dice_.fraction();
        add(way, -1);
        if (excess >= least) continue;
        least = excess;
        chosen = i;
        best = std::move(way);
      }
      add(ways_[i], 1);
    }
    if (best.empty()) return false;
    add(ways_[chosen], -1);
    ways_[chosen] = std::move(best);
    add(ways_[chosen], 1);
    return true;
  }
  std::vector<Way> others(std::size_t i) const {
    const Delivery& packet = packets_.deliveries[renamings_.packets()[i]];
    const Rank from = packet.sources.front(), to = packet.goals.front();
    std::vector<Way> result;
    const auto add = [&](Way way) {
      if (way != ways_[i]) result.push_back(std::move(way));
    };
    add({renamings_.number(from, to)});
    for (Rank by = 0; by < instance_.ranks; ++by) {
      if (by == from || by == to) continue;
      add({renamings_.number(from, by), renamings_.number(by, to)});
    }
    return result;
  }

  const Instance& instance_;
  const Packets& packets_;
  const Renamings& renamings_;
  const Shares& shares_;
  const std::uint64_t idle_;  ///< the steps in which a channel carries nothing
  Dice& dice_;
  std::vector<std::int64_t> load_;  ///< of each resource, in all steps
  std::vector<Way> ways_;
  std::int64_t excess_ = 0;
};

}  // namespace

std::vector<Way> choose_ways(const Instance& instance, const Packets& packets,
                             const Renamings& renamings, const Shares& shares, std::uint64_t idle,
                             Dice& dice) {
  return WayChoice(instance, packets, renamings, shares, idle, dice).run();
}

}  // namespace schedcc::prover
