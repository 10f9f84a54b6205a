#pragma once

// Are all rows of a schedule symmetric? By several threads and processes.

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "check/crew.hpp"
#include "check/made_rows.hpp"
#include "check/symmetry/orbits.hpp"

namespace schedcc {

/// A row is read by the thread that compares it, some ranks at a time, so that its transfers are
/// still in the cache of a processor, and steps of any size take no memory. Where it cannot be
/// divided by ranks, or is not in their order, it is read as a whole.
class Comparison {
 public:
  Comparison(const Steps& steps, const Symmetry& symmetry, const Crew& crew);

  /// The steps of rank 0. Throws Abandoned if a row is not symmetric. Called once.
  std::shared_ptr<const Schedule> run(const std::function<void(std::uint64_t)>& progress);
  /// How many transfers there were.
  std::uint64_t transfers() const { return transfers_read(rows_); }

 private:
  /// Of a row, the images of its seeds under g_first, ..., g_(end-1); without seeds, all of it.
  struct Piece {
    std::uint64_t row;
    Rank first, end;
    std::shared_ptr<const Orbits> seeds;
  };
  /// What a thread needs.
  struct Worker {
    Orbits orbits;
    Transfers buffer;
  };

  std::optional<Piece> next();
  std::optional<Piece> cut();
  bool begin_row();
  bool compare(const Piece& piece, Worker& worker);
  void keep(std::uint64_t row, const Step& step, const Orbits& orbits, std::uint64_t read);

  static constexpr std::uint64_t piece_transfers = 1 << 13;  ///< 128 KiB

  const Steps& steps_;
  const Symmetry symmetry_;
  const Crew crew_;
  std::vector<MadeRow> rows_;  ///< of rank 0; each is set by the thread that reads its seeds
  std::atomic<std::uint64_t> read_ = 0;  ///< transfers

  std::mutex mutex_;  ///< guards all that follows
  Transfers buffer_;
  std::uint64_t begun_ = 0;       ///< rows
  std::uint64_t cut_ = 0;         ///< pieces
  Piece left_{0, 0, 0, nullptr};  ///< of the row begun last
};

}  // namespace schedcc
