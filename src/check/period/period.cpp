#include "check/period/period.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "analysis/digest.hpp"
#include "check/period/repetition.hpp"

namespace schedcc {

namespace {

/// Are all chunks alike?
bool alike(const Problem& problem) {
  using enum Collective;
  constexpr std::array those{broadcast, reduce, allreduce, scan, exscan};
  return std::ranges::find(those, problem.collective) != those.end() && problem.ranks >= 2;
}

/// The rows in which a chunk is, and perhaps more; none: first > last.
struct Life {
  std::uint64_t first = UINT64_MAX, last = 0;
  bool empty() const { return first > last; }
};

/// n periods, which begin with row x, are cut out.
struct Cut {
  std::uint64_t x = 0, n = 0;
};

class Lives {
 public:
  Lives(const Repetition& repetition, const Period& period, std::uint64_t chunks)
      : period_(period), lives_(chunks) {
    find_region(repetition);
    read(repetition.ranges());
  }

  /// Where most of the rows can be cut out, so that an excerpt is left.
  std::optional<Cut> cut() const {
    if (!complete_ || a_ >= b_) return std::nullopt;
    std::uint64_t longest = 0;
    for (const Life& life : lives_) {
      if (!life.empty() && life.last >= a_ && life.first < b_ + q())
        longest = std::max(longest, life.last - life.first + 1);
    }
    const std::uint64_t x = a_ + longest + 2 * q(), most_y = b_ - std::min(b_, longest + q());
    if (most_y <= x) return std::nullopt;
    const Cut result{x, (most_y - x) / q()};
    return result.n > 0 && valid(result) ? std::optional(result) : std::nullopt;
  }

 private:
  std::uint64_t q() const { return period_.rows; }

  /// The repeated rows around the middle.
  void find_region(const Repetition& repetition) {
    a_ = b_ = repetition.ranges().size() / 2;
    while (a_ > 0 && repetition.repeated(a_ - 1)) --a_;
    while (b_ < repetition.ranges().size() && repetition.repeated(b_)) ++b_;
  }

  void read(const std::vector<Repetition::Range>& ranges) {
    std::uint64_t left = std::uint64_t{1} << 26;  // the work that is worth it
    for (std::uint64_t row = 0; row < ranges.size(); ++row) {
      const Repetition::Range& range = ranges[row];
      if (range.first > range.last) continue;
      const std::uint64_t chunks = range.last - range.first + 1;
      complete_ = complete_ && range.last < lives_.size() && chunks <= left;
      if (!complete_) return;
      left -= chunks;
      for (std::uint64_t c = range.first; c <= range.last; ++c) {
        lives_[c].first = std::min(lives_[c].first, row);
        lives_[c].last = row;
      }
    }
  }

  /// That of a chunk, which may not exist.
  std::optional<Life> life(std::int64_t chunk) const {
    if (chunk < 0 || chunk >= static_cast<std::int64_t>(lives_.size())) return std::nullopt;
    return lives_[static_cast<std::size_t>(chunk)];
  }
  /// Is the life within the repeated rows, so that it is alike with that of the chunk `periods`
  /// periods later, whose life begins and ends so many periods later?
  bool repeated(std::int64_t chunk, std::uint64_t periods) const {
    const auto here = life(chunk);
    const auto later = life(chunk + period_.chunks * static_cast<std::int64_t>(periods));
    if (!here || !later || here->empty() || later->empty()) return false;
    const std::uint64_t rows = periods * q();
    return here->first >= a_ && here->last + rows < b_ + q() && later->first >= a_ + rows &&
           later->last < b_ + q();
  }

  bool valid(const Cut& cut) const {
    const auto chunks = static_cast<std::int64_t>(lives_.size());
    for (std::int64_t c = 0; c < chunks; ++c) {
      if (!alike_in_excerpt(c, cut) || !alike_around_cut(c, cut)) return false;
    }
    return true;
  }

  /// Is chunk c of the excerpt, if it has this, alike with one of the schedule?
  bool alike_in_excerpt(std::int64_t c, const Cut& cut) const {
    const std::uint64_t y = cut.x + cut.n * q();
    const Life before = *life(c);
    const auto after = life(c + period_.chunks * static_cast<std::int64_t>(cut.n));
    if (!after) return true;
    const bool is_before = !before.empty() && before.first < cut.x;
    const bool is_after = !after->empty() && after->last >= y;
    if (is_before && is_after) return repeated(c, cut.n);
    if (is_before) return before.last < cut.x;
    if (is_after) return after->first >= y;
    return false;
  }

  /// Is a chunk in rows that are cut out alike with its neighbours? And is one before and after
  /// them in the excerpt?
  bool alike_around_cut(std::int64_t d, const Cut& cut) const {
    const std::uint64_t y = cut.x + cut.n * q();
    const Life here = *life(d);
    if (here.empty()) return false;
    const std::int64_t cut_chunks = period_.chunks * static_cast<std::int64_t>(cut.n);
    if (here.last < cut.x && !life(d + cut_chunks)) return false;
    if (here.first >= y && !life(d - cut_chunks)) return false;
    if (here.first >= y || here.last < cut.x - q()) return true;
    if (here.last >= cut.x && !repeated(d - period_.chunks, 1)) return false;
    return here.first >= y - q() || repeated(d, 1);
  }

  Period period_;
  std::uint64_t a_ = 0, b_ = 0;  ///< rows a_..b_-1 are repeated a period later
  std::vector<Life> lives_;
  bool complete_ = true;
};

/// The rows without those that are cut out.
Steps cut_out(Steps rows, const Period& period, const Cut& cut) {
  const std::uint64_t missing = cut.n * period.rows, size = rows.size() - missing;
  const auto shift = static_cast<std::uint32_t>(
      static_cast<std::int64_t>(cut.n) * (period.chunks < 0 ? -period.chunks : period.chunks));
  return Steps(size, [=, rows = std::move(rows)](std::uint64_t row, Transfers& out) {
    const bool after = row >= cut.x;
    const std::size_t begin = out.size();
    const std::uint64_t number = rows.fill(after ? row + missing : row, out);
    if (after == (period.chunks > 0)) {
      for (std::size_t i = begin; i < out.size(); ++i) out[i].first -= shift;
    }
    return after ? number - cut.n * period.steps : number;
  });
}

CutOut figures(const Steps& rows, const Period& period, const Cut& cut) {
  CutOut result{cut.n * period.steps, 0, 0, 0};
  Digest digest;
  Transfers transfers;
  for (std::uint64_t row = cut.x; row < cut.x + period.rows; ++row) {
    transfers.clear();
    Step step;
    step.number = rows.fill(row, transfers);
    step.transfers = transfers;
    digest.read(step);
    result.transfers += cut.n * transfers.size();
    result.messages += cut.n * digest.size();
    result.volume += cut.n * digest.largest();
  }
  return result;
}

}  // namespace

std::optional<Excerpt> excerpt(const Source& source, const Machine& machine,
                               const CheckOptions& options, std::size_t threads,
                               const std::function<void(std::uint64_t)>& progress) {
  constexpr std::uint64_t few_rows = 256, most_rows = 1 << 26, longest_period = 64;
  if (!alike(source.problem) || machine.ports() == nullptr || machine.routed() ||
      machine.timing() != nullptr || source.hop_level() || options.same_as != nullptr)
    return std::nullopt;
  const auto rows = source.open()->rows();
  if (!rows || rows->size() < few_rows || rows->size() > most_rows) return std::nullopt;
  const auto period = period_in_the_middle(*rows, longest_period);
  if (!period) return std::nullopt;
  Repetition repetition(*rows, *period);
  repetition.run(threads, progress);
  const auto cut = Lives(repetition, *period, source.problem.chunks).cut();
  if (!cut || 2 * cut->n * period->rows < rows->size()) return std::nullopt;
  Excerpt result{source, figures(*rows, *period, *cut)};
  const auto chunks = static_cast<std::int64_t>(cut->n) * period->chunks;
  result.source.problem.chunks -= static_cast<std::uint32_t>(chunks < 0 ? -chunks : chunks);
  result.source.open = [steps = cut_out(*rows, *period, *cut)] { return stream(steps); };
  return result;
}

}  // namespace schedcc
