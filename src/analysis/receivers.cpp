#include "analysis/receivers.hpp"

#include <algorithm>

namespace schedcc {

std::optional<bool> Receivers::repeat(std::span<const Transfer> transfers) {
  if (++step_ == 0) {  // after 2^32 steps the numbers start again
    for (NodeArray<List>& lists : lists_) lists.clear();
    step_ = 1;
  }
  for (const Transfer& t : transfers) {
    List& list = lists_[t.reduce][t.src];
    if (list.step != step_) {
      list.step = step_;
      list.size = 1;
      list.ranks.front() = t.dst;
      continue;
    }
    const auto end = list.ranks.begin() + list.size;
    if (std::find(list.ranks.begin(), end, t.dst) != end) return true;
    if (end == list.ranks.end()) return std::nullopt;
    *end = t.dst;
    ++list.size;
  }
  return false;
}

}  // namespace schedcc
