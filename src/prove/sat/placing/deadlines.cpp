// Where any rank may send to any other, ranks with the same packets can be exchanged, and a step is
// a matter of numbers: how many more ranks have each packet after it. Rarest first chooses message
// by message; here the numbers come first, and a flow makes messages of them (step_flow.cpp).
//
// Let there be P ranks with k ports, K packets and T steps, m = ceil(K/k) - 1 and q = T - m. If all
// receive k packets in each of the last m steps, every rank must have K - km before. So in q steps
// each rank gets some K - km packets; from then on the k oldest packets go to all that still lack
// them in each step, and a rank that had i of them receives i younger ones instead. That is, packet
// c = 0, 1, ... is everywhere after step q + 1 + floor(c/k), or T if that is less: its deadline.
// The root sends it for the first time in step 1 + floor(c/k). (27 ranks, k = 2, five packets in
// five steps: the root sends a, b; c, d; e, e; and what everyone has goes to two others. After
// three steps each rank has one packet: 9 a, 9 b, 3 c, 3 d, 2 e. In the fourth a and b go to all
// others, and those that had one of them receive c, d or e as well, which makes 9 c, 9 d, 8 e; in
// the last step each rank receives the two that it lacks. No port is idle where another could
// help.)
//
// A packet with d steps left must be at ceil(P / (k+1)^d) ranks, with the root: the least number
// of its holders. If the root does not help, as it has packets of its own to send, that many of the
// P - 1 others: its target. Each next reception goes to the packet with the smallest part of its
// target, up to some noise, until all ports are used; or, in half of the tries, until each packet
// has its target and each rank enough, which keeps the counts of later packets where they must be.
// What the ranks that receive more than they must get matters as well: some packets, chosen by
// coin, must have their whole numbers, the flow decides on the others.
//
// Where the bound leaves some slack one of the first tries succeeds, and where it leaves none, one
// of the first thousand or so: their steps are small flows. No step can be undone within a try.

#include "prove/sat/placing/deadlines.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/integers.hpp"
#include "prove/sat/bounds/step_bounds.hpp"
#include "prove/sat/placing/step_flow.hpp"
#include "prove/sat/question/packets.hpp"
#include "prove/sat/solve/dice.hpp"

namespace schedcc::prover {

namespace {

/// The most arcs of the flows of one try: more take long.
constexpr std::uint64_t max_arcs = 1 << 20;

/// The choices of a try.
struct Manner {
  double noise;
  bool thrifty;  ///< only what is needed is sent
};

/// The search for one broadcast in packets.
class DeadlineTries {
 public:
  DeadlineTries(const Instance& instance, const Packets& packets)
      : P_(instance.ranks),
        K_(packets.deliveries.size()),
        T_(instance.steps),
        k_(std::min<std::uint64_t>(instance.ports->send, P_ - 1)),
        first_(T_ - std::min(T_, ceil_div(K_, k_) - 1)),
        root_(packets.deliveries.front().sources.front()),
        packets_(packets) {}

  /// A schedule, if this try finds one.
  std::shared_ptr<const Schedule> attempt(const Manner& manner) {
    begin();
    std::vector<std::vector<PacketEnds>> steps;
    for (std::uint64_t t = 1; t <= T_; ++t) {
      auto ends = step(t, manner);
      if (!ends) return nullptr;
      steps.push_back(std::move(*ends));
    }
    const bool all = std::ranges::all_of(holders_, [&](auto count) { return count == P_ - 1; });
    return all ? schedule(steps) : nullptr;
  }

 private:
  void begin() {
    has_.assign(K_, std::vector<bool>(P_));
    for (std::vector<bool>& holders : has_) holders[root_] = true;
    holders_.assign(K_, 0);
    lacking_.assign(P_, K_);
    lacking_[root_] = 0;
  }

  /// The ends of the messages of step t = 1, 2, ...; the counts are those after it.
  std::optional<std::vector<PacketEnds>> step(std::uint64_t t, const Manner& manner) {
    StepDemand demand{k_, has_, {}, ranks(t)};
    demand.packets = packets(t, demand.ranks, manner);
    for (Receptions& packet : demand.packets) {
      if (dice_.coin()) packet.least = packet.most;
    }
    for (const Receptions& rank : demand.ranks) {
      if (rank.least > rank.most) return std::nullopt;
    }
    auto result = step_flow(demand, dice_);
    for (std::size_t p = 0; result && p < K_; ++p) {
      for (const Rank v : (*result)[p].receivers) {
        has_[p][v] = true;
        --lacking_[v];
        ++holders_[p];
      }
    }
    return result;
  }

  bool empty(Rank v) const { return lacking_[v] == K_; }
  /// The messages that all ranks with a packet can send.
  std::uint64_t ports() const {
    return k_ * static_cast<std::uint64_t>(
                    std::ranges::count_if(lacking_, [&](auto count) { return count < K_; }));
  }

  /// What each rank receives in step t. As long as there are enough ranks without any packet, all
  /// messages go to them.
  std::vector<Receptions> ranks(std::uint64_t t) const {
    const auto without = static_cast<std::uint64_t>(std::ranges::count(lacking_, K_));
    const bool spread = ports() <= without;
    std::vector<Receptions> result(P_);
    for (Rank v = 0; v < P_; ++v) {
      const std::uint64_t later = k_ * (T_ - t);
      result[v].least = lacking_[v] - std::min(lacking_[v], later);
      const std::uint64_t most = spread ? (empty(v) ? 1 : 0) : k_;
      result[v].most = std::min(most, lacking_[v]);
    }
    return result;
  }

  /// The steps between step t and the deadline of a packet.
  std::uint64_t left(std::size_t packet, std::uint64_t t) const {
    const std::uint64_t deadline = std::min(T_, first_ + 1 + packet / k_);
    return deadline - std::min(deadline, t);
  }
  /// ceil(count / (k+1)^steps): from so many the holders can grow to `count`.
  std::uint64_t before(std::uint64_t count, std::uint64_t steps) const {
    for (; steps > 0 && count > 1; --steps) count = ceil_div(count, k_ + 1);
    return count;
  }

  /// How many ranks receive each packet in step t.
  std::vector<Receptions> packets(std::uint64_t t, const std::vector<Receptions>& ranks,
                                  const Manner& manner) {
    std::vector<Receptions> result(K_);
    std::vector<double> weight(K_);
    std::uint64_t total = 0, by_root = 0, room = 0, least = 0;
    for (const Receptions& rank : ranks) {
      room += rank.most;
      least += rank.least;
    }
    room = std::min(room, ports());
    for (std::size_t p = 0; p < K_; ++p) {
      const std::uint64_t holders = before(P_, left(p, t)) - 1;
      result[p].least = result[p].most = holders - std::min(holders, holders_[p]);
      weight[p] = (1 + manner.noise * dice_.fraction()) / static_cast<double>(target(p, t));
      total += result[p].most;
      by_root += result[p].most - std::min(result[p].most, k_ * holders_[p]);
    }
    for (; total < room; ++total) {
      const bool enough = manner.thrifty && total >= least;
      const auto next = rarest(t, result, weight, by_root < k_, enough);
      if (!next) break;
      if (result[*next].most >= k_ * holders_[*next]) ++by_root;
      ++result[*next].most;
    }
    return result;
  }

  std::uint64_t target(std::size_t packet, std::uint64_t t) const {
    return before(P_ - 1, left(packet, t));
  }

  /// The packet with the smallest part of its target, if one can still be sent: by those that hold
  /// it when the step begins, or by the root. `enough`: only if it is below its target.
  std::optional<std::size_t> rarest(std::uint64_t t, const std::vector<Receptions>& sent,
                                    const std::vector<double>& weight, bool root_free,
                                    bool enough) const {
    std::optional<std::size_t> best;
    double least = 0;
    for (std::size_t p = 0; p < K_; ++p) {
      const std::uint64_t holders = holders_[p] + sent[p].most;
      if (holders >= P_ - 1 || (enough && holders >= target(p, t))) continue;
      if (sent[p].most >= k_ * holders_[p] && !root_free) continue;
      if (holders == 0 && p >= k_ * t && t < T_) continue;  // its turn is later
      const double part = (static_cast<double>(holders) + 0.5) * weight[p];
      if (best && part >= least) continue;
      best = p;
      least = part;
    }
    return best;
  }

  std::shared_ptr<const Schedule> schedule(
      const std::vector<std::vector<PacketEnds>>& steps) const {
    auto result = std::make_shared<Schedule>();
    for (std::uint64_t t = 0; t < T_; ++t) {
      const auto messages = pair_ends(steps[t], P_);
      if (!messages) return nullptr;
      result->begin_step(t);
      for (const auto& [from, to, packet] : *messages) {
        for (const Chunk c : packets_.chunks[packet]) result->add(copy(from, to, c));
      }
    }
    return result;
  }

  std::uint64_t P_, K_, T_, k_;
  std::uint64_t first_;  ///< q, the steps until every rank must have K - km packets
  Rank root_;
  const Packets& packets_;
  Dice dice_;
  std::vector<std::vector<bool>> has_;  ///< by packet and rank
  std::vector<std::uint64_t> holders_;  ///< of each packet, but for the root
  std::vector<std::uint64_t> lacking_;  ///< by rank: how many packets
};

}  // namespace

std::shared_ptr<const Schedule> by_deadlines(const Instance& instance,
                                             const std::vector<Delivery>& chunks,
                                             std::uint64_t arcs, const PollLimits& poll_limits) {
  if (instance.ranks < 2 || !takes_packets(instance) || !instance.channels.empty() ||
      instance.ports->send != instance.ports->receive || !is_broadcast(instance, chunks) ||
      too_many(instance, chunks)) {
    return nullptr;
  }
  const Packets all = packets(chunks, width(instance));
  const Saturating once = Saturating(instance.ranks) * all.deliveries.size() *
                          std::max<std::uint64_t>(instance.steps, 1);
  if (once > max_arcs) return nullptr;
  DeadlineTries search(instance, all);
  for (std::uint64_t i = 0; i == 0 || i < arcs / once.value(); ++i) {
    if (poll_limits) poll_limits();
    constexpr double noises[] = {0, 0.15, 0.3, 0.6, 1};
    const Manner manner{noises[i % std::size(noises)], i / std::size(noises) % 2 == 1};
    if (auto schedule = search.attempt(manner)) return schedule;
  }
  return nullptr;
}

}  // namespace schedcc::prover
