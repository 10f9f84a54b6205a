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
// Cost: O(h) per packet, all of them in memory. Source: BFT, section 5, for the order of the
// phases; the rest is the Euler split of a bipartite graph, as in edge colouring.

#include "algorithm/fattree_colouring.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "algorithm/shapes.hpp"

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
  std::uint32_t
      slot;  ///< upwards its step; downwards the step of this node's packet that shares it
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

class Colouring {
 public:
  Colouring(std::span<const std::uint64_t> c, std::uint32_t K, std::uint32_t lowest)
      : c_(c), K_(K), lowest_(lowest) {}

  std::vector<Packet> packets() && {
    const auto h = static_cast<std::uint32_t>(c_.size());
    predict_phases();
    std::vector<Passing> nodes(1);
    for (i_ = h; i_ >= 1; --i_) {
      slots_.resize(last_step_ + 2 * h + 1);
      open_blocks_.assign(std::size_t{2} << h, none);
      std::vector<Passing> children(2 * nodes.size());
      for (std::size_t v = 0; v < nodes.size(); ++v) {
        collect_ends(nodes[v]);
        link_blocks();
        link_slots();
        distribute(&children[2 * v]);
        nodes[v] = {};
        if (i_ >= lowest_) exchange(static_cast<Rank>(v << i_), &children[2 * v]);
        for (const End& end : ends_) slots_[end.slot] = {};
      }
      nodes = std::move(children);
    }
    return std::move(packets_);
  }

 private:
  Rank half() const { return Rank{1} << (i_ - 1); }
  std::uint64_t capacity() const { return c_[i_ - 1]; }
  /// Packets to exchange in one direction.
  std::uint64_t own() const { return i_ >= lowest_ ? std::uint64_t{half()} * half() * K_ : 0; }

  void collect_ends(const Passing& node) {
    ends_.clear();
    for (const std::uint32_t p : node[up]) {
      ends_.push_back({p, up, packets_[p].dst, packets_[p].step});
    }
    for (const std::uint32_t p : node[down]) {
      const std::uint32_t later = 2 * (packets_[p].phase() - i_);
      ends_.push_back({p, down, packets_[p].src, packets_[p].step + later});
    }
    for (const End& end : ends_) ++slots_[end.slot].passing[end.direction];
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
    const std::uint32_t served = slots_served();
    for (std::uint32_t e = 0; e < ends_.size(); ++e) {
      const std::uint32_t slot = ends_[e].slot;
      if (slots_[slot].open[up] != e) continue;
      const bool together = slot >= served;
      // Slots of level j < i are those of level i upwards, and 2 (i-j) later downwards.
      const std::uint32_t shift = together ? 2 * (i_ - next_level(slot)) : 0;
      if (slot < shift) continue;
      const std::uint32_t other = slots_[slot - shift].open[down];
      if (other == none || ends_[other].same_slot != none) continue;
      ends_[e].same_slot = other;
      ends_[other].same_slot = e;
      ends_[e].together = ends_[other].together = together;
      crossing_links_.push_back(e);
    }
  }

  /// The slots that the exchange between the children needs, if all leftovers help it.
  std::uint32_t slots_served() const {
    std::uint64_t room = 0;
    std::uint32_t slot = 0;
    for (; slot < slots_.size() && room < 2 * own(); ++slot) {
      const auto& passing = slots_[slot].passing;
      room += 2 * capacity() - std::max(passing[up], passing[down]);
    }
    return slot;
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

  /// The children of the node whose leaves begin at `base` exchange their packets for each other.
  void exchange(Rank base, Passing* children) {
    for (std::size_t from = 0; from < 2; ++from) {
      const std::size_t to = 1 - from;
      const auto src = static_cast<Rank>(base + from * half());
      const auto dst = static_cast<Rank>(base + to * half());
      std::uint64_t left = own();
      for (std::uint32_t step = 0; left > 0; ++step) {
        std::uint64_t room = capacity();
        if (step < slots_.size()) {
          room -= std::max(slots_[step].used[up][from], slots_[step].used[down][to]);
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
  }

  std::span<const std::uint64_t> c_;
  std::uint32_t K_, lowest_;
  std::uint32_t i_ = 0;  ///< the current level
  std::vector<Packet> packets_;
  std::uint32_t last_step_ = 0;
  std::vector<std::uint64_t> ends_of_phases_;  ///< in steps, by level; about
  std::vector<End> ends_;                      ///< of the current node
  std::vector<std::uint32_t> crossing_links_;  ///< ends linked by (3), one of each pair
  std::vector<Slot> slots_;                    ///< of the current node; empty between nodes
  std::vector<std::uint32_t> open_blocks_;  ///< by block and direction: an end still to be linked
};

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
  std::vector<Packet> packets = Colouring(c, K, lowest).packets();
  std::ranges::stable_sort(packets, {}, &Packet::step);
  std::vector<std::uint32_t> sent((std::size_t{1} << c.size()) << c.size());  // of each pair
  Schedule schedule;
  for (std::size_t p = 0; p < packets.size(); ++p) {
    const Packet& packet = packets[p];
    if (p == 0 || packet.step != packets[p - 1].step) schedule.begin_step(packet.step);
    const std::uint32_t j = sent[(std::size_t{packet.src} << c.size()) + packet.dst]++;
    schedule.add(copy(packet.src, packet.dst, (packet.src * n + packet.dst) * K + j));
  }
  return schedule;
}

std::uint64_t colour_steps(std::span<const std::uint64_t> c, std::uint32_t K) {
  const std::uint64_t h = c.size(), n = std::uint64_t{1} << h;
  std::uint64_t bound = 0;
  for (std::uint64_t i = 1; i <= h; ++i) {
    const std::uint64_t block = std::uint64_t{1} << (i - 1);
    bound = std::max(bound, ceil_div(block * (n - block) * K, c[i - 1]) + 2 * i - 1);
  }
  return bound + 2 * h;
}

}  // namespace schedcc
