#pragma once

// The sums of a chunk, replayed with some transfers changed, and their errors.

#include <optional>
#include <span>
#include <vector>

#include "analysis/rank_sets.hpp"
#include "check/provenance/replay.hpp"

namespace schedcc::provenance {

/// For each node the contributions that are missing, and those that are in excess.
struct SumFaults {
  std::vector<Window> missing, extra;
  Window missing_anywhere, extra_anywhere;
  std::vector<bool> without;  ///< by place: must end with the chunk, and does not
  std::vector<bool> failing;  ///< by transfer: its source does not hold the chunk

  Window at(std::size_t place) const { return missing[place] | extra[place]; }
  Window anywhere() const { return missing_anywhere | extra_anywhere; }
  std::size_t count() const;
  /// Is anything wrong that is not wrong in `before`?
  bool adds_to(const SumFaults& before) const;
};

/// The contributions of one window.
class ReplayedSums {
 public:
  ReplayedSums(const Replay& replay, std::size_t window);

  /// Replays the transfers with the repairs so far.
  void replay_moves();
  /// The errors after one more edit; valid until the next call.
  const SumFaults& faults_with(const Edit& edit);
  void repair(const Edit& edit) { edits_.push_back(edit); }
  /// Does one more edit make anything wrong that is not, for the contributors of `window`?
  bool breaks(const Edit& edit, std::size_t window) const;
  std::size_t window() const { return window_; }

  const Replay& replay() const { return replay_; }
  const std::vector<ChunkTransfer>& transfers() const { return replay_.history().transfers; }
  const SumFaults& faults() const { return faults_; }
  bool edited(std::size_t transfer) const;
  /// The place to which a transfer goes.
  std::size_t destination(std::size_t transfer) const;
  /// What a node must end with.
  const Window& expected(std::size_t place) const { return expected_[place]; }
  /// What a transfer brings.
  const Window& carried(std::size_t transfer) const { return run_.carried(transfer).once; }
  /// What its destination had.
  const Window& before(std::size_t transfer) const { return run_.before(transfer).once; }

  /// Contributions that were at the destination once, and arrive again.
  Window meeting(std::size_t transfer) const;
  /// Contributions that a copy replaces by something without them.
  Window replaced(std::size_t transfer) const;
  /// The transfer that brings contributions of `window`, or one of them, to the destination of
  /// `transfer` before it.
  std::optional<std::size_t> earlier(std::size_t transfer, const Window& window) const;
  /// The node at which the final value of a node was combined, if others only copied it.
  std::size_t source_of(std::size_t place, const Window& missing) const;
  /// Does a node end with a contribution?
  bool ends_with(std::size_t place, std::size_t contributor) const {
    return run_.final(place).once[contributor];
  }
  /// Does a node end with a contribution as it should, and with the others as well?
  bool serves(std::size_t place, std::size_t contributor) const;

  std::size_t place_of(std::size_t contributor) const {
    return window_ * window_size + contributor;
  }
  Intervals ranks(const Window& contributors) const;

 private:
  void find_faults(const Replay::Run& run, SumFaults& result) const;

  const Replay& replay_;
  std::size_t window_;
  std::vector<Window> expected_;
  std::vector<Edit> edits_;
  Replay::Run run_, run_with_;  ///< with the repairs so far, and with one more edit
  SumFaults faults_, faults_with_;
};

}  // namespace schedcc::provenance
