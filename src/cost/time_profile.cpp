#include "cost/time_profile.hpp"

#include <algorithm>
#include <cstddef>

namespace schedcc {

std::span<const LinkTime> TimeProfile::add(std::span<const LinkTime> messages) {
  highest_.clear();
  for (const LinkTime& m : messages) {
    const auto below = [](const LinkTime& a, const LinkTime& b) {
      return a.alpha <= b.alpha && a.beta <= b.beta;
    };
    if (std::ranges::any_of(highest_, [&](const LinkTime& known) { return below(m, known); }))
      continue;
    std::erase_if(highest_, [&](const LinkTime& known) { return below(known, m); });
    highest_.push_back(m);
  }
  // By rising beta, and so by falling alpha: from the highest at 0 to the steepest.
  std::ranges::sort(highest_, {}, &LinkTime::beta);
  start_ += highest_.front().alpha;
  slope_ += highest_.front().beta;
  const auto crossing = [&](std::size_t low, std::size_t high) {
    const LinkTime &a = highest_[low], &b = highest_[high];
    return (a.alpha - b.alpha) / (b.beta - a.beta);
  };
  for (std::size_t now = 0; now + 1 < highest_.size();) {
    std::size_t next = now + 1;  // the line that is the first to be as high
    for (std::size_t i = next + 1; i < highest_.size(); ++i) {
      if (crossing(now, i) <= crossing(now, next)) next = i;
    }
    bends_[crossing(now, next)] += highest_[next].beta - highest_[now].beta;
    now = next;
  }
  return highest_;
}

double TimeProfile::at(double x) const {
  double result = start_ + slope_ * x;
  for (const auto& [bend, steeper] : bends_) {
    if (bend >= x) break;
    result += steeper * (x - bend);
  }
  return result;
}

}  // namespace schedcc
