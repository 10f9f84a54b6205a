#include "check/period/repetition.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <span>
#include <utility>

#include "check/abandoned.hpp"
#include "check/by_threads.hpp"

namespace schedcc {

namespace {

/// Does a row consist of the transfers of another one, with `shift` added to each chunk?
bool is_shifted(std::span<const Transfer> row, std::span<const Transfer> other,
                std::uint32_t shift) {
  if (row.size() != other.size()) return false;
  using Words [[gnu::vector_size(16)]] = std::uint32_t;
  const Words added{0, 0, shift, 0};
  Words differences{};
  for (std::size_t i = 0; i < row.size(); ++i)
    differences |= std::bit_cast<Words>(row[i]) ^ (std::bit_cast<Words>(other[i]) + added);
  return (differences[0] | differences[1] | differences[2] | differences[3]) == 0;
}

bool repeats(const Step& row, const Step& earlier, const Period& period) {
  return row.number == earlier.number + period.steps &&
         is_shifted(row.transfers, earlier.transfers, static_cast<std::uint32_t>(period.chunks));
}

Repetition::Range range_of(const Step& step) {
  Repetition::Range range;
  for (const Transfer& t : step.transfers) {
    range.first = std::min<std::uint64_t>(range.first, t.first);
    // Chunk `first` also of one that carries none: its number, too, is lowered with the others.
    range.last = std::max(range.last, std::uint64_t{t.first} + std::max(t.count, 1U) - 1);
  }
  return range;
}

/// That of the repetition; none if numbers fall below 0, where they wrap.
std::optional<Repetition::Range> shifted(Repetition::Range range, std::int64_t shift) {
  if (range.empty()) return range;
  const auto added = static_cast<std::uint64_t>(shift);
  if (shift < 0 && range.first < -added) return std::nullopt;
  return Repetition::Range{range.first + added, range.last + added};
}

/// Finds periods at a few places.
class Probes {
 public:
  Probes(const Steps& steps, std::uint64_t most) : steps_(steps), most_(most) {}

  std::vector<Region> stretches() {
    // From the middle to the ends, where a pipeline may not be full yet. The middle itself is
    // where one of two phases ends. Where there are several phases there may be short ones.
    for (const std::size_t place : {6U, 10U, 2U, 14U}) look(place);
    if (!same_everywhere()) {
      for (std::size_t place = 1; place < places; place += 2) look(place);
    }
    std::vector<Region> result;
    std::size_t last = 0;
    for (std::size_t place = 0; place < places; ++place) {
      if (!periods_[place]) continue;
      const Period& period = *periods_[place];
      if (result.empty()) {
        result.push_back({0, steps_.size(), period});
      } else if (!(result.back().period == period)) {
        result.back().end = first_repeated(row(last), row(place), period);
        result.push_back({result.back().end, steps_.size(), period});
      }
      last = place;
    }
    return result;
  }

 private:
  static constexpr std::size_t places = 16;

  void look(std::size_t place) { periods_[place] = period_at(row(place)); }
  bool same_everywhere() const {
    const Period* first = nullptr;
    for (const auto& period : periods_) {
      if (period && first == nullptr) first = &*period;
      if (period && !(*period == *first)) return false;
    }
    return true;
  }

  std::uint64_t row(std::size_t place) const { return steps_.size() * place / places; }

  /// The shortest period by which a row is repeated.
  std::optional<Period> period_at(std::uint64_t row) {
    // It divides any other one, such as those that were found elsewhere.
    std::optional<Period> known;
    for (const auto& period : periods_) {
      if (period && (!known || period->rows < known->rows) && repeated(row, *period))
        known = period;
    }
    const Step first = steps_.read(row, {}, first_);
    if (first.transfers.empty()) return std::nullopt;
    const std::uint64_t most = std::min(known ? known->rows - 1 : most_, steps_.size() - 1 - row);
    for (std::uint64_t rows = 1; rows <= most; ++rows) {
      if (known && known->rows % rows != 0) continue;
      const Step later = steps_.read(row + rows, {}, later_);
      if (later.transfers.size() != first.transfers.size()) continue;
      const std::uint32_t shift = later.transfers[0].first - first.transfers[0].first;
      const Period period{rows, later.number - first.number, std::bit_cast<std::int32_t>(shift)};
      if (shift != 0 && repeats(later, first, period)) return period;
    }
    return known;
  }

  bool repeated(std::uint64_t row, const Period& period) {
    if (row + period.rows >= steps_.size()) return false;
    const Step first = steps_.read(row, {}, first_);
    return repeats(steps_.read(row + period.rows, {}, later_), first, period);
  }

  /// Above `other`, up to `row`, which is repeated: where such rows begin.
  std::uint64_t first_repeated(std::uint64_t other, std::uint64_t row, const Period& period) {
    while (row - other > 1) {
      const std::uint64_t middle = other + (row - other) / 2;
      (repeated(middle, period) ? row : other) = middle;
    }
    return row;
  }

  const Steps& steps_;
  std::uint64_t most_;
  std::array<std::optional<Period>, places> periods_;
  Transfers first_, later_;
};

}  // namespace

std::vector<Region> likely_regions(const Steps& steps, std::uint64_t most) {
  return Probes(steps, most).stretches();
}

Repetition::Repetition(const Steps& steps, std::vector<Region> stretches)
    : steps_(steps),
      stretches_(std::move(stretches)),
      repeated_(steps.size()),
      ranges_(steps.size()) {
  for (const Region& stretch : stretches_) {
    const std::uint64_t q = stretch.period.rows;
    const std::uint64_t in_part = ((stretch.end - stretch.begin) / q / parts + 1) * q;
    for (std::uint64_t part = stretch.begin; part < stretch.end; part += in_part) {
      const std::uint64_t end = std::min(stretch.end, part + in_part);
      for (std::uint64_t row = part; row < std::min(end, part + q); ++row)
        strands_.push_back({row, end, &stretch});
    }
  }
}

void Repetition::run(std::size_t threads, const std::function<void(std::uint64_t)>& progress) {
  by_threads(threads, progress, [this](const std::atomic<bool>& failed, const auto& shown) {
    for (std::uint64_t i = next_++; i < strands_.size() && !failed; i = next_++)
      follow(strands_[i], shown);
  });
}

void Repetition::follow(const Strand& strand, const std::function<void(std::uint64_t)>& progress) {
  const Period& period = strand.stretch->period;
  std::uint64_t row = strand.begin;
  Row here, later;
  std::optional<Range> range;
  for (read(row, here); row < strand.end; row += period.rows) {
    if (!range) range = range_of(here.step);
    ranges_[row] = *range;
    if (row + period.rows < strand.stretch->end) {
      read(row + period.rows, later);
      repeated_[row] = repeats(later.step, here.step, period);
    }
    range = repeated_[row] != 0 ? shifted(*range, period.chunks) : std::nullopt;
    progress(read_ += here.step.transfers.size());
    std::swap(here, later);
  }
}

void Repetition::read(std::uint64_t row, Row& to) {
  to.step = steps_.read(row, {}, to.buffer);
  if (to.step.rounds != 1) throw Abandoned();
}

std::vector<Region> Repetition::regions(std::uint64_t least) const {
  std::vector<Region> result;
  for (const Region& stretch : stretches_) {
    std::uint64_t begin = stretch.begin;
    for (std::uint64_t row = stretch.begin; row <= stretch.end; ++row) {
      if (row < stretch.end && repeated_[row] != 0) continue;
      if (!result.empty()) begin = std::max(begin, result.back().end + result.back().period.rows);
      if (begin < row && row - begin >= least) result.push_back({begin, row, stretch.period});
      begin = row + 1;
    }
  }
  return result;
}

}  // namespace schedcc
