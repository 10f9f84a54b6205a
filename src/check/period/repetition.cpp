#include "check/period/repetition.hpp"

#include <algorithm>
#include <bit>
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

}  // namespace

std::optional<Period> period_in_the_middle(const Steps& steps, std::uint64_t most) {
  const std::uint64_t middle = steps.size() / 2;
  Transfers first, later;
  const std::uint64_t number = steps.fill(middle, first);
  if (first.empty()) return std::nullopt;
  for (std::uint64_t rows = 1; rows <= most && middle + rows < steps.size(); ++rows) {
    later.clear();
    const std::uint64_t later_number = steps.fill(middle + rows, later);
    if (later.size() != first.size()) continue;
    const std::uint32_t shift = later[0].first - first[0].first;
    if (shift != 0 && is_shifted(later, first, shift))
      return Period{rows, later_number - number, std::bit_cast<std::int32_t>(shift)};
  }
  return std::nullopt;
}

Repetition::Repetition(const Steps& steps, const Period& period)
    : steps_(steps), period_(period), repeated_(steps.size()), ranges_(steps.size()) {}

void Repetition::run(std::size_t threads, const std::function<void(std::uint64_t)>& progress) {
  by_threads(threads, progress, [this](const std::atomic<bool>& failed, const auto& shown) {
    const std::uint64_t items = segments * period_.rows;
    for (std::uint64_t item = next_++; item < items && !failed; item = next_++) follow(item, shown);
  });
}

/// Every q-th row of a segment of all rows, with the one that comes after them.
void Repetition::follow(std::uint64_t item, const std::function<void(std::uint64_t)>& progress) {
  const std::uint64_t q = period_.rows, rows = steps_.size();
  const std::uint64_t in_segment = rows / q / segments + 1;
  std::uint64_t row = item % q + item / q * in_segment * q;
  const std::uint64_t end = std::min(rows, row + in_segment * q);
  if (row >= end) return;
  Row here, later;
  for (read(row, here); row < end; row += q) {
    if (row + q < rows) {
      read(row + q, later);
      repeated_[row] = repeats(later.step, here.step);
    }
    Range range;
    for (const Transfer& t : here.step.transfers) {
      range.first = std::min<std::uint64_t>(range.first, t.first);
      range.last = std::max(range.last, std::uint64_t{t.first} + t.count - 1);
    }
    ranges_[row] = range;
    progress(read_ += here.step.transfers.size());
    std::swap(here, later);
  }
}

void Repetition::read(std::uint64_t row, Row& to) {
  to.step = steps_.read(row, {}, to.buffer);
  if (to.step.rounds != 1) throw Abandoned();
}

bool Repetition::repeats(const Step& row, const Step& earlier) const {
  return row.number == earlier.number + period_.steps &&
         is_shifted(row.transfers, earlier.transfers, static_cast<std::uint32_t>(period_.chunks));
}

}  // namespace schedcc
