#pragma once

// The chunks that ranks start with, for loops over many transfers: in a standard collective by an
// inlined formula, in a custom one by look-up.

#include <cstdint>

#include "model/runs.hpp"
#include "schedcc/problem.hpp"

namespace schedcc {

/// Ranks and chunks are those of the problem, which outlives it.
class Starts {
 public:
  explicit Starts(const Problem& problem);

  /// Is there a formula, so that has_by_formula() may be called?
  bool by_formula() const { return custom_ == nullptr; }
  bool has_by_formula(Rank rank, Chunk chunk) const {
    // Chunks before rank * stride wrap to large offsets modulo 2^32.
    return chunk - rank * stride_ < count_ && (everywhere_ || rank == root_);
  }

  /// Does `rank` start with `chunk`?
  bool has(Rank rank, Chunk chunk) const {
    return by_formula() ? has_by_formula(rank, chunk) : contains(listed(rank), chunk);
  }
  /// Does it start with the chunk's final value, and not with a contribution to it?
  bool has_value(Rank rank, Chunk chunk) const {
    if (by_formula()) return !reduction_ && has_by_formula(rank, chunk);
    return contains(listed(rank), chunk) && !contains(reduced(), chunk);
  }
  /// With how many chunks of the run does `rank` start?
  std::uint64_t in(Rank rank, const Run& run) const {
    return by_formula() ? overlap(formula(rank), run) : listed_in(rank, run);
  }
  Runs of(Rank rank) const { return by_formula() ? Runs(formula(rank)) : Runs(listed(rank)); }
  /// The first chunk above `chunk` at which has() or has_value() may differ for the rank, or
  /// UINT32_MAX + 1.
  std::uint64_t same_until(Rank rank, Chunk chunk) const {
    if (!by_formula()) return listed_until(rank, chunk);
    const Run run = formula(rank);
    if (chunk < run.first && run.count > 0) return run.first;
    return chunk < end(run) ? end(run) : std::uint64_t{1} << 32;
  }
  /// The ranks that start with `chunk`.
  Intervals holders(Chunk chunk) const;

 private:
  /// Rank r starts with the chunks that begin at r * stride.
  Run formula(Rank rank) const {
    return {rank * stride_, everywhere_ || rank == root_ ? count_ : 0};
  }
  std::span<const Run> listed(Rank rank) const { return custom_->start_of(rank); }
  std::uint64_t listed_in(Rank rank, const Run& run) const;
  std::uint64_t listed_until(Rank rank, Chunk chunk) const;
  std::span<const Run> reduced() const { return custom_->reduced(); }

  const Custom* custom_ = nullptr;
  std::uint32_t stride_ = 0, count_ = 0;
  bool everywhere_ = true;  ///< or only at the root
  bool reduction_ = false;
  Rank ranks_, root_;
};

}  // namespace schedcc
