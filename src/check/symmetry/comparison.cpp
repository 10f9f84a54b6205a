#include "check/symmetry/comparison.hpp"

#include <algorithm>

#include "analysis/abandoned.hpp"

namespace schedcc {

Comparison::Comparison(const Steps& steps, const Symmetry& symmetry, const Crew& crew)
    : steps_(steps), symmetry_(symmetry), crew_(crew), rows_(steps.size()) {}

std::shared_ptr<const Schedule> Comparison::run(
    const std::function<void(std::uint64_t)>& progress) {
  crew_.work(progress, [this](const std::atomic<bool>& failed, const auto& shown) {
    Worker worker{Orbits(symmetry_), {}};
    while (const auto piece = failed ? std::nullopt : next()) {
      if (!compare(*piece, worker)) throw Abandoned();
      shown(read_.load(std::memory_order_relaxed));
    }
  });
  exchange(rows_, crew_);
  return schedule_of(rows_);
}

/// The next one of this process.
std::optional<Comparison::Piece> Comparison::next() {
  const std::lock_guard lock(mutex_);
  const auto is_own = [&](const Piece& piece) {
    return crew_.has(piece.seeds != nullptr ? cut_ : piece.row);
  };
  std::optional<Piece> piece = cut();
  while (piece && !is_own(*piece)) piece = cut();
  if (piece && piece->seeds != nullptr)
    read_ += piece->seeds->seeds() * (piece->end - piece->first);
  return piece;
}

std::optional<Comparison::Piece> Comparison::cut() {
  if (left_.first == left_.end && !begin_row()) return std::nullopt;
  ++cut_;
  Piece piece = left_;
  if (left_.seeds != nullptr) {
    const std::uint64_t seeds = left_.seeds->seeds();
    const std::uint64_t ranks =
        std::max<std::uint64_t>(piece_transfers / std::max<std::uint64_t>(seeds, 1), 1);
    piece.end = static_cast<Rank>(std::min<std::uint64_t>(left_.first + ranks, left_.end));
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
  keep(left_.row, seeds, *orbits, orbits->seeds() * P);
  const Step both = steps_.read(left_.row, {0, 2, P}, buffer_);
  if (orbits->are_images(both.transfers, 0, 2)) left_.seeds = orbits;
  return true;
}

void Comparison::keep(std::uint64_t row, const Step& step, const Orbits& orbits,
                      std::uint64_t read) {
  rows_[row] = {step.number, step.rounds, read, orbits.of_rank_zero()};
}

bool Comparison::compare(const Piece& piece, Worker& worker) {
  if (piece.seeds != nullptr) {
    const RowParts parts{piece.first, piece.end, symmetry_.ranks()};
    const Step step = steps_.read(piece.row, parts, worker.buffer);
    return piece.seeds->are_images(step.transfers, piece.first, piece.end);
  }
  const Step step = steps_.read(piece.row, {}, worker.buffer);
  if (!worker.orbits.read(step.transfers)) return false;
  keep(piece.row, step, worker.orbits, step.transfers.size());
  read_ += step.transfers.size();
  return true;
}

}  // namespace schedcc
