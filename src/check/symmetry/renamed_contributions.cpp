#include "check/symmetry/renamed_contributions.hpp"

#include <algorithm>
#include <bit>

namespace schedcc {

namespace {

/// The ranks from two on that are in the rows of both.
std::uint64_t same_row(const Symmetry& symmetry, std::uint64_t a, std::uint64_t b) {
  const std::uint64_t columns = symmetry.columns();
  return columns - std::max(a % columns, b % columns);
}

/// Calls f(first, count) for the intervals that a renaming makes of one.
template <typename F>
void each_image(const Symmetry& symmetry, Rank by, const RankInterval& ranks, F f) {
  std::uint64_t next = ranks.first;
  for (const std::uint64_t end = std::uint64_t{ranks.last} + 1; next < end;) {
    std::uint64_t count = 0;
    const Rank image = symmetry.rename(by, static_cast<Rank>(next));
    if (symmetry.group() != Symmetry::Group::exclusive_ors) {
      const bool down = symmetry.reflects(by);
      const std::uint64_t before_wrap = down ? std::uint64_t{image} + 1
                                        : symmetry.group() == Symmetry::Group::translations
                                            ? same_row(symmetry, next, image)
                                            : symmetry.ranks() - image;
      count = std::min(end - next, before_wrap);
      f(down ? static_cast<Rank>(image - (count - 1)) : image, count);
    } else {
      // The largest aligned interval that begins here: its ranks change places within it.
      const std::uint64_t aligned = next == 0 ? symmetry.ranks() : next & (~next + 1);
      count = std::min(aligned, std::bit_floor(end - next));
      f(static_cast<Rank>(image & ~(count - 1)), count);
    }
    next += count;
  }
}

}  // namespace

RenamedContributions::Id RenamedContributions::rename(Id id, Rank by) const {
  Intervals parts, result;
  for (const RankInterval& ranks : contributions_.sets().intervals(contributions_.ranks(id))) {
    each_image(symmetry_, by, ranks, [&](Rank first, std::uint64_t count) {
      parts.push_back({first, static_cast<Rank>(first + count - 1)});
    });
  }
  std::ranges::sort(parts, {}, &RankInterval::first);
  for (const RankInterval& part : parts) append(result, part);
  return contributions_.of(contributions_.sets().of(result));
}

}  // namespace schedcc
