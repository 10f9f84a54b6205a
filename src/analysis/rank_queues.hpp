#pragma once

// How many chunks a rank must keep because it still sends them, in one pass over the steps.
//
// A chunk is in its rank's queue from its arrival until its last send, and which send is the last
// is known only at the end. But the time from its arrival to its first send, and from each send to
// the next, is known when that send is read. So the queue is a set of intervals, in the order of
// their ends, and the longest queue is the largest number of them that overlap (IntervalTracks).
// Each (rank, chunk) has the time from which its next interval will begin; with the first long
// transfer these become runs of chunks with the same time.
//
// Where each arrival brings a rank what it did not have, and each sender has what it sends, these
// times also tell who holds what, without another table.

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/alltoall_columns.hpp"
#include "analysis/block_table.hpp"
#include "analysis/interval_tracks.hpp"
#include "analysis/run_map.hpp"
#include "analysis/time_table.hpp"
#include "model/runs.hpp"
#include "model/starts.hpp"

namespace schedcc {

/// Intervals of which it is only asked how many overlap, in any order. Memory is proportional to
/// the latest time.
class OverlapCount {
 public:
  /// Adds `count` intervals [begin, end).
  void put(std::uint64_t begin, std::uint64_t end, std::uint64_t count) {
    if (end >= changes_.size()) changes_.resize(end + 1);
    changes_[begin] += count;
    changes_[end] -= count;
  }
  void put(const OverlapCount& others) {
    changes_.resize(std::max(changes_.size(), others.changes_.size()));
    for (std::size_t i = 0; i < others.changes_.size(); ++i) changes_[i] += others.changes_[i];
  }

  /// The most that overlap.
  std::uint64_t most() const {
    std::uint64_t most = 0, now = 0;
    for (const std::uint64_t change : changes_) most = std::max(most, now += change);
    return most;
  }

 private:
  std::vector<std::uint64_t> changes_;  ///< of their number, by time, modulo 2^64
};

/// The queues of some ranks. Times are positive and below 2^63; `now` never decreases.
class RankQueues {
 public:
  /// Transfers of so many chunks are followed by runs, which do not tell holdings.
  static constexpr std::uint32_t long_run = 512;

  /// Those of all ranks, or of `ranks` ranks from `first` on: 1 or more. `as_one`: they are
  /// counted as one queue, and times are not much larger than the number of steps.
  explicit RankQueues(const Problem& problem, bool as_one = false)
      : RankQueues(problem, 0, problem.ranks, as_one) {}
  RankQueues(const Problem& problem, Rank first, Rank ranks, bool as_one = false)
      : as_one_(as_one),
        first_(first),
        starts_(problem),
        columns_(problem),
        by_destination_(problem.collective == Collective::alltoall),
        layout_(layout_for<TimeTable::block_size>(problem, ranks, all_chunks(problem))),
        since_(layout_) {}

  /// The chunk, sent at `now`, arrives at `time`, which is later.
  void arrive(std::uint32_t rank, std::uint32_t chunk, std::uint64_t now, std::uint64_t time) {
    if (by_runs_) [[unlikely]]
      return arrive_by_runs(rank, {chunk, 1}, time);
    const bool first = since_.put(rank - first_, position(rank, chunk), time, now + 1);
    if (!first || starts_.has_value(rank, chunk)) [[unlikely]]
      all_new_and_held_ = false;
  }

  /// The same for `count` chunks starting with `first`.
  void arrive(std::uint32_t rank, std::uint32_t first, std::uint32_t count, std::uint64_t now,
              std::uint64_t time) {
    if (by_runs_ || count >= long_run) [[unlikely]]
      return arrive_by_runs(rank, {first, count}, time);
    for (std::uint32_t i = 0; i < count; ++i) arrive(rank, first + i, now, time);
  }

  /// It is sent at `now`. If it never arrived, or not yet, it is in no queue.
  void send(std::uint32_t rank, std::uint32_t chunk, std::uint64_t now) {
    if (by_runs_) [[unlikely]]
      return send_by_runs(rank, {chunk, 1}, now);
    const std::uint64_t begin = since_.renew(rank - first_, position(rank, chunk), now);
    if (begin == 0) [[unlikely]] {
      all_new_and_held_ = false;
    } else if (begin <= now) {
      put(rank, begin, now + 1, 1);
    }
  }

  /// The same for `count` chunks starting with `first`.
  void send(std::uint32_t rank, std::uint32_t first, std::uint32_t count, std::uint64_t now) {
    if (by_runs_ || count >= long_run) [[unlikely]]
      return send_by_runs(rank, {first, count}, now);
    for (std::uint32_t i = 0; i < count; ++i) send(rank, first + i, now);
  }

  /// The rank keeps `count` more chunks during [begin, end), which ends no earlier than any
  /// interval that sends have added, and no later than any that they will add.
  void keep(std::uint32_t rank, std::uint64_t begin, std::uint64_t end, std::uint32_t count) {
    if (count > 0) put(rank, begin, end, count);
  }

  /// Adds the queues of other ranks, which are counted as one, too.
  void join(const RankQueues& others) { all_.put(others.all_); }

  /// In collectives that copy chunks: has every chunk that was sent arrived before, and was every
  /// arrival the first of its chunk at a rank that did not start with it? Then a rank holds what it
  /// starts with and what has arrived, and nothing else. After a send or an arrival that does not
  /// fit, or a transfer that is followed by runs, the answer is false for good.
  /// Nothing checks these preconditions, and the answer may be wrong without them: what is sent in
  /// a step arrives in the next one; the sends of a step are reported before its arrivals; all
  /// arrivals are reported; and so are all sends of chunks that their rank did not start with.
  bool tell_holdings() const { return all_new_and_held_; }
  /// How many chunks of a run have arrived at a rank, if they tell it.
  std::uint64_t arrived(Rank rank, Run run) const {
    if (!by_destination_) return since_.count(rank - first_, run);
    std::uint64_t number = 0;
    for (std::uint64_t c = run.first; c < end(run); ++c)
      number += since_.count(rank - first_, {position(rank, static_cast<Chunk>(c)), 1});
    return number;
  }
  /// For how many chunks at ranks there is memory.
  std::uint64_t cells() const { return since_.cells(); }

  /// The longest queue so far.
  std::uint64_t longest() {
    if (as_one_) return all_.most();
    put_last();
    return longest_;
  }

 private:
  /// Where `since_` has a chunk of a rank.
  Chunk position(Rank rank, Chunk chunk) const {
    return by_destination_ ? static_cast<Chunk>(columns_.position(rank, chunk)) : chunk;
  }

  /// Adds `count` intervals of a rank; equal ones in sequence, as those of the chunks of a message,
  /// are added together.
  void put(std::uint32_t rank, std::uint64_t begin, std::uint64_t end, std::uint32_t count) {
    if (as_one_) return all_.put(begin, end, count);
    if (rank != last_.rank || begin != last_.begin || end != last_.end) {
      put_last();
      last_ = {rank, 0, begin, end};
    }
    last_.count += count;
  }
  void put_last() {
    if (last_.count != 0 && queues_[last_.rank].put(last_.begin, last_.end, last_.count))
        [[unlikely]]
      longest_ = std::max(longest_, queues_[last_.rank].number());
    last_.count = 0;
  }

  using Times = RunMap<std::uint64_t>;

  [[gnu::noinline]] void arrive_by_runs(std::uint32_t rank, Run run, std::uint64_t time) {
    Times& since = runs_of(rank);
    for (const auto& [piece, begin] : pieces_of(since, run)) {
      if (begin == 0) since.assign(piece, time);
    }
  }

  [[gnu::noinline]] void send_by_runs(std::uint32_t rank, Run run, std::uint64_t now) {
    Times& since = runs_of(rank);
    for (const auto& [piece, begin] : pieces_of(since, run)) {
      if (begin == 0 || begin > now) continue;
      since.assign(piece, now + 1);
      put(rank, begin, now + 1, piece.count);
    }
  }

  Times& runs_of(std::uint32_t rank) {
    all_new_and_held_ = false;
    if (!std::exchange(by_runs_, true)) {
      since_.each([&](std::uint32_t node, Run places, std::uint64_t time) {
        const Rank owner = first_ + node;
        const auto assign = [&](Run run) { runs_[owner].assign(run, time); };
        by_destination_ ? columns_.each_run(owner, places, assign) : assign(places);
      });
      since_ = TimeTable(layout_);
    }
    return runs_[rank];
  }

  const std::vector<std::pair<Run, std::uint64_t>>& pieces_of(const Times& since, Run run) {
    pieces_.clear();
    since.each(run, [&](Run piece, std::uint64_t time) { pieces_.emplace_back(piece, time); });
    return pieces_;
  }

  bool as_one_;
  bool all_new_and_held_ = true;  ///< what has arrived, and what was sent
  OverlapCount all_;              ///< if they are counted as one
  Rank first_;
  Starts starts_;
  AlltoallColumns columns_;
  bool by_destination_;
  Layout<TimeTable::block_size> layout_;  ///< of ranks counted from `first_`
  // The begin of the next interval of a (rank, chunk): while transfers are short, and afterwards.
  TimeTable since_;
  bool by_runs_ = false;
  std::unordered_map<std::uint32_t, Times> runs_;
  std::vector<std::pair<Run, std::uint64_t>> pieces_;
  NodeArray<IntervalTracks> queues_;
  /// Intervals that are not in queues_ yet.
  struct {
    std::uint32_t rank = 0, count = 0;
    std::uint64_t begin = 0, end = 0;
  } last_;
  std::uint64_t longest_ = 0;
};

}  // namespace schedcc
