// Steps are filled one after another. Of all packets that some rank still lacks, one with the
// fewest holders is next, counting those of this step, up to some noise; its receiver is one of the
// ranks that lack the most packets. The sender is any holder with a free port, and channels that
// are free up to the receiver. If there is none, a holder that sends another packet in this step
// does so instead, if that other packet can come from another holder, and so on: an augmenting
// path, as in the matching of packets to ports of their senders. (Channels make this incomplete.) A
// packet for which nothing helps is left alone in this step.
//
// A try ends as soon as it must fail: with k ports the holders of a packet grow at most (k +
// 1)-fold in each of the remaining steps, and a rank receives at most k packets in each. Where the
// bound leaves some slack one of the first tries succeeds; where every port must be used in almost
// every step, they are of little use.

#include "prove/sat/placing/rarest_first.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "prove/sat/bounds/step_bounds.hpp"
#include "prove/sat/question/packets.hpp"
#include "prove/sat/solve/dice.hpp"

namespace schedcc::prover {

namespace {

/// The most receptions of a problem that is tried: more take long.
constexpr std::size_t max_receptions = 4000;

/// The messages of one step.
class StepMatching {
 public:
  struct Message {
    Rank from, to;
    std::size_t packet;
  };

  StepMatching(const Instance& instance, const std::vector<std::vector<std::size_t>>& arc,
               const std::vector<std::vector<bool>>& has, Dice& dice)
      : instance_(instance),
        arc_(arc),
        has_(has),
        dice_(dice),
        sent_(instance.ranks),
        busy_(instance.ranks, std::vector<bool>(instance.ranks)),
        load_(instance.channels.size()) {}

  /// Adds a message with this packet, from any holder, if that is possible.
  bool add(Rank to, std::size_t packet) {
    asked_.assign(instance_.ranks, false);
    messages_.push_back({to, to, packet});
    if (place(messages_.size() - 1)) return true;
    messages_.pop_back();
    return false;
  }
  const std::vector<Message>& messages() const { return messages_; }

 private:
  const std::vector<std::size_t>& channels(Rank u, Rank v) const {
    return instance_.arcs[arc_[u][v]].channels;
  }
  bool open(Rank u, Rank v) const {
    return !busy_[u][v] && std::ranges::all_of(channels(u, v), [&](std::size_t channel) {
      return load_[channel] < instance_.channels[channel];
    });
  }
  void occupy(std::size_t message, Rank u) {
    messages_[message].from = u;
    sent_[u].push_back(message);
    busy_[u][messages_[message].to] = true;
    for (const std::size_t channel : channels(u, messages_[message].to)) ++load_[channel];
  }
  void release(std::size_t message) {
    const Message& m = messages_[message];
    std::erase(sent_[m.from], message);
    busy_[m.from][m.to] = false;
    for (const std::size_t channel : channels(m.from, m.to)) --load_[channel];
  }

  /// Finds a sender for a message that has none; others may get other senders.
  bool place(std::size_t message) {
    const auto [from, to, packet] = messages_[message];
    std::vector<Rank> holders;
    for (Rank u = 0; u < instance_.ranks; ++u) {
      if (has_[packet][u]) holders.push_back(u);
    }
    dice_.shuffle(holders);
    for (const Rank u : holders) {
      if (sent_[u].size() >= instance_.ports->send || !open(u, to)) continue;
      occupy(message, u);
      return true;
    }
    for (const Rank u : holders) {
      if (asked_[u] || busy_[u][to] || sent_[u].size() < instance_.ports->send) continue;
      asked_[u] = true;
      for (const std::size_t other : std::vector(sent_[u])) {
        release(other);
        if (open(u, to)) {
          occupy(message, u);
          if (place(other)) return true;
          release(message);
        }
        occupy(other, u);
      }
    }
    return false;
  }

  const Instance& instance_;
  const std::vector<std::vector<std::size_t>>& arc_;
  const std::vector<std::vector<bool>>& has_;
  Dice& dice_;
  std::vector<Message> messages_;
  std::vector<std::vector<std::size_t>> sent_;  ///< by sender: its messages
  std::vector<std::vector<bool>> busy_;         ///< by sender and receiver
  std::vector<std::uint64_t> load_;             ///< of each channel
  std::vector<bool> asked_;                     ///< senders to give up a message, on this path
};

/// The search for one problem in packets.
class Tries {
 public:
  Tries(const Instance& instance, const Packets& packets)
      : instance_(instance), packets_(packets), arc_(arcs_by_ends(instance)) {}

  /// A schedule, if this try, with so much noise, finds one.
  std::shared_ptr<const Schedule> attempt(double noise) {
    begin();
    auto result = std::make_shared<Schedule>();
    for (std::uint64_t t = 0; t < instance_.steps; ++t) {
      result->begin_step(t);
      for (const auto& [from, to, packet] : step(noise)) {
        has_[packet][to] = true;
        for (const Chunk c : packets_.chunks[packet]) result->add(copy(from, to, c));
      }
      if (late(instance_.steps - 1 - t)) return nullptr;
    }
    return result;
  }

 private:
  void begin() {
    const std::size_t count = packets_.deliveries.size();
    has_.assign(count, std::vector<bool>(instance_.ranks));
    lacking_.assign(count, {});
    holders_.assign(count, 0);
    missing_.assign(instance_.ranks, 0);
    for (std::size_t p = 0; p < count; ++p) {
      for (const Rank source : packets_.deliveries[p].sources) has_[p][source] = true;
      for (const Rank goal : packets_.deliveries[p].goals) ++missing_[goal];
      lacking_[p] = packets_.deliveries[p].goals;
      holders_[p] = packets_.deliveries[p].sources.size();
    }
  }

  /// The messages of the next step; the counts are those after it.
  std::vector<StepMatching::Message> step(double noise) {
    StepMatching matching(instance_, arc_, has_, dice_);
    std::vector<std::uint64_t> received(instance_.ranks);
    std::vector<std::size_t> open;
    for (std::size_t p = 0; p < lacking_.size(); ++p) {
      if (!lacking_[p].empty()) open.push_back(p);
    }
    while (!open.empty()) {
      const std::size_t next = rarest(open, noise);
      if (!send(open[next], noise, received, matching)) {
        open.erase(open.begin() + static_cast<std::ptrdiff_t>(next));
      }
    }
    return matching.messages();
  }

  /// The place in a list of one of the rarest packets.
  std::size_t rarest(const std::vector<std::size_t>& some, double noise) {
    std::size_t best = 0;
    double least = 0;
    for (std::size_t i = 0; i < some.size(); ++i) {
      const double rare = static_cast<double>(holders_[some[i]]) * (1 + noise * dice_.fraction());
      if (i == 0 || rare < least) {
        best = i;
        least = rare;
      }
    }
    return best;
  }

  /// Sends a packet to one more rank, if that is possible.
  bool send(std::size_t packet, double noise, std::vector<std::uint64_t>& received,
            StepMatching& matching) {
    std::vector<std::pair<double, Rank>> receivers;
    for (const Rank v : lacking_[packet]) {
      if (received[v] >= instance_.ports->receive) continue;
      const double preference = dice_.fraction() * (0.5 + 2 * noise);
      receivers.emplace_back(preference - static_cast<double>(missing_[v]), v);
    }
    std::ranges::sort(receivers);
    for (const auto& [preference, v] : receivers) {
      if (!matching.add(v, packet)) continue;
      std::erase(lacking_[packet], v);
      ++holders_[packet];
      ++received[v];
      --missing_[v];
      return true;
    }
    return false;
  }

  /// Is what is left too much for this number of steps?
  bool late(std::uint64_t steps) const {
    for (std::size_t p = 0; p < lacking_.size(); ++p) {
      Saturating reached = holders_[p];
      const Saturating all = holders_[p] + lacking_[p].size();
      for (std::uint64_t t = 0; t < steps && reached < all; ++t) {
        reached = reached * (std::uint64_t{instance_.ports->send} + 1);
      }
      if (reached < all) return true;
    }
    return std::ranges::any_of(missing_, [&](std::uint64_t count) {
      return count > Saturating(steps) * instance_.ports->receive;
    });
  }

  const Instance& instance_;
  const Packets& packets_;
  std::vector<std::vector<std::size_t>> arc_;  ///< the number of the arc, by its ends
  Dice dice_;
  std::vector<std::vector<bool>> has_;      ///< by packet and rank, when the step begins
  std::vector<std::vector<Rank>> lacking_;  ///< by packet: the ranks that want it
  std::vector<std::uint64_t> holders_;      ///< of each packet
  std::vector<std::uint64_t> missing_;      ///< of each rank: packets that it wants
};

}  // namespace

std::shared_ptr<const Schedule> rarest_first(const Instance& instance,
                                             const std::vector<Delivery>& chunks,
                                             std::uint64_t receptions,
                                             const PollLimits& poll_limits) {
  if (instance.ranks < 2 || !takes_packets(instance) || too_many(instance, chunks)) return nullptr;
  const Packets all = packets(chunks, width(instance));
  std::size_t once = 0;
  for (const Delivery& packet : all.deliveries) {
    if (packet.sources.empty() && !packet.goals.empty()) return nullptr;
    once += packet.goals.size();
  }
  if (once == 0 || once > max_receptions) return nullptr;
  Tries search(instance, all);
  for (std::uint64_t i = 0; i == 0 || i < receptions / once; ++i) {
    if (poll_limits) poll_limits();
    constexpr double noises[] = {0, 0.15, 0.3, 0.45, 0.6};
    if (auto schedule = search.attempt(noises[i % std::size(noises)])) return schedule;
  }
  return nullptr;
}

}  // namespace schedcc::prover
