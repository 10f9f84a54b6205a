#include "check/period/generations.hpp"

#include <algorithm>

#include "analysis/block_table.hpp"
#include "core/integers.hpp"

namespace schedcc {

namespace {

/// The chunks of the first generations.
class FirstChunks {
 public:
  /// `kept` of `chunks`. With a negative period, those with high numbers are first.
  FirstChunks(const Period& period, std::uint64_t kept, std::uint64_t chunks)
      : begin_(period.chunks < 0 ? chunks - kept : 0), end_(begin_ + kept) {}

  bool has(std::uint64_t chunk) const { return chunk >= begin_ && chunk < end_; }
  /// Has a row no others?
  bool has_all(const Repetition::Range& range) const {
    return range.empty() || (range.first >= begin_ && range.last < end_);
  }
  /// Has a row any of them?
  bool in(const Repetition::Range& range) const {
    return range.first < end_ && range.last >= begin_;
  }
  Chunk number(Chunk chunk) const { return chunk - static_cast<Chunk>(begin_); }

 private:
  std::uint64_t begin_, end_;
};

/// Does every row repeat the one before it, the rows before the first and after the last being
/// empty?
bool all_alike(const Repetition& repetition, std::uint64_t chunks) {
  if (!repetition.has_one_period()) return false;
  const Period& period = repetition.period();
  const std::uint64_t rows = repetition.ranges().size(), size = period.size();
  const FirstChunks first(period, size, chunks), last(period, chunks - size, chunks);
  for (std::uint64_t row = 0; row < rows; ++row) {
    const Repetition::Range& range = repetition.ranges()[row];
    if (row < period.rows && !first.has_all(range)) return false;
    const bool followed = row + period.rows < rows;
    if (followed ? !repetition.continued(row) : last.in(range)) return false;
  }
  return true;
}

/// Calls f(transfer) for those of a row, some at a time; returns the number of its step.
template <typename F>
std::uint64_t each_transfer_of(const Steps& rows, const RowDivision& division, std::uint64_t row,
                               F f) {
  Transfers buffer;
  std::uint64_t number = 0;
  for (std::uint64_t part = 0; part < division.count(); ++part) {
    const Step step = rows.read(row, division.part(part), buffer);
    number = step.number;
    for (const Transfer& t : step.transfers) f(t);
  }
  return number;
}

/// Generation 0.
struct Generation {
  std::uint64_t transfers = 0;
  std::uint64_t stay = 0;  ///< the most rows from a rank's first transfer to its last one
  bool single = true;      ///< has each transfer one chunk?
};

Generation first_generation(const Steps& rows, const Repetition& repetition, std::uint64_t chunks) {
  const Period& period = repetition.period();
  const FirstChunks own(period, period.size(), chunks);
  NodeArray<std::uint32_t> first;  // row of a rank, plus one
  Generation result;
  for (std::uint32_t row = 0; row < rows.size(); ++row) {
    if (!own.in(repetition.ranges()[row])) continue;
    each_transfer_of(rows, repetition.division(), row, [&](const Transfer& t) {
      if (!own.has(t.first)) return;
      ++result.transfers;
      result.single = result.single && t.count == 1;
      for (const Rank rank : {t.src, t.dst}) {
        std::uint32_t& of_rank = first[rank];
        if (of_rank == 0) of_rank = row + 1;
        result.stay = std::max<std::uint64_t>(result.stay, row + 2 - of_rank);
      }
    });
  }
  return result;
}

/// Are there no idle rows, neither of the schedule nor of the part without `spare` periods? Then
/// they differ by those of the periods.
bool none_idle(const Repetition& repetition, const FirstChunks& kept, std::uint64_t spare) {
  const std::uint64_t needed = repetition.ranges().size() - spare * repetition.period().rows;
  for (std::uint64_t row = 0; row < repetition.ranges().size(); ++row) {
    const Repetition::Range& range = repetition.ranges()[row];
    if (range.empty() || (row < needed && !kept.in(range))) return false;
  }
  return true;
}

}  // namespace

std::optional<SpareGenerations> spare_generations(const Steps& rows, const Repetition& repetition,
                                                  const Problem& problem) {
  if (!all_alike(repetition, problem.chunks)) return std::nullopt;
  const Period& period = repetition.period();
  const Generation one = first_generation(rows, repetition, problem.chunks);
  const std::uint64_t whole = problem.chunks / period.size();
  const std::uint64_t at_a_rank = ceil_div(one.stay, period.rows);
  if (!one.single || whole <= at_a_rank) return std::nullopt;
  const SpareGenerations spare{whole - at_a_rank, one.transfers};
  const FirstChunks kept(period, problem.chunks - spare.number * period.size(), problem.chunks);
  if (!none_idle(repetition, kept, spare.number)) return std::nullopt;
  return spare;
}

Steps without_generations(const Steps& rows, const Repetition& repetition, std::uint64_t spare,
                          std::uint64_t chunks) {
  const Period& period = repetition.period();
  const FirstChunks kept(period, chunks - spare * period.size(), chunks);
  return Steps(rows.size() - spare * period.rows,
               [rows, division = repetition.division(), kept](std::uint64_t row, Transfers& out) {
                 return each_transfer_of(rows, division, row, [&](const Transfer& t) {
                   if (!kept.has(t.first)) return;
                   out.push_back(t);
                   out.back().first = kept.number(t.first);
                 });
               });
}

}  // namespace schedcc
