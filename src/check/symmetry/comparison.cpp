#include "check/symmetry/comparison.hpp"

#include <algorithm>
#include <system_error>
#include <thread>
#include <utility>

#include "check/abandoned.hpp"

namespace schedcc {

Comparison::Comparison(const Steps& steps, const Symmetry& symmetry)
    : steps_(steps), symmetry_(symmetry), rows_(steps.size()) {}

std::shared_ptr<const Schedule> Comparison::run(
    std::size_t threads, const std::function<void(std::uint64_t)>& progress) {
  std::vector<std::thread> others;
  try {
    for (std::size_t i = 1; i < threads; ++i) others.emplace_back([this] { work({}); });
  } catch (const std::system_error&) {
    // The system grants no more threads: those started do the work.
  }
  work(progress);
  for (std::thread& thread : others) thread.join();
  if (error_) std::rethrow_exception(error_);
  auto schedule = std::make_shared<Schedule>();
  for (Row& row : rows_) {
    row.step.transfers = row.transfers;
    schedule->append(row.step);
    row.transfers = {};
  }
  return schedule;
}

void Comparison::work(const std::function<void(std::uint64_t)>& progress) {
  try {
    Worker worker{Orbits(symmetry_), {}};
    constexpr std::uint64_t interval = 1 << 18;
    std::uint64_t reported = 0;
    while (const auto piece = next()) {
      if (!compare(*piece, worker)) throw Abandoned();
      const std::uint64_t read = read_.load(std::memory_order_relaxed);
      if (!progress || read - reported < interval) continue;
      progress(read);
      reported = read;
    }
  } catch (...) {
    fail(std::current_exception());
  }
}

void Comparison::fail(std::exception_ptr error) {
  const std::lock_guard lock(mutex_);
  ended_ = true;
  if (!error_) error_ = std::move(error);
}

std::optional<Comparison::Piece> Comparison::next() {
  const std::lock_guard lock(mutex_);
  if (ended_ || (left_.first == left_.end && !begin_row())) return std::nullopt;
  Piece piece = left_;
  if (left_.seeds != nullptr) {
    const std::uint64_t seeds = std::max<std::uint64_t>(left_.seeds->seeds(), 1);
    const std::uint64_t ranks = std::max<std::uint64_t>(piece_transfers / seeds, 1);
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
