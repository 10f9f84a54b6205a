#include "check/period/waits.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>

#include "model/starts.hpp"

namespace schedcc {

namespace {

/// Some of the chunks of one period, a bit for each: at most 64.
class Group {
 public:
  Group(const Steps& rows, const Cuts& cuts, Rank ranks, std::uint64_t first, std::uint64_t end)
      : rows_(rows), cuts_(cuts), first_(first), end_(end), received_(ranks), sent_(ranks) {}

  /// Which ranks receive them in the phases before phase `border`, and send them from there on?
  void read(std::size_t border) {
    for (std::size_t phase = 0; phase < cuts_.places.size(); ++phase) read(phase, phase < border);
  }

  unsigned kept_by(Rank rank) const {
    return static_cast<unsigned>(std::popcount(received_[rank] & sent_[rank]));
  }

 private:
  void read(std::size_t phase, bool before) {
    Cuts::Life all;
    for (std::uint64_t c = first_; c < end_; ++c) {
      all.first = std::min(all.first, cuts_.lives[phase][c].first);
      all.last = std::max(all.last, cuts_.lives[phase][c].last);
    }
    for (std::uint64_t row = all.first; row <= all.last; ++row) {
      const Step step = rows_.read(row, {}, buffer_);
      for (const Transfer& t : step.transfers) {
        const Rank rank = before ? t.dst : t.src;
        if (rank < received_.size()) (before ? received_ : sent_)[rank] |= chunks_of(t);
      }
    }
  }

  std::uint64_t chunks_of(const Transfer& t) const {
    const std::uint64_t begin = std::max<std::uint64_t>(first_, t.first);
    const std::uint64_t end = std::min(end_, std::uint64_t{t.first} + t.count);
    if (begin >= end) return 0;
    return ~std::uint64_t{0} >> (64 - (end - begin)) << (begin - first_);
  }

  const Steps& rows_;
  const Cuts& cuts_;
  std::uint64_t first_, end_;
  std::vector<std::uint64_t> received_, sent_;
  Transfers buffer_;
};

}  // namespace

std::vector<KeptChunks> waits_between_cuts(const Steps& rows, const Cuts& cuts,
                                           const Problem& problem) {
  std::vector<KeptChunks> result;
  const Starts starts(problem);
  std::uint64_t missing = 0;  // steps
  for (std::size_t border = 1; border < cuts.places.size(); ++border) {
    missing += cuts.n * cuts.places[border - 1].period.steps;
    KeptChunks kept{rows.number(cuts.places[border - 1].y) - missing,
                    rows.number(cuts.places[border].x) - missing,
                    std::vector<std::uint32_t>(problem.ranks)};
    const std::uint64_t end = cuts.gaps[border] + cuts.chunks_of_period;
    for (std::uint64_t first = cuts.gaps[border]; first < end; first += 64) {
      Group group(rows, cuts, problem.ranks, first, std::min(end, first + 64));
      group.read(border);
      for (Rank rank = 0; rank < problem.ranks; ++rank) {
        if (!starts.has_value(rank, static_cast<Chunk>(first)))
          kept.by_rank[rank] += static_cast<std::uint32_t>(cuts.n) * group.kept_by(rank);
      }
    }
    result.push_back(std::move(kept));
  }
  return result;
}

}  // namespace schedcc
