#include "analysis/message_groups.hpp"

#include <algorithm>

namespace schedcc {

void MessageGroups::read(std::span<const Transfer> transfers, Modes modes) {
  constexpr int mode_bit = 63;
  order_.clear();
  for (std::size_t i = 0; i < transfers.size(); ++i) {
    const Transfer& t = transfers[i];
    const std::uint64_t mode = modes == Modes::apart ? t.reduce : 0U;
    order_.emplace_back(std::uint64_t{t.src} << 32 | t.dst, mode << mode_bit | i);
  }
  // Senders mostly come in order, so that merging is faster than std::sort.
  if (!std::ranges::is_sorted(order_)) std::ranges::stable_sort(order_);
  // First the index of each group's first transfer, then, in the order of the transfers, its
  // number.
  group_.resize(transfers.size());
  std::size_t first = 0;
  for (std::size_t k = 0; k < order_.size(); ++k) {
    const auto& [ends, place] = order_[k];
    const bool begins = k == 0 || ends != order_[k - 1].first ||
                        place >> mode_bit != order_[k - 1].second >> mode_bit;
    const std::size_t index = place & ~(std::uint64_t{1} << mode_bit);
    if (begins) first = index;
    group_[index] = first;
  }
  firsts_.clear();
  for (std::size_t i = 0; i < group_.size(); ++i) {
    const bool begins = group_[i] == i;
    group_[i] = begins ? firsts_.size() : group_[group_[i]];
    if (begins) firsts_.push_back(i);
  }
}

}  // namespace schedcc
