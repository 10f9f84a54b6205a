#pragma once

// The position of every PU in a fractional tree, and its start: the trees for duplex and for
// simplex PUs differ only in the size of a group and in the number of its right successors. How
// many PUs they reach, and which way the ranks go, is in kernel/fractional_tree.hpp.
//
// A group is a chain of `size` PUs. Its last PU forwards all packets to the head of the down
// successor; PU i sends the packet i / rights of each run to the head of the right successor i mod
// rights. So if the head has packet 0 after b steps, then
//     PU i has it after b + i steps, the down successor's head after b + size,
//     the head of right successor j after b + right + j.
//
// Ranks are in preorder: a group, the down successor's tree, the trees on the right, that with the
// highest number first. Then the PUs below any PU form an interval of ranks, for every packet: PU i
// serves the later ones of its group, the down tree, and of the right trees those with a number j
// for which rights * packet + j >= i, the highest ones.

#include <cstdint>
#include <utility>
#include <vector>

#include "algorithm/kernel/fractional_tree.hpp"
#include "schedcc/schedule.hpp"

namespace schedcc::fractional {

using local::Group;

/// The last index of local::tree_sizes(P, group, trees), in time that does not grow with the group.
std::uint64_t depth(std::uint64_t P, const Group& group, std::uint64_t trees = 1);

struct Edge {
  Rank from, to;
  std::uint32_t packet;  ///< right edges: the packet of each run that takes it
  /// Duplex: the half of a step in which its message is sent, see fractional_tree.cpp. It is
  /// `half`, or, with `by_packet`, `half` plus the packet's position in its run, modulo 2.
  bool by_packet, half;
};

/// The PUs that have packet 0 since just before step `start`, the index of the wave.
struct Wave {
  std::vector<Edge> down, right;
};

/// The start of a group: the wave of its head, and the half of a step of the head's edge down.
struct GroupStart {
  std::uint64_t start = 0;
  bool by_packet = true, half = false;
};

class Layout {
 public:
  /// `waves`: more than the start of any PU that sends.
  Layout(const Group& group, std::vector<std::uint64_t> sizes, std::uint64_t waves)
      : group_(group), sizes_(std::move(sizes)), waves_(waves) {}

  /// The edges of one group: its own, on the ranks head .. head+n-1, n <= size, and, if it is
  /// whole, those to the heads of its successors. Returns the starts of the successors.
  void chain(std::uint64_t head, std::uint64_t n, const GroupStart& position);
  GroupStart link_down(std::uint64_t head, const GroupStart& position, std::uint64_t to);
  GroupStart link_right(std::uint64_t head, const GroupStart& position, std::uint64_t j,
                        std::uint64_t to);

  /// A tree on the ranks head .. head+n-1 with the given start of its head, all of them to be
  /// reached within `budget` steps after the head: n <= N_budget. If possible the last `last` ranks
  /// are a right successor of the head's own group.
  void tree(std::uint64_t head, std::uint64_t n, const GroupStart& position, std::uint64_t budget,
            std::uint64_t last = 0);

  /// Rank 0 sends all packets to `to`, starting in step `start`.
  void feed(std::uint64_t to, std::uint64_t start);

  std::vector<Wave> waves() && { return std::move(waves_); }

 private:
  struct PendingGroup {
    std::uint64_t head, n, budget, last;
    GroupStart position;
  };

  void place(const PendingGroup& part);
  void pass_down(std::uint64_t head, const GroupStart& position, std::uint64_t i, std::uint64_t to);

  Group group_;
  std::vector<std::uint64_t> sizes_;
  std::vector<Wave> waves_;
  std::vector<PendingGroup> pending_;
};

}  // namespace schedcc::fractional

namespace schedcc {

/// The broadcast of K packets on duplex PUs with groups of r PUs (r = 0: a chain, without pauses),
/// whose edges are those of `waves`, in the given number of steps.
Steps fractional_broadcast(const std::vector<fractional::Wave>& waves, std::uint64_t steps,
                           std::uint64_t K, std::uint64_t r);

}  // namespace schedcc
