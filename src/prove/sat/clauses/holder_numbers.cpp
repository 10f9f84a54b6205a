// Let h(p, t) ranks but the root, of n, hold packet p when step t of T begins. The root sends
// packet t in step t < K, so that h(p, p) = 0 and h(p, p + 1) = 1, and no other packet before step
// K. Then
//
//     grow    h(p, t) <= h(p, t + 1) <= 2 h(p, t), and one more from the root if t >= K, for t > p
//     remain  the sum of all h(p, t) is at least n K - n (T - t): no rank receives twice in a step
//     spread  H, the sum of h(p, t) over p >= j, becomes at most H + min(H + 1, n): each message
//             with one of these packets comes from the root, or from a rank that holds one
//
// Bounds on some of these numbers imply bounds on others. They are narrowed until nothing changes.
// Solvers do not find them, since that is counting, but few numbers are possible where hardly a
// port may be idle.
//
// Some schedule on any machine where ranks reach one another in a step takes as few steps as the
// bound, so that no range becomes empty.

#include "prove/sat/clauses/holder_numbers.hpp"

#include <algorithm>

namespace schedcc::prover {

HolderNumbers::HolderNumbers(std::uint64_t ranks, std::size_t packets, std::uint64_t steps)
    : others_(ranks - 1),
      packets_(packets),
      ranges_(steps + 1, std::vector<Range>(packets, {0, others_})) {
  for (std::size_t p = 0; p < packets_; ++p) {
    for (std::uint64_t t = 0; t <= p; ++t) ranges_[t][p].most = 0;
    ranges_[p + 1][p] = {1, 1};
    ranges_[steps][p].least = others_;
  }
  while (narrowed_) {
    narrowed_ = false;
    grow();
    remain();
    spread();
  }
}

void HolderNumbers::narrow(Range& range, std::uint64_t least, std::uint64_t most) {
  if (least <= range.least && most >= range.most) return;
  range = {std::max(range.least, least), std::min(range.most, most)};
  narrowed_ = true;
}

void HolderNumbers::grow() {
  for (std::uint64_t t = 1; t + 1 < ranges_.size(); ++t) {
    const std::uint64_t by_root = t >= packets_ ? 1 : 0;
    for (std::size_t p = 0; p < std::min<std::uint64_t>(t, packets_); ++p) {
      Range &now = ranges_[t][p], &next = ranges_[t + 1][p];
      narrow(next, now.least, 2 * now.most + by_root);
      narrow(now, (next.least + 1 - by_root) / 2, next.most);
    }
  }
}

void HolderNumbers::remain() {
  for (std::uint64_t t = 1; t < ranges_.size(); ++t) {
    const std::uint64_t left = ranges_.size() - 1 - t;
    if (left >= packets_) continue;
    const std::uint64_t arrived = others_ * (packets_ - left);
    std::uint64_t most = 0;
    for (const Range& range : ranges_[t]) most += range.most;
    for (Range& range : ranges_[t]) {
      const std::uint64_t by_rest = most - range.most;
      if (arrived > by_rest) narrow(range, arrived - by_rest, range.most);
    }
  }
}

void HolderNumbers::spread() {
  std::vector<std::uint64_t> held(packets_);  // of each packet and all later ones, at most
  for (std::uint64_t t = 0; t + 1 < ranges_.size(); ++t) {
    std::vector<Range>& next = ranges_[t + 1];
    std::vector<std::uint64_t> room(packets_);  // beyond the least numbers
    Range sum{0, 0};
    for (std::size_t j = packets_; j-- > 0;) {
      sum = {sum.least + next[j].least, sum.most + next[j].most};
      if (t >= j) held[j] = std::min(held[j] + std::min(held[j] + 1, others_), sum.most);
      room[j] = held[j] - sum.least;
    }
    for (std::size_t p = 0; p < packets_; ++p) {
      if (p > 0) room[p] = std::min(room[p], room[p - 1]);
      narrow(next[p], next[p].least, next[p].least + room[p]);
    }
  }
}

}  // namespace schedcc::prover
