// The demand of a custom collective.
//
// A rank must receive what it wants: a chunk that it does not start with, or a sum that is not its
// own contribution alone. It must send what no other rank can send: a chunk that it alone starts
// with, or its contribution to a sum, if another rank wants it. Between the borders of all runs
// chunks are alike, so that it is enough to count for each such segment who holds and who wants it;
// the sums over a rank's runs are differences of prefix sums.

#include <algorithm>
#include <map>
#include <span>
#include <vector>

#include "analysis/demand.hpp"
#include "model/runs.hpp"

namespace schedcc {

namespace {

/// Chunks that are alike, from a border to the next one.
struct Segment {
  std::uint64_t begin;
  std::uint32_t holders = 0, targets = 0, both = 0;  ///< ranks: at the start, at the end
  bool reduced = false;
};

/// Finds segments by their borders. There may be millions, each a chunk long: the borders are cut
/// into about as many equal parts, in each of which the search continues.
class SegmentIndex {
 public:
  explicit SegmentIndex(std::span<const Segment> segments) : segments_(segments) {
    while (part(segments.back().begin) > segments.size()) ++shift_;
    first_.reserve(part(segments.back().begin) + 2);
    for (std::uint32_t i = 0; i < segments.size(); ++i)
      first_.resize(std::max<std::size_t>(first_.size(), part(segments[i].begin) + 1), i);
    first_.push_back(static_cast<std::uint32_t>(segments.size()));
  }

  /// The segment that begins at a border.
  std::size_t at(std::uint64_t border) const {
    // Where every chunk is a border, it is in the place of its number.
    if (border < segments_.size() && segments_[border].begin == border) return border;
    const auto first = segments_.begin() + first_[part(border)],
               last = segments_.begin() + first_[part(border) + 1];
    return static_cast<std::size_t>(
        std::ranges::lower_bound(first, last, border, {}, &Segment::begin) - segments_.begin());
  }

 private:
  std::size_t part(std::uint64_t border) const { return border >> shift_; }

  std::span<const Segment> segments_;
  int shift_ = 0;
  std::vector<std::uint32_t> first_;  ///< of each part; at the end, how many there are
};

/// The runs that two ascending lists of runs have in common.
std::vector<Run> common(const Runs& a, const Runs& b) {
  std::vector<Run> result;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const Run left = a[i], right = b[j];
    if (const std::uint64_t count = overlap(left, right); count > 0) {
      result.push_back({std::max(left.first, right.first), static_cast<std::uint32_t>(count)});
    }
    ++(end(left) < end(right) ? i : j);
  }
  return result;
}

class Counts {
 public:
  explicit Counts(const Problem& problem)
      : problem_(problem), segments_(segments_of(problem)), index_(segments_) {
    problem.for_each_start([&](Rank, const Runs& start) { count(start, &Segment::holders); });
    problem.for_each_goal([&](Rank rank, const Runs& goal) {
      count(goal, &Segment::targets);
      kept_[rank] = common(problem.start(rank), goal);
      count(kept(rank), &Segment::both);
    });
    for (const auto what : {&Segment::holders, &Segment::targets, &Segment::both}) accumulate(what);
  }

  Demand demand() const {
    // A rank that holds a chunk must send it ...
    const auto must_send =
        prefix([](const Segment& s) { return s.targets > 0 && (s.reduced || s.holders == 1); });
    // ... but not if only itself wants it; and a rank that starts with what it wants need not
    // receive it.
    const auto need_not_send =
        prefix([](const Segment& s) { return s.targets == 1 && (s.reduced || s.holders == 1); });
    const auto need_not_receive =
        prefix([](const Segment& s) { return !s.reduced || s.holders == 1; });

    Demand demand{0, 0, 1};
    std::uint64_t sent = 0, received = 0;
    problem_.for_each_start([&](Rank rank, const Runs& start) {
      const std::uint64_t n = sum(must_send, start) - sum(need_not_send, kept(rank));
      demand.busiest = std::max(demand.busiest, n);
      sent += n;
    });
    problem_.for_each_goal([&](Rank rank, const Runs& goal) {
      const std::uint64_t n = goal.chunks() - sum(need_not_receive, kept(rank));
      demand.busiest = std::max(demand.busiest, n);
      received += n;
    });
    demand.all = std::max(sent, received);
    for (const Segment& s : segments_) {
      if (s.targets == 0 || s.holders == 0) continue;
      const std::uint64_t in_the_end = std::uint64_t{s.holders} + s.targets - s.both;
      const std::uint64_t each = (in_the_end + s.holders - 1) / s.holders;
      demand.reach = std::max(demand.reach, s.reduced ? std::uint64_t{s.holders} : each);
    }
    return demand;
  }

 private:
  /// All chunk numbers in order; nothing follows the last border.
  static std::vector<Segment> segments_of(const Problem& problem) {
    std::vector<Segment> segments;
    for (std::uint64_t border = 0; border <= UINT32_MAX;) {
      const auto chunk = static_cast<Chunk>(border);
      segments.push_back({border});
      segments.back().reduced = problem.reduced(chunk);
      border = problem.same_until(chunk);
    }
    return segments;
  }

  std::uint64_t length(std::size_t i) const {
    return i + 1 < segments_.size() ? segments_[i + 1].begin - segments_[i].begin : 0;
  }

  /// Counts +1 at each run's begin and -1 at its end; `accumulate` sums these up.
  void count(const Runs& runs, std::uint32_t Segment::*what) {
    for (const Run run : runs) {
      ++(segments_[index_.at(run.first)].*what);
      --(segments_[index_.at(end(run))].*what);
    }
  }
  void accumulate(std::uint32_t Segment::*what) {
    for (std::size_t i = 1; i < segments_.size(); ++i) segments_[i].*what += segments_[i - 1].*what;
  }

  /// For each border the number of chunks before it for which `holds`.
  template <typename F>
  std::vector<std::uint64_t> prefix(F holds) const {
    std::vector<std::uint64_t> sums(segments_.size() + 1, 0);
    for (std::size_t i = 0; i < segments_.size(); ++i)
      sums[i + 1] = sums[i] + (holds(segments_[i]) ? length(i) : 0);
    return sums;
  }
  std::uint64_t sum(const std::vector<std::uint64_t>& prefix, const Runs& runs) const {
    std::uint64_t total = 0;
    for (const Run run : runs) total += prefix[index_.at(end(run))] - prefix[index_.at(run.first)];
    return total;
  }

  Runs kept(Rank rank) const {
    const auto found = kept_.find(rank);
    return found == kept_.end() ? Runs() : Runs(found->second);
  }

  const Problem& problem_;
  std::map<Rank, std::vector<Run>> kept_;  ///< what a rank starts with and wants
  std::vector<Segment> segments_;
  SegmentIndex index_;
};

}  // namespace

Demand custom_demand(const Problem& problem) { return Counts(problem).demand(); }

}  // namespace schedcc
