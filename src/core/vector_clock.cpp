#include "core/vector_clock.hpp"

#include <algorithm>

#include "core/integers.hpp"

namespace schedcc {

VectorClock::VectorClock(std::size_t processes)
    : pages_(ceil_div(processes, page_size), std::make_shared<const Page>()) {}

void VectorClock::set(std::size_t process, std::uint32_t number) {
  PagePtr& page = pages_[process / page_size];
  auto changed = std::make_shared<Page>(*page);
  (*changed)[process % page_size] = number;
  page = std::move(changed);
}

VectorClock::Difference VectorClock::compare(const Page& a, const Page& b) {
  std::uint32_t less = 0, greater = 0;  // without branches, for vector instructions
  for (std::size_t i = 0; i < page_size; ++i) {
    less |= a[i] < b[i];
    greater |= a[i] > b[i];
  }
  return {less != 0, greater != 0};
}

VectorClock::Difference VectorClock::compare(const VectorClock& a, const VectorClock& b) {
  Difference all;
  for (std::size_t i = 0; i < a.pages_.size() && !(all.less && all.greater); ++i) {
    if (a.pages_[i] == b.pages_[i]) continue;
    const Difference page = compare(*a.pages_[i], *b.pages_[i]);
    all.less |= page.less;
    all.greater |= page.greater;
  }
  return all;
}

void VectorClock::join(const VectorClock& other) {
  for (std::size_t i = 0; i < pages_.size(); ++i) {
    const PagePtr& theirs = other.pages_[i];
    if (pages_[i] == theirs) continue;
    const Difference page = compare(*pages_[i], *theirs);
    if (!page.greater) {
      pages_[i] = theirs;  // also where they are equal, so that they are shared
    } else if (page.less) {
      auto larger = std::make_shared<Page>();
      std::ranges::transform(*pages_[i], *theirs, larger->begin(),
                             [](std::uint32_t a, std::uint32_t b) { return std::max(a, b); });
      pages_[i] = std::move(larger);
    }
  }
}

}  // namespace schedcc
