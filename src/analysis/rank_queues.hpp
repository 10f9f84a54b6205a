#pragma once

// How many chunks a rank must keep because it still sends them, in one pass over the steps.
//
// A chunk is in its rank's queue from its arrival until its last send, and which send is the last
// is known only at the end. But the time from its arrival to its first send, and from each send to
// the next, is known when that send is read. So the queue is a set of intervals, in the order of
// their ends, and the longest queue is the largest number of them that overlap. That is the least
// number of tracks that hold all intervals without overlap (interval partitioning); and with
// intervals in the order of their ends, the greedy choice is optimal: an interval goes to the track
// that became free last before it begins, or to a new track if there is none. A rank's state is one
// number per track; and each (rank, chunk) has the time from which its next interval will
// begin; with the first long transfer these become runs of chunks with the same time.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/alltoall_columns.hpp"
#include "analysis/block_table.hpp"
#include "analysis/run_map.hpp"
#include "analysis/time_table.hpp"
#include "model/runs.hpp"

namespace schedcc {

/// The tracks of one rank, or of another queue. Times are positive; an unused track is free since
/// 0.
class IntervalTracks {
 public:
  /// Adds an interval [begin, end), which ends no earlier than those before; true if it needs a new
  /// track.
  bool put(std::uint64_t begin, std::uint64_t end) {
    if (many_ || early_ > begin) [[unlikely]]
      return add_many(begin, end, 1);
    const bool later = late_ <= begin;
    const std::uint64_t taken = later ? late_ : early_;
    early_ = later ? early_ : late_;
    late_ = end;
    return taken == 0;
  }

  /// The same for `count` of them; true if one needs a new track.
  bool put(std::uint64_t begin, std::uint64_t end, std::uint32_t count) {
    return count == 1 ? put(begin, end) : add_many(begin, end, count);
  }

  std::uint64_t number() const { return many_ ? many_->number : (early_ != 0) + (late_ != 0); }

 private:
  /// Tracks that are free at the same time. A group from which all were taken stays for a while.
  struct Group {
    std::uint64_t free;
    std::uint32_t number;
    std::uint32_t next;  ///< where to look for tracks: the group itself, or one before it
  };
  struct ManyTracks {
    std::vector<Group> groups{{0, 0, 0}};  ///< by `free`; the first one is none
    std::uint64_t number = 0;              ///< of tracks in all
    std::size_t emptied = 0;               ///< groups
    std::uint32_t last = 0;                ///< group that was searched for
  };

  // Rarely called: not inlined, to keep loops small.
  [[gnu::noinline]] bool add_many(std::uint64_t begin, std::uint64_t end, std::uint32_t count) {
    if (!many_) {
      many_ = std::make_unique<ManyTracks>();
      if (early_ != 0) add(early_, 1);
      if (late_ != 0) add(late_, 1);
      many_->number = (early_ != 0) + (late_ != 0);
    }
    const std::uint32_t left = take(begin, count);
    if (2 * many_->emptied > many_->groups.size()) drop_emptied();
    add(end, count);
    many_->number += left;
    return left > 0;
  }

  /// Takes tracks that are free at `begin`; how many are missing.
  std::uint32_t take(std::uint64_t begin, std::uint32_t count) {
    auto& groups = many_->groups;
    // Often none is free, which the first one says without a search through all.
    if (groups.size() == 1 || groups[1].free > begin) return count;
    std::uint32_t at = last_free(begin);
    while (count > 0 && (at = first_filled(at)) != 0) {
      Group& group = groups[at];
      const std::uint32_t taken = std::min(count, group.number);
      count -= taken;
      group.number -= taken;
      if (group.number > 0) break;
      group.next = at - 1;
      ++many_->emptied;
    }
    return count;
  }

  /// The last group that is free at `begin`; often that of the call before, or one of the next.
  std::uint32_t last_free(std::uint64_t begin) {
    const auto& groups = many_->groups;
    const auto size = static_cast<std::uint32_t>(groups.size());
    std::uint32_t& at = many_->last;
    if (at < size && groups[at].free <= begin) {
      for (int tries = 0; tries < 4; ++tries, ++at) {
        if (at + 1 == size || groups[at + 1].free > begin) return at;
      }
    }
    const auto after = std::ranges::upper_bound(groups, begin, {}, &Group::free);
    return at = static_cast<std::uint32_t>(after - groups.begin() - 1);
  }

  /// The last group with tracks up to this one, or 0. Ways are halved, as in a union-find.
  std::uint32_t first_filled(std::uint32_t at) {
    auto& groups = many_->groups;
    while (groups[at].next != at) at = groups[at].next = groups[groups[at].next].next;
    return at;
  }

  void drop_emptied() {
    auto& groups = many_->groups;
    std::erase_if(groups, [](const Group& group) { return group.free != 0 && group.number == 0; });
    for (std::size_t i = 0; i < groups.size(); ++i) groups[i].next = static_cast<std::uint32_t>(i);
    many_->emptied = 0;
  }

  void add(std::uint64_t free, std::uint32_t number) {
    auto& groups = many_->groups;
    const auto last = static_cast<std::uint32_t>(groups.size() - 1);
    if (groups.back().free != free) {
      groups.push_back({free, number, last + 1});
      return;
    }
    if (groups.back().number == 0) --many_->emptied;
    groups.back().number += number;
    groups.back().next = last;
  }

  // Nearly all ranks need two tracks at most, and add single intervals.
  std::uint64_t early_ = 0, late_ = 0;  ///< when the two become free; early_ <= late_
  std::unique_ptr<ManyTracks> many_;    ///< all tracks, if these two are not enough
};

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
  /// Those of all ranks, or of `ranks` ranks from `first` on: 1 or more. `as_one`: they are
  /// counted as one queue, and times are not much larger than the number of steps.
  explicit RankQueues(const Problem& problem, bool as_one = false)
      : RankQueues(problem, 0, problem.ranks, as_one) {}
  RankQueues(const Problem& problem, Rank first, Rank ranks, bool as_one = false)
      : as_one_(as_one),
        first_(first),
        columns_(problem),
        by_destination_(problem.collective == Collective::alltoall),
        layout_(layout_for<TimeTable::block_size>(problem, ranks, all_chunks(problem))),
        since_(layout_) {}

  /// The chunk, sent at `now`, arrives at `time`, which is later.
  void arrive(std::uint32_t rank, std::uint32_t chunk, std::uint64_t now, std::uint64_t time) {
    if (by_runs_) [[unlikely]]
      return arrive_by_runs(rank, {chunk, 1}, time);
    since_.put(rank - first_, position(rank, chunk), time, now + 1);
  }

  /// The same for `count` chunks starting with `first`.
  void arrive(std::uint32_t rank, std::uint32_t first, std::uint32_t count, std::uint64_t now,
              std::uint64_t time) {
    if (by_runs_ || count >= long_run) [[unlikely]]
      return arrive_by_runs(rank, {first, count}, time);
    for (std::uint32_t i = 0; i < count; ++i)
      since_.put(rank - first_, position(rank, first + i), time, now + 1);
  }

  /// It is sent at `now`. If it never arrived, or not yet, it is in no queue.
  void send(std::uint32_t rank, std::uint32_t chunk, std::uint64_t now) {
    if (by_runs_) [[unlikely]]
      return send_by_runs(rank, {chunk, 1}, now);
    const std::uint64_t begin = since_.renew(rank - first_, position(rank, chunk), now);
    if (begin != 0) put(rank, begin, now + 1, 1);
  }

  /// The same for `count` chunks starting with `first`.
  void send(std::uint32_t rank, std::uint32_t first, std::uint32_t count, std::uint64_t now) {
    if (by_runs_ || count >= long_run) [[unlikely]]
      return send_by_runs(rank, {first, count}, now);
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint64_t begin = since_.renew(rank - first_, position(rank, first + i), now);
      if (begin != 0) put(rank, begin, now + 1, 1);
    }
  }

  /// The rank keeps `count` more chunks during [begin, end), which ends no earlier than any
  /// interval that sends have added, and no later than any that they will add.
  void keep(std::uint32_t rank, std::uint64_t begin, std::uint64_t end, std::uint32_t count) {
    if (count > 0) put(rank, begin, end, count);
  }

  /// Adds the queues of other ranks, which are counted as one, too.
  void join(const RankQueues& others) { all_.put(others.all_); }

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

  static constexpr std::uint32_t long_run = 512;
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
    if (!std::exchange(by_runs_, true)) {
      since_.each([&](std::uint32_t node, std::uint32_t place, std::uint64_t time) {
        const Rank owner = first_ + node;
        runs_[owner].assign({by_destination_ ? columns_.chunk(owner, place) : place, 1}, time);
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
  OverlapCount all_;  ///< if they are counted as one
  Rank first_;
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
