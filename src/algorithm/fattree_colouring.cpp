// Total exchange on fat trees of any capacities: the transfers coloured with steps.
//
// A colour is the step in which a packet leaves. A packet whose ends meet at level i, one of phase
// i, crosses the branches of level j <= i upwards j-1 steps after it left, downwards 2i-j steps
// after. So upwards all packets with one colour meet, downwards those with the same colour + 2i.
//
// The tree is coloured from the root down. At a node of level i the colours of the packets that
// leave and enter its subtree are known, but not yet which of its two children they come from or go
// to; and it has K 4^(i-1) packets to exchange in each direction between the children.
//
//   It distributes these packets over its children so that (1) of the packets between its
//   subtree and any other block of leaves exactly one half belongs to each child, (2) the packets
//   that pass in one step are halved, too, with an odd last one to either child, and (3) where one
//   is left over both upwards and downwards, the one leaves the first child and the other enters
//   the second, or vice versa. For this, each packet is linked to one of the same block
//   and to one of the same step; linked packets go to different children. The links form paths
//   and even cycles, which are coloured by following them. (1) gives every pair of leaves its K
//   packets in the end, (2) keeps the capacities, and (3) makes room for a packet from the
//   second child to the first in just this step.
//
//   Then the children exchange as early as the capacities allow. So a branch of level i is in full
//   use until phase i has ended, and phase i is no later than the load of the branch demands.
//
//   If no exchange is left for which (3) would make room, the two left over should
//   meet at one child, in the same step for the next lower level that still has packets to
//   exchange: so that if it has room upwards it has room downwards. Such links
//   may contradict each other in a cycle; then one of them is ignored, and some room is
//   lost. The level, for each step, is predicted by a fluid model.
//
// Capacities beyond twice those of the level below could not be fed and are not used. (1) and (2)
// make every schedule correct. That the room suffices is not proved: among 100000 trees with
// capacities of many kinds nearly all needed no more steps than the load of the most loaded branch
// and the latency 2h - 1, and the others at most four more.
//
// If every packet leaves again after a period, as often as there are packets for each pair of
// leaves, slots are taken modulo the period: then (2) keeps the capacities in all periods, also
// where the ends of one meet the beginnings of the next. A period is the load of the most loaded
// branch for one packet; it is in use without a gap. So nothing is lost if the last period has no
// more than the latency behind it, and only one packet for each pair is coloured.
//
// Cost: O(h) per packet, all of them in memory. A node has packets in few of the slots, except near
// the root; only those are stored (UsedSlots), so that what belongs to a node stays in a cache.
// Source: BFT, section 5, for the order of the phases; the rest is the Euler split of a bipartite
// graph, as in edge colouring.

#include "algorithm/fattree_colouring.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <numeric>
#include <optional>

#include "algorithm/shapes.hpp"
#include "core/recent_cache.hpp"

namespace schedcc {

namespace {

enum Direction : std::uint8_t { up, down };

constexpr std::uint32_t none = UINT32_MAX;

/// A packet; the bits of its ends that have been decided so far, the others are 0.
struct Packet {
  Rank src, dst;
  std::uint32_t step;
  std::uint32_t phase() const { return static_cast<std::uint32_t>(std::bit_width(src ^ dst)); }
};

/// A node's packets that leave and enter its subtree.
using Passing = std::array<std::vector<std::uint32_t>, 2>;

/// A packet that leaves or enters the subtree of a node.
struct End {
  std::uint32_t packet;
  Direction direction;
  Rank block;  ///< the far end
  /// Upwards its step; downwards the step of this node's packet that shares it. Then its index
  /// among those that are used.
  std::uint32_t slot;
  std::uint32_t same_block = none, same_slot = none;  ///< the ends that it is linked to
  bool together = false;                              ///< with `same_slot`: at the same child
  std::int8_t child = -1;
};

/// The packets through a node in one slot.
struct Slot {
  std::array<std::uint32_t, 2> open{none, none};          ///< by direction: still to be linked
  std::array<std::uint32_t, 2> passing{};                 ///< by direction
  std::array<std::array<std::uint32_t, 2>, 2> used = {};  ///< by direction and child
};

/// Which slots a node uses. Their indices are found by counting bits.
class UsedSlots {
 public:
  /// None of `range` slots.
  void reset(std::uint64_t range) {
    range_ = range;
    words_.assign(range / 64 + 1, {});
    slots_.clear();
  }
  void add(std::uint32_t slot) { words_[slot / 64].bits |= bit(slot); }
  /// To be called when all are added.
  void number() {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      words_[i].before = size();
      for (std::uint64_t left = words_[i].bits; left != 0; left &= left - 1)
        slots_.push_back(static_cast<std::uint32_t>(i * 64 + std::countr_zero(left)));
    }
  }

  std::uint64_t range() const { return range_; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(slots_.size()); }
  std::uint32_t operator[](std::size_t index) const { return slots_[index]; }
  bool has(std::uint32_t slot) const { return (words_[slot / 64].bits & bit(slot)) != 0; }
  /// Of a slot that is used.
  std::uint32_t index(std::uint32_t slot) const {
    const Word& word = words_[slot / 64];
    return word.before + static_cast<std::uint32_t>(std::popcount(word.bits & (bit(slot) - 1)));
  }

 private:
  struct Word {
    std::uint64_t bits = 0;
    std::uint32_t before = 0;  ///< used slots of the words before
  };
  static std::uint64_t bit(std::uint32_t slot) { return std::uint64_t{1} << slot % 64; }

  std::uint64_t range_ = 0;
  std::vector<Word> words_;
  std::vector<std::uint32_t> slots_;
};

class Colouring {
 public:
  /// `period`: the steps after which the packets leave once more; 0: never.
  Colouring(std::span<const std::uint64_t> c, std::uint32_t K, std::uint32_t lowest,
            std::uint32_t period = 0)
      : c_(c), K_(K), lowest_(lowest), period_(period) {}

  /// None if a period is too short for them.
  std::vector<Packet> packets() && {
    const auto h = static_cast<std::uint32_t>(c_.size());
    predict_phases();
    std::vector<Passing> nodes(1);
    for (i_ = h; i_ >= 1; --i_) {
      const std::uint64_t range = period_ != 0 ? period_ : std::uint64_t{last_step_} + 2 * h + 1;
      open_blocks_.assign(std::size_t{2} << h, none);
      std::vector<Passing> children(2 * nodes.size());
      for (std::size_t v = 0; v < nodes.size(); ++v) {
        collect_ends(nodes[v], range);
        link_blocks();
        link_slots();
        distribute(&children[2 * v]);
        nodes[v] = {};
        if (i_ >= lowest_ && !exchange(static_cast<Rank>(v << i_), &children[2 * v])) return {};
      }
      nodes = std::move(children);
    }
    return std::move(packets_);
  }

 private:
  Rank half() const { return Rank{1} << (i_ - 1); }
  std::uint64_t capacity() const { return c_[i_ - 1]; }
  std::uint32_t slot_of(std::uint32_t step) const { return period_ != 0 ? step % period_ : step; }
  /// Packets to exchange in one direction.
  std::uint64_t own() const { return i_ >= lowest_ ? std::uint64_t{half()} * half() * K_ : 0; }

  void collect_ends(const Passing& node, std::uint64_t range) {
    ends_.clear();
    used_.reset(range);
    for (const std::uint32_t p : node[up]) {
      ends_.push_back({p, up, packets_[p].dst, packets_[p].step});
    }
    for (const std::uint32_t p : node[down]) {
      const std::uint32_t later = 2 * (packets_[p].phase() - i_);
      ends_.push_back({p, down, packets_[p].src, slot_of(packets_[p].step + later)});
    }
    for (const End& end : ends_) used_.add(end.slot);
    used_.number();
    slots_.assign(used_.size(), {});
    for (End& end : ends_) {
      end.slot = used_.index(end.slot);
      ++slots_[end.slot].passing[end.direction];
    }
  }

  /// Links `e` to the open end, if there is one; else `e` becomes the open end.
  void link(std::uint32_t& open, std::uint32_t e, std::uint32_t End::*partner) {
    if (open == none) {
      open = e;
      return;
    }
    ends_[e].*partner = open;
    ends_[open].*partner = e;
    open = none;
  }

  /// (1): pairs of the same block; their number is even.
  void link_blocks() {
    for (std::uint32_t e = 0; e < ends_.size(); ++e) {
      link(open_blocks_[2 * std::size_t{ends_[e].block} + ends_[e].direction], e, &End::same_block);
    }
  }

  /// (2) pairs of the same slot, and (3) those left over upwards and downwards.
  void link_slots() {
    for (std::uint32_t e = 0; e < ends_.size(); ++e) {
      link(slots_[ends_[e].slot].open[ends_[e].direction], e, &End::same_slot);
    }
    crossing_links_.clear();
    const std::uint64_t served = slots_served();
    for (std::uint32_t e = 0; e < ends_.size(); ++e) {
      if (slots_[ends_[e].slot].open[up] != e) continue;
      const std::uint32_t slot = used_[ends_[e].slot];
      const bool together = slot >= served;
      // Slots of level j < i are those of level i upwards, and 2 (i-j) later downwards.
      const std::uint32_t shift = together ? 2 * (i_ - next_level(slot)) : 0;
      if (slot < shift && period_ == 0) continue;
      const std::uint32_t earlier =
          slot >= shift ? slot - shift : period_ - 1 - (shift - slot - 1) % period_;
      if (!used_.has(earlier)) continue;
      const std::uint32_t other = slots_[used_.index(earlier)].open[down];
      if (other == none || ends_[other].same_slot != none) continue;
      ends_[e].same_slot = other;
      ends_[other].same_slot = e;
      ends_[e].together = ends_[other].together = together;
      crossing_links_.push_back(e);
    }
  }

  /// The slots that the exchange between the children needs, if all leftovers help it: the first
  /// ones, with enough room in both directions together.
  std::uint64_t slots_served() const {
    const std::uint64_t all = 2 * capacity(), wanted = 2 * own();
    std::uint64_t room = 0, next = 0;  // in the slots before `next`
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      const std::uint64_t empty = ceil_div(wanted - room, all);  // that would be enough
      if (next + empty <= used_[i]) return next + empty;
      const auto& passing = slots_[i].passing;
      room += (used_[i] - next + 1) * all - std::max(passing[up], passing[down]);
      next = used_[i] + 1;
      if (room >= wanted) return next;
    }
    return std::min(used_.range(), next + ceil_div(wanted - room, all));
  }

  /// The highest level below this one that will still exchange in `slot`, or level 1.
  std::uint32_t next_level(std::uint32_t slot) const {
    std::uint32_t j = i_ - 1;
    while (j > 1 && ends_of_phases_[j] <= slot) --j;
    return j;
  }

  /// Predicts when each phase ends: in a fluid model, in which phase i gets the capacity of level i
  /// that the higher ones leave; plus h steps, for losses.
  void predict_phases() {
    const std::size_t h = c_.size();
    ends_of_phases_.assign(h + 1, 0);
    std::vector<std::uint64_t> used;  // by step: of a branch, in 2^h-ths of a packet
    for (std::size_t i = h; i >= lowest_; --i) {
      std::uint64_t left = (std::uint64_t{K_} << (2 * (i - 1))) << h;
      for (std::size_t t = 0; t < used.size() || left > 0; ++t) {
        if (t == used.size()) used.push_back(0);
        const std::uint64_t flow = std::min(left, (c_[i - 1] << h) - used[t] / 2);
        used[t] = used[t] / 2 + flow;
        left -= flow;
        if (flow > 0) ends_of_phases_[i] = t + 1 + h;
      }
    }
  }

  /// Follows the links from `e` both ways. The last link of a cycle is the one at `e` to its slot,
  /// which may be ignored if it is one of (3): so these are followed first.
  void follow_links(std::uint32_t e) {
    if (ends_[e].child >= 0) return;
    ends_[e].child = 0;
    for (const bool block_first : {true, false}) {
      bool by_block = block_first;
      for (std::uint32_t at = e;; by_block = !by_block) {
        const End& here = ends_[at];
        at = by_block ? here.same_block : here.same_slot;
        if (at == none || ends_[at].child >= 0) break;
        const bool same = !by_block && here.together;
        ends_[at].child = static_cast<std::int8_t>(same ? here.child : 1 - here.child);
      }
    }
  }

  void distribute(Passing* children) {
    for (const std::uint32_t e : crossing_links_) follow_links(e);
    for (std::uint32_t e = 0; e < ends_.size(); ++e) follow_links(e);
    for (const End& end : ends_) {
      const std::size_t child = end.child == 1 ? 1 : 0;
      Packet& packet = packets_[end.packet];
      if (child == 1) (end.direction == up ? packet.src : packet.dst) += half();
      children[child][end.direction].push_back(end.packet);
      ++slots_[end.slot].used[end.direction][child];
    }
  }

  /// The children of the node whose leaves begin at `base` exchange their packets for each other;
  /// false if a period has no room for them.
  bool exchange(Rank base, Passing* children) {
    for (std::size_t from = 0; from < 2; ++from) {
      const std::size_t to = 1 - from;
      const auto src = static_cast<Rank>(base + from * half());
      const auto dst = static_cast<Rank>(base + to * half());
      std::uint64_t left = own();
      std::size_t next = 0;  // of the used slots
      for (std::uint32_t step = 0; left > 0; ++step) {
        if (period_ != 0 && step == period_) return false;
        std::uint64_t room = capacity();
        if (next < slots_.size() && used_[next] == step) {
          const auto& used = slots_[next++].used;
          room -= std::max(used[up][from], used[down][to]);
        }
        for (room = std::min(room, left); room > 0; --room, --left) {
          const auto packet = static_cast<std::uint32_t>(packets_.size());
          packets_.push_back({src, dst, step});
          children[from][up].push_back(packet);
          children[to][down].push_back(packet);
          last_step_ = std::max(last_step_, step);
        }
      }
    }
    return true;
  }

  std::span<const std::uint64_t> c_;
  std::uint32_t K_, lowest_, period_;
  std::uint32_t i_ = 0;  ///< the current level
  std::vector<Packet> packets_;
  std::uint32_t last_step_ = 0;
  std::vector<std::uint64_t> ends_of_phases_;  ///< in steps, by level; about
  std::vector<End> ends_;                      ///< of the current node
  std::vector<std::uint32_t> crossing_links_;  ///< ends linked by (3), one of each pair
  UsedSlots used_;                             ///< by the current node
  std::vector<Slot> slots_;                    ///< those
  std::vector<std::uint32_t> open_blocks_;  ///< by block and direction: an end still to be linked
};

/// The numbers of the packets in the order of their steps, those of a step in rising order.
std::vector<std::uint32_t> by_step(std::span<const Packet> packets) {
  std::uint32_t last = 0;
  for (const Packet& packet : packets) last = std::max(last, packet.step);
  std::vector<std::uint32_t> places(std::size_t{last} + 2);
  for (const Packet& packet : packets) ++places[packet.step + 1];
  std::partial_sum(places.begin(), places.end(), places.begin());
  std::vector<std::uint32_t> order(packets.size());
  for (std::uint32_t p = 0; p < packets.size(); ++p) order[places[packets[p].step]++] = p;
  return order;
}

/// The transfers of packets among so many leaves, with K for each pair, and chunks numbered as
/// among `n` ranks.
Schedule schedule_of(std::span<const Packet> packets, Rank leaves, std::uint32_t K, Rank n) {
  std::vector<std::uint32_t> sent(std::size_t{leaves} * leaves);  // of each pair
  Schedule schedule;
  std::optional<std::uint32_t> step;
  for (const std::uint32_t p : by_step(packets)) {
    const Packet& packet = packets[p];
    if (step != packet.step) schedule.begin_step(packet.step);
    step = packet.step;
    const std::uint32_t j = sent[std::size_t{packet.src} * leaves + packet.dst]++;
    schedule.add(copy(packet.src, packet.dst, (packet.src * n + packet.dst) * K + j));
  }
  return schedule;
}

/// The steps in which a branch of level i can carry its packets, K for each pair of leaves.
std::uint64_t branch_steps(std::span<const std::uint64_t> c, std::uint64_t i, std::uint32_t K) {
  const std::uint64_t n = std::uint64_t{1} << c.size(), block = std::uint64_t{1} << (i - 1);
  return ceil_div(block * (n - block) * K, c[i - 1]);
}

/// A lower bound on the steps: the load of a branch, after and before which the packets take their
/// ways to it and from it.
std::uint64_t least_steps(std::span<const std::uint64_t> c, std::uint32_t K) {
  std::uint64_t bound = 0;
  for (std::uint64_t i = 1; i <= c.size(); ++i)
    bound = std::max(bound, branch_steps(c, i, K) + 2 * i - 1);
  return bound;
}

}  // namespace

std::vector<std::uint64_t> sustained(std::span<const std::uint64_t> c) {
  constexpr std::uint64_t most = std::uint64_t{1} << 32;  // no problem has more packets
  std::vector<std::uint64_t> result;
  for (const std::uint64_t capacity : c) {
    result.push_back(std::min(capacity, result.empty() ? most : 2 * result.back()));
    result.back() = std::min(result.back(), most);
  }
  return result;
}

Schedule colour_exchange(std::span<const std::uint64_t> c, std::uint32_t K, Rank n,
                         std::uint32_t lowest) {
  const auto leaves = static_cast<Rank>(std::uint64_t{1} << c.size());
  return schedule_of(Colouring(c, K, lowest).packets(), leaves, K, n);
}

std::uint64_t colour_steps(std::span<const std::uint64_t> c, std::uint32_t K) {
  return least_steps(c, K) + 2 * c.size();
}

namespace {

/// A packet for each pair in each period; none if a period has no room for them.
struct Period {
  std::uint64_t length = 0, last = 0;  ///< the step after which the first packets have arrived
  std::shared_ptr<const Schedule> packets = nullptr;
};

Period colour_period(std::span<const std::uint64_t> c) {
  Period result;
  for (std::uint64_t i = 1; i <= c.size(); ++i)
    result.length = std::max(result.length, branch_steps(c, i, 1));
  const std::vector<Packet> packets =
      Colouring(c, 1, 1, static_cast<std::uint32_t>(result.length)).packets();
  if (packets.empty()) return result;
  for (const Packet& packet : packets)
    result.last = std::max<std::uint64_t>(result.last, packet.step + 2 * packet.phase());
  const auto n = static_cast<Rank>(std::uint64_t{1} << c.size());
  result.packets = std::make_shared<const Schedule>(schedule_of(packets, n, 1, n));
  return result;
}

}  // namespace

std::optional<PeriodicColouring> colour_periodically(std::span<const std::uint64_t> c,
                                                     std::uint32_t K) {
  constexpr std::size_t most_levels = 11;  // 2^22 packets, 64 MiB
  static RecentCache<std::vector<std::uint64_t>, Period> periods(1);
  const auto make = [&] { return colour_period(c); };
  const auto found = c.size() <= most_levels ? periods.get({c.begin(), c.end()}, make)
                                             : std::make_shared<const Period>(make());
  if (found->packets == nullptr || (K - 1) * found->length + found->last > least_steps(c, K))
    return std::nullopt;
  return PeriodicColouring{found->length, found->packets};
}

}  // namespace schedcc
