#pragma once

// The queues of all ranks, in parts, each those of neighbouring ranks, as a schedule is read.
//
// What a part is told of a step concerns its own ranks alone, at either end of a transfer, so that
// parts may follow a step at the same time, and one may be ahead of another. No state is kept
// before the first send of a chunk that its sender did not start with; from there the steps are
// read once more. Many schedules, such as direct exchanges, have no such send: who reads the steps
// looks for it (`forwards`), and lets queues begin (`begin`).

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "analysis/rank_queues.hpp"
#include "analysis/route_ends.hpp"
#include "core/partition.hpp"
#include "model/runs.hpp"
#include "model/starts.hpp"
#include "schedcc/problem.hpp"
#include "schedcc/schedule.hpp"

namespace schedcc {

/// The queues of some ranks; all of them, but where processes share a check.
class QueueParts {
 public:
  /// The ranks, from the first one up to the one before the second.
  using Ranks = std::pair<Rank, Rank>;
  /// Opens the steps once more, from the first one on.
  using Reopen = std::function<std::unique_ptr<StepStream>()>;

  /// In at most `parts` parts, one or more. What is sent in a step arrives `latency` steps later.
  /// `as_one`: all queues are counted as one (RankQueues).
  QueueParts(const Problem& problem, Ranks ranks, std::size_t parts, std::uint64_t latency,
             bool as_one, Reopen reopen)
      : starts_(problem),
        ranks_(ranks),
        latency_(latency),
        as_one_(as_one),
        reopen_(std::move(reopen)) {
    const std::uint64_t count = ranks.second - ranks.first;
    const auto number = std::clamp<std::uint64_t>(count, 1, parts);
    for (std::uint64_t i = 0; i < number; ++i) {
      const auto [first, next] = part_of(count, i, number);
      parts_.emplace_back(problem, static_cast<Rank>(ranks.first + first),
                          static_cast<Rank>(next - first), as_one);
    }
  }

  std::size_t size() const { return parts_.size(); }

  /// Does a rank send what it did not start with? To be asked of each step until queues begin; of
  /// one that was lowered only the first hops count.
  bool forwards(const Step& step) {
    bool result = false, is_long = false;
    for (std::size_t i = 0; i < step.transfers.size(); ++i) {
      const Transfer& t = step.transfers[i];
      if (t.src - ranks_.first >= ranks_.second - ranks_.first ||
          (!step.origins.empty() && step.origins[i].src != t.src))
        continue;
      is_long = is_long || !is_short(t);
      each_forwarded(t, [&](const Run&) { result = true; });
    }
    short_ = short_ && !is_long;
    return result;
  }
  /// Queues begin with a step: the steps before are read once more, for what has arrived. Not while
  /// parts follow one.
  void begin(std::uint64_t number) {
    begun_ = true;
    const auto stream = reopen_();
    RouteEnds ends;
    for (Step past; stream->next(past) && past.number < number;) {
      if (past.transfers.empty()) continue;
      ends.read(past);
      for (Part& part : parts_) receive(part, ends.received());
    }
  }
  bool begun() const { return begun_; }

  /// Follows a step in one part: `sent` has the transfers that leave their source in it, and
  /// `received` those that reach their destination. Numbers of steps rise.
  void follow(const Step& sent, const Step& received, std::size_t number) {
    if (!begun_) return;
    send(parts_[number], sent);
    receive(parts_[number], received);
  }

  /// Each rank of a part keeps as many chunks more as `by_rank` says (RankQueues::keep).
  void keep(std::size_t number, std::uint64_t begin, std::uint64_t end,
            const std::vector<std::uint32_t>& by_rank) {
    Part& part = parts_[number];
    for (Rank r = part.first; r - part.first < part.ranks; ++r)
      part.queues.keep(r, begin, end, by_rank[r]);
  }

  /// Do they tell who holds what (RankQueues::tell_holdings), once they have begun?
  bool tell_holdings() const {
    return begun_ && short_ && std::ranges::all_of(parts_, [](const Part& part) {
             return part.queues.tell_holdings();
           });
  }
  /// The same for those of a part.
  bool tell_holdings(std::size_t part) const { return parts_[part].queues.tell_holdings(); }
  /// Will they still do so after a step, if nothing is wrong with it?
  static bool keep_telling(const Step& step) {
    return std::ranges::all_of(step.transfers, is_short);
  }
  /// How many chunks of a run have arrived at a rank, if they tell it.
  std::uint64_t arrived(Rank rank, Run run) const {
    const auto after = std::ranges::upper_bound(parts_, rank, {}, &Part::first);
    return std::prev(after)->queues.arrived(rank, run);
  }
  /// For how many chunks at ranks there is memory.
  std::uint64_t cells() const {
    std::uint64_t result = 0;
    for (const Part& part : parts_) result += part.queues.cells();
    return result;
  }

  /// The longest queue, after the last step. May be called once.
  std::uint64_t longest() {
    std::uint64_t result = 0;
    for (std::size_t i = 1; i < parts_.size() && as_one_; ++i)
      parts_[0].queues.join(parts_[i].queues);
    for (Part& part : parts_) result = std::max(result, part.queues.longest());
    return result;
  }

  /// Calls f with the runs of chunks of `t` that its sender did not start with.
  template <typename F>
  void each_forwarded(const Transfer& t, F f) const {
    std::uint64_t first = t.first;
    const std::uint64_t last = first + t.count;
    // Passes on the chunks before `from`, and omits those up to `to`, with which the rank started.
    const auto cut = [&](std::uint64_t from, std::uint64_t to) {
      if (from > first) f(Run{static_cast<Chunk>(first), static_cast<std::uint32_t>(from - first)});
      first = to;
    };
    for (std::uint64_t c = first; c < last;) {
      const auto chunk = static_cast<Chunk>(c);
      c = std::min(last, starts_.same_until(t.src, chunk));
      if (starts_.has_value(t.src, chunk)) cut(chunk, c);
    }
    cut(last, last);
  }

 private:
  /// Is it followed chunk by chunk?
  static bool is_short(const Transfer& t) { return t.count < RankQueues::long_run; }

  /// Neighbouring ranks, or none; the queues of one do not depend on those of others. Not in a
  /// cache line of another part.
  struct alignas(64) Part {
    Part(const Problem& problem, Rank from, Rank count, bool as_one)
        : first(from), ranks(count), queues(problem, from, std::max(count, 1U), as_one) {}
    bool has(Rank node) const { return node - first < ranks; }

    Rank first, ranks;
    RankQueues queues;
  };

  void send(Part& part, const Step& step) const {
    const std::uint64_t now = step.number + 1;  // times are positive
    for (const Transfer& t : step.transfers) {
      if (!part.has(t.src)) continue;
      if (t.count == 1) {  // most of them
        if (!starts_.has_value(t.src, t.first)) part.queues.send(t.src, t.first, now);
      } else {
        send_run(part.queues, t, now);
      }
    }
  }

  [[gnu::noinline]] void send_run(RankQueues& queues, const Transfer& t, std::uint64_t now) const {
    each_forwarded(t, [&](Run run) { queues.send(t.src, run.first, run.count, now); });
  }

  void receive(Part& part, const Step& step) const {
    const std::uint64_t now = step.number + 1, then = now + latency_;
    for (const Transfer& t : step.transfers) {
      if (!part.has(t.dst)) continue;
      if (t.count == 1) {  // most of them
        part.queues.arrive(t.dst, t.first, now, then);
      } else {
        part.queues.arrive(t.dst, t.first, t.count, now, then);
      }
    }
  }

  Starts starts_;
  Ranks ranks_;
  std::uint64_t latency_;
  bool as_one_;
  Reopen reopen_;
  bool begun_ = false;
  bool short_ = true;  ///< all transfers before
  std::vector<Part> parts_;
};

}  // namespace schedcc
