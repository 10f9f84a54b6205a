// The reverse of a schedule, and of its problem.

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "algorithm/composition/composition.hpp"
#include "model/algebra.hpp"
#include "model/runs.hpp"
#include "schedcc/transform.hpp"
#include "transform/rows.hpp"

namespace schedcc {

namespace {

[[noreturn]] void no_reverse(const std::string& why) {
  throw InputError("the schedule has no reverse: " + why);
}

/// An allreduce, and a custom collective, may have a reverse of its own kind, which its transfers
/// decide.
Collective reversed_collective(Collective collective) {
  if (collective == Collective::allreduce || collective == Collective::custom) return collective;
  if (const auto other = reversed(collective)) return *other;
  no_reverse("no collective's schedules are those of " + std::string(info(collective).name) +
             " backwards");
}

/// The runs of chunks with the same starts and goals, by their first chunks, each with the ranks
/// that end with it.
std::map<Chunk, std::vector<Rank>> goals_by_chunk(const Problem& problem) {
  std::map<Chunk, std::vector<Rank>> result;
  problem.for_each_goal([&](Rank rank, const Runs& runs) {
    for (const Run run : runs) {
      for (std::uint64_t chunk = run.first; chunk < end(run);
           chunk = problem.same_until(static_cast<Chunk>(chunk)))
        result[static_cast<Chunk>(chunk)].push_back(rank);
    }
  });
  return result;
}

std::vector<Rank> ranks_of(const Intervals& intervals) {
  std::vector<Rank> result;
  for (const auto& [first, last] : intervals)
    for (std::uint64_t rank = first; rank <= last; ++rank)
      result.push_back(static_cast<Rank>(rank));
  return result;
}

/// The reverse of a custom problem.
Problem reversed_custom(const Problem& problem) {
  Lines pre, post;
  for (const auto& [first, goals] : goals_by_chunk(problem)) {
    const std::uint64_t until =
        std::min<std::uint64_t>(problem.same_until(first), problem.total_chunks());
    const Run run{first, static_cast<std::uint32_t>(until - first)};
    const std::vector<Rank> starts = ranks_of(problem.holders(first));
    const std::string chunk = "chunk " + std::to_string(first);
    if (problem.reduced(first)) {
      if (goals.size() > 1) no_reverse(chunk + " ends as a sum at several ranks");
      pre.add(goals.front(), run);
      for (const Rank rank : starts) post.add(rank, run);
      continue;
    }
    if (starts.size() != 1)
      no_reverse(chunk + " starts at " + std::to_string(starts.size()) + " ranks");
    for (const Rank rank : goals) pre.add(rank, run);
    post.add(starts.front(), run, goals.size() > 1);
  }
  return custom_problem(
      problem.ranks, problem.chunks, pre.holdings(), post.holdings(),
      problem.title().empty() ? "" : "reverse of " + std::string(problem.title()));
}

Problem reversed_problem(const Problem& problem) {
  const Collective collective = reversed_collective(problem.collective);
  if (problem.declared()) return reversed_custom(problem);
  Problem result = problem;
  result.collective = collective;
  result.ordered = problem.ordered && result.reduction();
  return result;
}

/// For each part of the chunks that no transfer divides: the first step in which it is copied.
class FirstCopies {
 public:
  explicit FirstCopies(const Schedule& schedule) {
    for (std::uint64_t row = 0; row < schedule.size(); ++row) {
      for (const Transfer& t : schedule[row].transfers) {
        borders_.push_back(t.first);
        borders_.push_back(std::uint64_t{t.first} + t.count);
      }
    }
    std::ranges::sort(borders_);
    borders_.erase(std::unique(borders_.begin(), borders_.end()), borders_.end());
    steps_.resize(borders_.size());
  }

  void copy(const Transfer& t, std::uint64_t step) {
    for_each_part(t, [&](std::size_t part) {
      if (!steps_[part]) steps_[part] = step;
    });
  }
  /// Throws InputError if a chunk was copied before.
  void reduce(const Transfer& t, std::uint64_t step) const {
    for_each_part(t, [&](std::size_t part) {
      if (!steps_[part]) return;
      no_reverse("it reduces chunk " + std::to_string(borders_[part]) + " in step " +
                 std::to_string(step) + ", and copies it in step " + std::to_string(*steps_[part]));
    });
  }

 private:
  template <typename F>
  void for_each_part(const Transfer& t, F f) const {
    const std::uint64_t end = std::uint64_t{t.first} + t.count;
    const auto first = std::ranges::lower_bound(borders_, std::uint64_t{t.first});
    for (auto part = static_cast<std::size_t>(first - borders_.begin()); borders_[part] < end;
         ++part)
      f(part);
  }

  std::vector<std::uint64_t> borders_;
  std::vector<std::optional<std::uint64_t>> steps_;
};

/// That no chunk is reduced in the step in which it is copied first, or later: the first phase
/// then becomes the second one, and the second the first.
void require_phases(const Schedule& schedule) {
  FirstCopies copies(schedule);
  bool any = false;
  for (std::uint64_t row = 0; row < schedule.size(); ++row) {
    const Step step = schedule[row];
    for (const Transfer& t : step.transfers) {
      if (t.reduce == 0) copies.copy(t, step.number);
      any |= t.reduce == 0;
    }
    for (const Transfer& t : step.transfers) {
      if (t.reduce != 0) copies.reduce(t, step.number);
    }
  }
  if (!any && schedule.size() > 0)
    no_reverse("an allreduce has one if it is a sequence, and this one has no copies");
}

/// Where the properties of a chunk that decide about its transfers in the reverse may change.
std::uint64_t next_kind(const Problem& problem, Chunk chunk) {
  if (problem.declared()) return problem.same_until(chunk);
  if (problem.collective != Collective::alltoall) return UINT64_MAX;
  return end_of_block(chunk, problem.chunks);
}

/// The transfer as it goes back.
Transfer turned(const Problem& before, const Problem& after, Transfer t) {
  const bool exists = t.first < after.total_chunks();
  if (before.collective == Collective::alltoall && exists)
    t.first = pair_exchanged(t.first, before.ranks, before.chunks);
  if (before.collective == Collective::allreduce) return sent_back(t, t.reduce == 0);
  if (before.declared()) return sent_back(t, exists && after.reduced(t.first));
  return sent_back(t, after.reduction());
}

}  // namespace

Source reversed(const Source& source) {
  const Problem after = reversed_problem(source.problem);
  const Schedule schedule = collect(*source.open());
  if (source.problem.collective == Collective::allreduce) require_phases(schedule);
  Rows rows;
  const std::uint64_t size = schedule.size();
  const std::uint64_t last = size == 0 ? 0 : schedule[size - 1].number;
  for (std::uint64_t row = size; row-- > 0;) {
    const Step step = schedule[row];
    rows.begin_step(last - step.number, step.rounds);
    for (const Transfer& t : step.transfers) {
      if (source.problem.collective == Collective::alltoall)
        rows.require_room(blocks_of(t, source.problem.chunks));
      for_each_piece(
          t, [&](Chunk chunk) { return next_kind(source.problem, chunk); },
          [&](const Transfer& piece) { rows.add(turned(source.problem, after, piece)); });
    }
  }
  return finished(after, rows, source.nodes, source.machine, "reverse(" + source.name + ")");
}

}  // namespace schedcc
