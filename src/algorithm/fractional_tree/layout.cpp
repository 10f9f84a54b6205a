#include "algorithm/fractional_tree/layout.hpp"

#include <algorithm>

namespace schedcc::fractional {

namespace {

/// N_i alone, or some number that is at least P. m moves, j of them to the right and e of these to
/// right successor 1, lead to C(m, j) C(j, e) groups, whose heads have packet 0 after as many steps
/// as the moves take. (A group's parent has all of its PUs before it, so nothing overflows up to
/// P.)
std::uint64_t reached(std::uint64_t i, std::uint64_t P, const Group& group) {
  std::uint64_t sum = 0;
  for (std::uint64_t m = 0; m * group.size <= i && sum < P; ++m) {
    std::uint64_t ways = 1;  // C(m, j)
    for (std::uint64_t j = 0; j <= m && sum < P; ++j) {
      const std::uint64_t first = (m - j) * group.size + j * group.right;
      std::uint64_t groups = ways;
      for (std::uint64_t e = 0; e <= (group.rights == 2 ? j : 0) && first + e <= i; ++e) {
        sum += groups * std::min(group.size, i - (first + e) + 1);
        groups = groups * (j - e) / (e + 1);
      }
      ways = ways * (m - j) / (j + 1);
    }
  }
  return sum;
}

std::uint64_t computed_depth(std::uint64_t P, const Group& group, std::uint64_t trees) {
  if (group.size <= 16) return local::tree_sizes(P, group, trees).size() - 1;
  std::uint64_t low = 0, high = P;
  while (low < high) {
    const std::uint64_t i = low + (high - low) / 2;
    const std::uint64_t second = trees == 2 && i > 0 ? reached(i - 1, P, group) : 0;
    if (reached(i, P, group) + second >= P) {
      high = i;
    } else {
      low = i + 1;
    }
  }
  return low;
}

}  // namespace

std::uint64_t depth(std::uint64_t P, const Group& group, std::uint64_t trees) {
  // A search for the best number of packets needs the same tree repeatedly.
  struct DepthCacheEntry {
    std::uint64_t P, trees;
    Group group;
    std::uint64_t depth;
  };
  static thread_local DepthCacheEntry last{};
  if (P != last.P || trees != last.trees || group != last.group)
    last = {P, trees, group, computed_depth(P, group, trees)};
  return last.depth;
}

void Layout::feed(std::uint64_t to, std::uint64_t start) {
  waves_[start].down.push_back({0, static_cast<Rank>(to), 0, true, false});
}

void Layout::tree(std::uint64_t head, std::uint64_t n, const GroupStart& position,
                  std::uint64_t budget, std::uint64_t last) {
  pending_.push_back({head, n, budget, last, position});
  while (!pending_.empty()) {
    const PendingGroup part = pending_.back();
    pending_.pop_back();
    place(part);
  }
}

void Layout::place(const PendingGroup& part) {
  const std::uint64_t group = std::min(part.n, group_.size);
  chain(part.head, group, part.position);
  const local::Split n = local::split(group_, sizes_, part.n - group, part.budget, part.last);
  std::uint64_t head = part.head + group;
  const auto add = [&](std::uint64_t size, const GroupStart& position) {
    pending_.push_back(
        {head, size, part.budget - (position.start - part.position.start), 0, position});
    head += size;
  };
  if (n.down > 0) add(n.down, link_down(part.head, part.position, head));
  for (const std::uint64_t j : {1U, 0U}) {
    if (n.right[j] > 0) add(n.right[j], link_right(part.head, part.position, j, head));
  }
}

void Layout::chain(std::uint64_t head, std::uint64_t n, const GroupStart& position) {
  for (std::uint64_t i = 0; i + 1 < n; ++i) pass_down(head, position, i, head + i + 1);
}

GroupStart Layout::link_down(std::uint64_t head, const GroupStart& position, std::uint64_t to) {
  pass_down(head, position, group_.size - 1, to);
  const bool half = position.half != (!position.by_packet && group_.size % 2 == 1);
  return {position.start + group_.size, position.by_packet, half};
}

GroupStart Layout::link_right(std::uint64_t head, const GroupStart& position, std::uint64_t j,
                              std::uint64_t to) {
  for (std::uint64_t i = j; i < group_.size; i += group_.rights) {
    const bool half = position.half != (position.by_packet || i % 2 == 1);
    waves_[position.start + i].right.push_back({static_cast<Rank>(head + i), static_cast<Rank>(to),
                                                static_cast<std::uint32_t>(i / group_.rights),
                                                false, half});
  }
  return {position.start + group_.right + j, !position.by_packet, position.half};
}

void Layout::pass_down(std::uint64_t head, const GroupStart& position, std::uint64_t i,
                       std::uint64_t to) {
  const bool half = position.half != (!position.by_packet && i % 2 == 1);
  waves_[position.start + i].down.push_back(
      {static_cast<Rank>(head + i), static_cast<Rank>(to), 0, position.by_packet, half});
}

}  // namespace schedcc::fractional
