#include "check/period/repetition.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <span>
#include <utility>

#include "analysis/abandoned.hpp"
#include "check/transfer_words.hpp"

namespace schedcc {

bool is_shifted(std::span<const Transfer> row, std::span<const Transfer> other,
                std::uint32_t shift) {
  constexpr std::size_t at_once = 256;
  if (row.size() != other.size()) return false;
  const TransferWords added{0, 0, shift, 0};
  for (std::size_t begin = 0; begin < row.size(); begin += at_once) {
    Differences differences;
    const std::size_t end = std::min(begin + at_once, row.size());
    for (std::size_t i = begin; i < end; ++i) differences.note(row[i], words_of(other[i]) + added);
    if (!differences.none()) return false;
  }
  return true;
}

namespace {

bool repeats(const Step& row, const Step& earlier, const Period& period) {
  return row.number == earlier.number + period.steps &&
         is_shifted(row.transfers, earlier.transfers, static_cast<std::uint32_t>(period.chunks));
}

/// Throws Abandoned for a transfer that the check `shape` reports by itself: it drops these.
Repetition::Range range_of(const Step& step, const Problem& problem) {
  Repetition::Range range;
  for (const Transfer& t : step.transfers) {
    const bool malformed = t.src >= problem.ranks || t.dst >= problem.ranks || t.src == t.dst ||
                           t.count == 0 || (t.reduce != 0 && !problem.reduction());
    const std::uint64_t last = std::uint64_t{t.first} + t.count - 1;
    if (malformed || last >= problem.chunks) throw Abandoned();
    range.first = std::min<std::uint64_t>(range.first, t.first);
    range.last = std::max(range.last, last);
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

/// The number of transfers of a row that others repeat.
std::uint64_t row_in_the_middle(const Steps& steps, const std::vector<Region>& stretches) {
  const Region& first = stretches.front();
  Transfers buffer;
  return steps.read(first.begin + (first.end - first.begin) / 2, {}, buffer).transfers.size();
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

RowDivision::RowDivision(const Steps& steps, std::uint64_t transfers) {
  constexpr std::uint64_t of_a_part = 1 << 12;  // 64 KiB
  constexpr std::uint64_t most = 1 << 22;       // of all rows: what is known of one has 18 bytes
  const std::uint64_t most_of_a_row = std::max<std::uint64_t>(most / steps.size(), 1);
  count_ = std::clamp<std::uint64_t>(transfers / of_a_part, 1, most_of_a_row);
  if (steps.parts() != Steps::any_number) count_ = std::min(count_, steps.parts());
  of_ = steps.parts() == Steps::any_number ? count_ : steps.parts();
}

Repetition::Repetition(const Steps& steps, std::vector<Region> stretches, const Problem& problem)
    : steps_(steps),
      stretches_(std::move(stretches)),
      problem_(problem),
      division_(steps, row_in_the_middle(steps, stretches_)),
      parts_(division_.count() * steps.size(), {.repeated = true, .continued = true}),
      ranges_(division_.count() * steps.size()) {
  for (const Region& stretch : stretches_) cut_strands(stretch);
}

void Repetition::cut_strands(const Region& stretch) {
  // So many in all that no thread has to wait long.
  const std::uint64_t segments = division_.count() < 8 ? 8 : 1;
  const std::uint64_t q = stretch.period.rows;
  const std::uint64_t in_segment = ((stretch.end - stretch.begin) / q / segments + 1) * q;
  for (std::uint64_t begin = stretch.begin; begin < stretch.end; begin += in_segment) {
    const std::uint64_t end = std::min(stretch.end, begin + in_segment);
    for (std::uint64_t row = begin; row < std::min(end, begin + q); ++row) {
      for (std::uint64_t part = 0; part < division_.count(); ++part)
        strands_.push_back({row, end, part, &stretch});
    }
  }
}

void Repetition::run(const Crew& crew, const std::function<void(std::uint64_t)>& progress) {
  const auto compare = [this](std::uint64_t i, TwoRows& buffers, const auto& shown) {
    follow(strands_[i], buffers, shown);
  };
  crew.each_piece<TwoRows>(strands_.size(), progress, compare);
  unite_parts();
  unite_processes(crew);
}

void Repetition::follow(const Strand& strand, TwoRows& buffers,
                        const std::function<void(std::uint64_t)>& progress) {
  const Period& period = strand.stretch->period;
  const std::uint64_t at = strand.part * steps_.size();
  std::uint64_t row = strand.begin;
  auto& [here, later] = buffers;
  std::optional<Range> range;
  for (read(row, strand.part, here); row < strand.end; row += period.rows) {
    if (!range || range->last >= problem_.chunks) range = range_of(here.step, problem_);
    ranges_[at + row] = *range;
    Part& result = parts_[at + row] = {};
    if (row + period.rows < strand.stretch->end) {
      read(row + period.rows, strand.part, later);
      result = compare(here.step, later.step, period);
    }
    range = result.repeated ? shifted(*range, period.chunks) : std::nullopt;
    progress(read_ += here.step.transfers.size());
    std::swap(here, later);
  }
}

void Repetition::read(std::uint64_t row, std::uint64_t part, Row& to) const {
  to.step = steps_.read(row, division_.part(part), to.buffer);
  if (to.step.rounds != 1) throw Abandoned();
}

Repetition::Part Repetition::compare(const Step& row, const Step& later,
                                     const Period& period) const {
  if (repeats(later, row, period)) return {true, true};
  return {false, later.number == row.number + period.steps &&
                     continues(row.transfers, later.transfers, period.chunks)};
}

bool Repetition::continues(std::span<const Transfer> row, std::span<const Transfer> later,
                           std::int64_t shift) const {
  auto earlier = row.begin();
  const auto skip = [&] {
    while (earlier != row.end() && outside(*earlier, shift)) ++earlier;
  };
  for (const Transfer& t : later) {
    if (outside(t, -shift)) continue;
    skip();
    if (earlier == row.end()) return false;
    Transfer expected = *earlier++;
    expected.first += static_cast<std::uint32_t>(shift);
    if (t != expected) return false;
  }
  skip();
  return earlier == row.end();
}

bool Repetition::outside(const Transfer& transfer, std::int64_t shift) const {
  const std::int64_t first = std::int64_t{transfer.first} + shift;
  return first >= static_cast<std::int64_t>(problem_.chunks) || first + transfer.count <= 0;
}

void Repetition::unite(std::span<const Part> parts, std::span<const Range> ranges) {
  for (std::uint64_t row = 0; row < steps_.size(); ++row) {
    Range& range = ranges_[row];
    range.first = std::min(range.first, ranges[row].first);
    range.last = std::max(range.last, ranges[row].last);
    Part& whole = parts_[row];
    whole.repeated = whole.repeated && parts[row].repeated;
    whole.continued = whole.continued && parts[row].continued;
  }
}

void Repetition::unite_parts() {
  const std::uint64_t rows = steps_.size();
  for (std::uint64_t part = 1; part < division_.count(); ++part) {
    unite(std::span(parts_).subspan(part * rows, rows),
          std::span(ranges_).subspan(part * rows, rows));
  }
  parts_.resize(rows);
  ranges_.resize(rows);
}

void Repetition::unite_processes(const Crew& crew) {
  const std::uint64_t rows = steps_.size();
  const auto own = [&] {
    return bytes_of(std::span<const Part>(parts_)) + bytes_of(std::span<const Range>(ranges_));
  };
  for (const std::string& other : crew.others(own)) {
    std::string_view bytes = other;
    const auto parts = take<Part>(bytes, rows);
    unite(parts, take<Range>(bytes, rows));
  }
}

std::vector<Region> Repetition::regions(std::uint64_t least) const {
  std::vector<Region> result;
  for (const Region& stretch : stretches_) {
    std::uint64_t begin = stretch.begin;
    for (std::uint64_t row = stretch.begin; row <= stretch.end; ++row) {
      if (row < stretch.end && parts_[row].repeated) continue;
      if (!result.empty()) begin = std::max(begin, result.back().end + result.back().period.rows);
      if (begin < row && row - begin >= least) result.push_back({begin, row, stretch.period});
      begin = row + 1;
    }
  }
  return result;
}

}  // namespace schedcc
