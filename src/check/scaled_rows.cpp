#include "check/scaled_rows.hpp"

#include <algorithm>
#include <cstddef>
#include <span>

#include "check/transfer_words.hpp"

namespace schedcc {

namespace {

/// Are the transfers those of the base, with so many chunks for each? Differences are collected
/// without branches, in all words of a transfer at once.
bool same_transfers(std::span<const Transfer> base, std::span<const Transfer> scaled,
                    std::uint32_t by) {
  if (base.size() != scaled.size()) return false;
  const TransferWords factors{1, 1, by, by}, kinds{0, 0, 0, kind_bit};
  Differences differences;
  for (std::size_t i = 0; i < base.size(); ++i) {
    const TransferWords words = words_of(base[i]);
    differences.note(scaled[i], (words & ~kinds) * factors + (words & kinds));
  }
  return differences.none();
}

/// Are the transfers those of the base, of one chunk each, with packet j of `by` of that chunk?
bool same_packets(std::span<const Transfer> base, std::span<const Transfer> packets,
                  std::uint32_t by, std::uint32_t j) {
  if (base.size() != packets.size()) return false;
  const TransferWords factors{1, 1, by, 1}, packet{0, 0, j, 0};
  Differences differences;
  std::uint32_t counts = 0;
  for (std::size_t i = 0; i < base.size(); ++i) {
    differences.note(packets[i], words_of(base[i]) * factors + packet);
    counts |= std::uint32_t{base[i].count} ^ 1;
  }
  return differences.none() && counts == 0;
}

}  // namespace

ScaledRows::~ScaledRows() {
  if (left_ != nullptr || complete_) room_ += all_;
}

bool ScaledRows::sizes_agree(const Source& scaled, std::uint32_t by) const {
  const auto own = source_.open()->rows(), rows = scaled.open()->rows();
  return !own || !rows || rows->size() == own->size() || rows->size() == own->size() * by;
}

bool ScaledRows::same_blocks(const Source& scaled, std::uint32_t by) {
  const auto stream = scaled.open();
  if (const auto rows = stream->rows()) {
    for (std::uint64_t row = 0; row < rows->size(); ++row) {
      const Step* const own = find(row);
      if (own == nullptr || !same_row(*own, *rows, row, by)) return false;
    }
    return ends_before(rows->size());
  }
  std::uint64_t row = 0;
  for (Step step; stream->next(step); ++row) {
    const Step* const own = find(row);
    if (own == nullptr || own->number != step.number || own->rounds != step.rounds ||
        !same_transfers(own->transfers, step.transfers, by))
      return false;
  }
  return ends_before(row);
}

std::optional<std::uint64_t> ScaledRows::more_steps_of_packets(const Source& scaled,
                                                               std::uint32_t by) {
  std::vector<std::uint64_t> rows(by);  // how many there were, by packet
  const auto stream = scaled.open();
  std::uint64_t last = 0;
  for (Step step; stream->next(step); last = step.number) {
    if (step.transfers.empty()) return std::nullopt;
    const std::uint32_t packet = step.transfers.front().first % by;
    const Step* const own = find(rows[packet]++);
    if (own == nullptr || own->rounds != step.rounds ||
        !same_packets(own->transfers, step.transfers, by, packet))
      return std::nullopt;
  }
  const auto ends = [&](std::uint64_t row) { return ends_before(row); };
  if (rows.front() == 0 || !std::ranges::all_of(rows, ends)) return std::nullopt;
  return last - rows_.back().number;
}

/// A long row is read by some ranks at a time, if it can be, so that it stays in a cache.
bool ScaledRows::same_row(const Step& own, const Steps& rows, std::uint64_t row, std::uint32_t by) {
  constexpr std::uint64_t piece = 1 << 13;
  const std::uint64_t all = own.transfers.size(), P = source_.problem.ranks;
  const bool divides = all > piece && rows.divides(P);
  const std::uint64_t of = divides ? P : 1,
                      some = divides ? std::max<std::uint64_t>(1, P * piece / all) : 1;
  std::size_t compared = 0;
  for (std::uint64_t first = 0; first < of; first += some) {
    const Step step = rows.read(row, {first, std::min(of, first + some), of}, buffer_);
    const std::size_t size = step.transfers.size();
    if (step.number != own.number || step.rounds != own.rounds || all - compared < size ||
        !same_transfers(own.transfers.subspan(compared, size), step.transfers, by))
      return false;
    compared += size;
  }
  return compared == all;
}

const Step* ScaledRows::find(std::uint64_t row) {
  if (left_ == nullptr && !complete_) {
    if (all_ > room_) return nullptr;
    room_ -= all_;
    transfers_.reserve(all_);
    left_ = source_.open();
  }
  while (!complete_ && rows_.size() <= row) {
    Step step;
    if (!left_->next(step)) {
      complete_ = true;
      left_ = nullptr;
      break;
    }
    const std::size_t before = transfers_.size(), more = step.transfers.size();
    if (transfers_.capacity() - before < more) return nullptr;
    transfers_.insert(transfers_.end(), step.transfers.begin(), step.transfers.end());
    rows_.push_back({.number = step.number,
                     .transfers = std::span(transfers_).subspan(before, more),
                     .rounds = step.rounds});
  }
  return row < rows_.size() ? &rows_[row] : nullptr;
}

}  // namespace schedcc
