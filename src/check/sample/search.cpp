#include "check/sample/search.hpp"

#include <algorithm>

#include "check/sample/rank_parts.hpp"

namespace schedcc {

Search arrival(const LocalRankSchedule& rank, std::uint64_t chunk, std::uint64_t last) {
  try {
    std::uint64_t late = rank.previous(last), early = rank.next(0);
    if (late == local::never) return Search::absent;
    for (std::uint64_t read = 0; early <= late && late != local::never; read += 2) {
      if (read >= longest_search) return Search::undecided;
      if (handles(rank, late, Direction::receives, chunk) ||
          handles(rank, early, Direction::receives, chunk)) {
        return Search::found;
      }
      late = late == 0 ? local::never : rank.previous(late - 1);
      early = rank.next(early + 1);
    }
  } catch (const TooManyParts&) {
    return Search::undecided;
  }
  return Search::absent;
}

Search completion(const LocalRankSchedule& rank, std::uint64_t chunk, std::uint64_t last) {
  try {
    std::uint64_t step = rank.previous(last);
    for (std::uint64_t read = 0; step != local::never; ++read) {
      if (read == longest_search) return Search::undecided;
      if (handles(rank, step, Direction::receives, chunk)) return Search::found;
      if (handles(rank, step, Direction::sends, chunk, Parts::combined)) return Search::absent;
      step = step == 0 ? local::never : rank.previous(step - 1);
    }
  } catch (const TooManyParts&) {
    return Search::undecided;
  }
  return Search::absent;
}

Search use(const LocalRankSchedule& rank, std::uint64_t chunk, std::uint64_t step,
           std::uint64_t latency, bool kept) {
  std::uint64_t replaced = local::never;  // from this step on, by a copy
  try {
    std::uint64_t next = rank.next(step + std::min<std::uint64_t>(latency, 1));
    for (std::uint64_t read = 0; next < replaced; next = rank.next(next + 1)) {
      if (read++ == longest_search) return Search::undecided;
      if (next >= step + latency && handles(rank, next, Direction::sends, chunk))
        return Search::found;
      if (handles(rank, next, Direction::receives, chunk, Parts::copies))
        replaced = std::min(replaced, next + latency);
    }
  } catch (const TooManyParts&) {
    return Search::undecided;
  }
  return kept && replaced == local::never ? Search::found : Search::absent;
}

}  // namespace schedcc
