// The messages of a step are a flow from the ports of the senders through the packets to the ports
// of the receivers: a rank's ports lead to the packets that it holds, a packet to the ranks that
// lack it, each of which takes it once. What must flow at least through a packet, or into a rank,
// is a lower bound of an arc. As usual that bound leaves the arc: it flows from another source to
// the arc's end, and from its beginning to another sink, and the first sink is joined to the first
// source. If all of this flows, the demand is met; what can flow from the first source to the first
// sink besides takes nothing away from it.
//
// Who sends to whom remains open, as ranks do not care from whom a packet comes. But no rank sends
// two messages to another: packet after packet, a flow from its senders to its receivers takes
// pairs that are still free.

#include "prove/sat/placing/step_flow.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/max_flow.hpp"

namespace schedcc::prover {

namespace {

/// More than can flow together.
constexpr std::uint64_t plenty = std::uint64_t{1} << 40;

class StepFlow {
 public:
  StepFlow(const StepDemand& demand, Dice& dice)
      : demand_(demand),
        ranks_(demand.ranks.size()),
        flow_(2 * ranks_ + 2 * demand.packets.size() + 4) {
    for (const std::size_t u : shuffled(ranks_, dice)) flow_.add(source(), u, demand.ports);
    add_packet_arcs(dice);
    for (const std::size_t p : shuffled(demand.packets.size(), dice)) {
      bounded(into(p), out_of(p), demand.packets[p]);
    }
    for (const std::size_t v : shuffled(ranks_, dice)) {
      bounded(receiver(v), sink(), demand.ranks[v]);
    }
    flow_.add(sink(), source(), plenty);
  }

  std::optional<std::vector<PacketEnds>> ends() {
    if (flow_.run(least_source(), least_sink(), least_) < least_) return std::nullopt;
    flow_.more(source(), sink(), plenty);
    std::vector<PacketEnds> result(demand_.packets.size());
    for (const auto& [rank, packet, arc] : senders_) {
      auto& senders = result[packet].senders;
      senders.insert(senders.end(), flow_.flow(arc), rank);
    }
    for (const auto& [rank, packet, arc] : receivers_) {
      if (flow_.flow(arc) > 0) result[packet].receivers.push_back(rank);
    }
    return result;
  }

 private:
  struct PacketArc {
    Rank rank;
    std::size_t packet, arc;
  };

  // The nodes: senders, receivers, packets, and the ends.
  std::size_t receiver(std::size_t v) const { return ranks_ + v; }
  std::size_t into(std::size_t packet) const { return 2 * ranks_ + 2 * packet; }
  std::size_t out_of(std::size_t packet) const { return into(packet) + 1; }
  std::size_t source() const { return into(demand_.packets.size()); }
  std::size_t sink() const { return source() + 1; }
  std::size_t least_source() const { return source() + 2; }
  std::size_t least_sink() const { return source() + 3; }

  static std::vector<std::size_t> shuffled(std::size_t count, Dice& dice) {
    std::vector<std::size_t> result(count);
    std::iota(result.begin(), result.end(), 0);
    dice.shuffle(result);
    return result;
  }

  void add_packet_arcs(Dice& dice) {
    for (std::size_t p = 0; p < demand_.packets.size(); ++p) {
      for (Rank v = 0; v < ranks_; ++v) {
        (demand_.has[p][v] ? senders_ : receivers_).push_back({v, p, 0});
      }
    }
    dice.shuffle(senders_);
    dice.shuffle(receivers_);
    for (PacketArc& a : senders_) a.arc = flow_.add(a.rank, into(a.packet), demand_.ports);
    for (PacketArc& a : receivers_) a.arc = flow_.add(out_of(a.packet), receiver(a.rank), 1);
  }

  /// An arc that must carry the least number.
  void bounded(std::size_t from, std::size_t to, const Receptions& number) {
    flow_.add(from, to, number.most - number.least);
    if (number.least == 0) return;
    flow_.add(from, least_sink(), number.least);
    flow_.add(least_source(), to, number.least);
    least_ += number.least;
  }

  const StepDemand& demand_;
  std::size_t ranks_;
  MaxFlow flow_;
  std::vector<PacketArc> senders_, receivers_;
  std::uint64_t least_ = 0;
};

/// The pairs of the ends of one packet, none of them taken.
class PacketPairs {
 public:
  PacketPairs(const PacketEnds& ends, const std::vector<std::vector<bool>>& taken)
      : flow_(2 * taken.size() + 2) {
    const std::size_t ranks = taken.size(), source = 2 * ranks, sink = source + 1;
    for (const Rank u : ends.senders) flow_.add(source, u, 1);
    for (const Rank v : ends.receivers) flow_.add(ranks + v, sink, 1);
    std::vector<Rank> senders = ends.senders;
    std::ranges::sort(senders);
    senders.erase(std::unique(senders.begin(), senders.end()), senders.end());
    for (const Rank u : senders) {
      for (const Rank v : ends.receivers) {
        if (!taken[u][v]) pairs_.push_back({u, v, flow_.add(u, ranks + v, 1)});
      }
    }
    complete_ = flow_.run(source, sink, ends.senders.size()) == ends.receivers.size();
  }

  bool complete() const { return complete_; }
  /// Calls `visit` with each pair.
  template <typename Visit>
  void for_each(const Visit& visit) const {
    for (const auto& [from, to, arc] : pairs_) {
      if (flow_.flow(arc) > 0) visit(from, to);
    }
  }

 private:
  struct Pair {
    Rank from, to;
    std::size_t arc;
  };

  MaxFlow flow_;
  std::vector<Pair> pairs_;
  bool complete_ = false;
};

}  // namespace

std::optional<std::vector<PacketEnds>> step_flow(const StepDemand& demand, Dice& dice) {
  return StepFlow(demand, dice).ends();
}

std::optional<std::vector<PacketMessage>> pair_ends(const std::vector<PacketEnds>& ends,
                                                    std::size_t ranks) {
  std::vector<std::size_t> order(ends.size());
  std::iota(order.begin(), order.end(), 0);
  // Packets with few messages have the fewest senders to choose from.
  std::ranges::stable_sort(order, {}, [&](std::size_t p) { return ends[p].senders.size(); });
  std::vector<std::vector<bool>> taken(ranks, std::vector<bool>(ranks));
  std::vector<PacketMessage> result;
  for (const std::size_t packet : order) {
    const PacketPairs pairs(ends[packet], taken);
    if (!pairs.complete()) return std::nullopt;
    pairs.for_each([&](Rank from, Rank to) {
      taken[from][to] = true;
      result.push_back({from, to, packet});
    });
  }
  return result;
}

}  // namespace schedcc::prover
