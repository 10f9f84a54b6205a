#pragma once

// How many intervals of time overlap, given in the order of their ends.
//
// That is the least number of tracks that hold all intervals without overlap (interval
// partitioning); and with intervals in the order of their ends, the greedy choice is optimal: an
// interval goes to the track that became free last before it begins, or to a new track if there is
// none. All that is kept of a track is the time from which on it is free.
//
// In a long queue most intervals end at times of their own, one soon after the other: 64 times
// share a word.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

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
  /// Tracks that are free from some of the 64 times from `first` on: one from each of them, or
  /// several from `first`. A group from which all were taken stays for a while.
  struct Group {
    std::uint64_t first, times;  ///< bit i of `times`: those of first + i
    std::uint32_t number;        ///< from each time
    std::uint32_t next;          ///< where to look for tracks: the group itself, or one before it
  };
  struct ManyTracks {
    std::vector<Group> groups{{0, 0, 0, 0}};  ///< by `first`; the first one is none
    std::uint64_t number = 0;                 ///< of tracks in all
    std::size_t emptied = 0;                  ///< groups
    std::uint32_t last = 0;                   ///< group that was searched for
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
    if (groups.size() == 1 || groups[1].first > begin) return count;
    std::uint32_t at = last_free(begin);
    while (count > 0 && (at = first_filled(at)) != 0) {
      Group& group = groups[at];
      const std::uint64_t free = group.times & up_to(begin - group.first);
      if (free == 0) {  // all of its times are later
        --at;
        continue;
      }
      const std::uint32_t taken = std::min(count, group.number);
      count -= taken;
      if (taken < group.number) {
        group.number -= taken;
      } else {
        remove(at, std::bit_floor(free));
      }
    }
    return count;
  }

  /// The bits of a group's first time and of those up to `after` later.
  static std::uint64_t up_to(std::uint64_t after) {
    return ~std::uint64_t{0} >> (63 - std::min<std::uint64_t>(after, 63));
  }

  /// Removes a time of a group.
  void remove(std::uint32_t at, std::uint64_t time) {
    Group& group = many_->groups[at];
    group.times ^= time;
    if (group.times != 0) return;
    group.next = at - 1;
    ++many_->emptied;
  }

  /// The last group that is free at `begin`; often that of the call before, or one of the next.
  std::uint32_t last_free(std::uint64_t begin) {
    const auto& groups = many_->groups;
    const auto size = static_cast<std::uint32_t>(groups.size());
    std::uint32_t& at = many_->last;
    if (at < size && groups[at].first <= begin) {
      for (int tries = 0; tries < 4; ++tries, ++at) {
        if (at + 1 == size || groups[at + 1].first > begin) return at;
      }
    }
    const auto after = std::ranges::upper_bound(groups, begin, {}, &Group::first);
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
    std::erase_if(groups, [](const Group& group) { return group.first != 0 && group.times == 0; });
    for (std::size_t i = 0; i < groups.size(); ++i) groups[i].next = static_cast<std::uint32_t>(i);
    many_->emptied = 0;
  }

  void add(std::uint64_t free, std::uint32_t number) {
    auto& groups = many_->groups;
    const auto last = static_cast<std::uint32_t>(groups.size() - 1);
    if (last == 0 || !join(groups.back(), free, number)) {
      groups.push_back({free, 1, number, last + 1});
    }
  }

  /// Adds tracks to the last group; false if they need one of their own.
  bool join(Group& group, std::uint64_t free, std::uint32_t number) {
    const std::uint64_t after = free - group.first;
    if (group.times == 0) {
      --many_->emptied;
      group = {free, 1, number, static_cast<std::uint32_t>(&group - many_->groups.data())};
    } else if (after == 0 && group.times == 1) {
      group.number += number;
    } else if (after < 64 && number == 1 && group.number == 1 && (group.times >> after) == 0) {
      group.times |= std::uint64_t{1} << after;
    } else {
      return false;
    }
    return true;
  }

  // Nearly all ranks need two tracks at most, and add single intervals.
  std::uint64_t early_ = 0, late_ = 0;  ///< when the two become free; early_ <= late_
  std::unique_ptr<ManyTracks> many_;    ///< all tracks, if these two are not enough
};

}  // namespace schedcc
