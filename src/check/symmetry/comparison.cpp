#include "check/symmetry/comparison.hpp"

#include <algorithm>

#include "check/abandoned.hpp"
#include "check/by_threads.hpp"

namespace schedcc {

Comparison::Comparison(const Steps& steps, const Symmetry& symmetry)
    : steps_(steps), symmetry_(symmetry), rows_(steps.size()) {}

std::shared_ptr<const Schedule> Comparison::run(
    std::size_t threads, const std::function<void(std::uint64_t)>& progress) {
  by_threads(threads, progress, [this](const std::atomic<bool>& failed, const auto& shown) {
    Worker worker{Orbits(symmetry_), {}};
    while (const auto piece = failed ? std::nullopt : next()) {
      if (!compare(*piece, worker)) throw Abandoned();
      shown(read_.load(std::memory_order_relaxed));
    }
  });
  auto schedule = std::make_shared<Schedule>();
  for (Row& row : rows_) {
    row.step.transfers = row.transfers;
    schedule->append(row.step);
    row.transfers = {};
  }
  return schedule;
}

std::optional<Comparison::Piece> Comparison::next() {
  const std::lock_guard lock(mutex_);
  if (left_.first == left_.end && !begin_row()) return std::nullopt;
  Piece piece = left_;
  if (left_.seeds != nullptr) {
    const std::uint64_t seeds = left_.seeds->seeds();
    const std::uint64_t ranks =
        std::max<std::uint64_t>(piece_transfers / std::max<std::uint64_t>(seeds, 1), 1);
    piece.end = static_cast<Rank>(std::min<std::uint64_t>(left_.first + ranks, left_.end));
    read_ += seeds * (piece.end - piece.first);
  }
  left_.first = piece.end;
  return piece;
}

/// Reads the seeds of the next row; false if there is none.
bool Comparison::begin_row() {
  if (begun_ == steps_.size()) return false;
  const Rank P = symmetry_.ranks();
  left_ = {begun_++, 0, P, nullptr};
  if (!steps_.divides(P)) return true;
  const auto orbits = std::make_shared<Orbits>(symmetry_);
  const Step seeds = steps_.read(left_.row, {0, 1, P}, buffer_);
  if (!orbits->read_seeds(seeds.transfers)) return true;
  keep(left_.row, seeds, *orbits);
  const Step both = steps_.read(left_.row, {0, 2, P}, buffer_);
  if (orbits->are_images(both.transfers, 0, 2)) left_.seeds = orbits;
  return true;
}

void Comparison::keep(std::uint64_t row, const Step& step, const Orbits& orbits) {
  rows_[row] = {step, orbits.of_rank_zero()};
}

bool Comparison::compare(const Piece& piece, Worker& worker) {
  if (piece.seeds != nullptr) {
    const RowParts parts{piece.first, piece.end, symmetry_.ranks()};
    const Step step = steps_.read(piece.row, parts, worker.buffer);
    return piece.seeds->are_images(step.transfers, piece.first, piece.end);
  }
  const Step step = steps_.read(piece.row, {}, worker.buffer);
  if (!worker.orbits.read(step.transfers)) return false;
  keep(piece.row, step, worker.orbits);
  read_ += step.transfers.size();
  return true;
}

}  // namespace schedcc
