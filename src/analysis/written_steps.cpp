#include "analysis/written_steps.hpp"

#include <algorithm>
#include <span>

#include <fmt/core.h>

#include "model/algebra.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

bool is_written(const Step& step) {
  if (step.transfers.empty() && step.rounds == 1) return false;
  if (step.number > UINT32_MAX) {
    throw InputError(
        fmt::format("step {} is above 2^32 - 1, the last that can be written", step.number));
  }
  return true;
}

namespace {

/// The rank `by` after `rank`, by at most `ranks`.
Rank turned(Rank rank, std::uint64_t by, Rank ranks) {
  const std::uint64_t sum = rank + by;
  return static_cast<Rank>(sum < ranks ? sum : sum - ranks);
}

/// How far the receiver is from the sender.
Rank distance(const Transfer& t, Rank ranks) { return turned(t.dst, ranks - t.src, ranks); }

/// Appends the rotations first..end-1 of a seed.
void append_rotations(const Transfer& seed, std::uint64_t first, std::uint64_t end,
                      const Steps::Rotations& made, Transfers& out) {
  const std::size_t before = out.size();
  out.resize(before + (end - first));
  rotate(seed, made, static_cast<Rank>(first), static_cast<Rank>(end), out.data() + before);
}

/// For seeds of one mode and distance, whose rotations with the same sender are one message. The
/// messages begin in the order of the first seed's rotations, before there are any of the others:
/// calls take(transfers) with all that some senders send, in this order, then with the next ones.
template <typename Take>
void each_part_of_messages(std::span<const Transfer> seeds, const Steps::Rotations& made,
                           std::size_t at_once, Take take) {
  const std::uint64_t ranks = made.ranks, some = std::max<std::size_t>(1, at_once / seeds.size());
  Transfers part;
  for (std::uint64_t first = 0; first < ranks; first += some) {
    const std::uint64_t count = std::min(some, ranks - first);
    part.clear();
    for (const Transfer& seed : seeds) {
      // These senders' rotations of this seed; after the last one comes the seed itself.
      const std::uint64_t begin =
          turned(turned(seeds.front().src, first, made.ranks), ranks - seed.src, made.ranks);
      const std::uint64_t end = std::min(begin + count, ranks);
      append_rotations(seed, begin, end, made, part);
      append_rotations(seed, 0, begin + count - end, made, part);
    }
    take(std::span<const Transfer>(part));
  }
}

}  // namespace

WrittenSteps::WrittenSteps(const Source& source, std::size_t at_once)
    : stream_(source.open()), rotated_(stream_->rows()), at_once_(at_once) {
  if (rotated_ && rotated_->rotated() == nullptr) rotated_.reset();
  stream_->read_ahead(0);
}

bool WrittenSteps::next(Step& step) {
  while (read(step_)) {
    if (!is_written(step_)) continue;
    step = step_;
    return true;
  }
  return false;
}

bool WrittenSteps::read(Step& step) {
  if (!rotated_) return stream_->next(step);
  if (row_ == rotated_->size()) return false;
  seeds_.clear();
  step = {};
  step.number = rotated_->rotated()->seeds.fill(row_++, seeds_);
  step.transfers = seeds_;
  return true;
}

void WrittenSteps::each_part(const TakePart& take) const {
  if (!rotated_) return take(step_);
  const Steps::Rotations& made = *rotated_->rotated();
  Step part = step_;
  Transfers seeds = seeds_;
  for (auto from = seeds.begin(); from != seeds.end();) {
    const auto to = std::stable_partition(from, seeds.end(), [&, first = *from](const Transfer& t) {
      return t.reduce == first.reduce && distance(t, made.ranks) == distance(first, made.ranks);
    });
    each_part_of_messages({from, to}, made, at_once_, [&](std::span<const Transfer> transfers) {
      part.transfers = transfers;
      take(part);
    });
    from = to;
  }
}

}  // namespace schedcc
