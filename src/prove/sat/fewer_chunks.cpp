// Where a bound grows with the number of chunks K, as that of an alltoall or an allgather does, a
// schedule for K chunks that meets it may consist of schedules for fewer, one after another: each
// moves its chunks of every block. The least steps of sums are a knapsack over the parts. Parts
// have few chunks, whose questions are small; one is solved only if lower bounds admit that a sum
// with it is short enough, and the search ends with the first sum that is. So nothing is looked for
// where pipelines are shorter than sums: a broadcast of K chunks takes K - 1 steps more than one of
// one.
//
// Where the steps have several rounds, a schedule of half of the chunks in half of the rounds,
// twice at once, is one of all. It may have fewer steps than the question: a step with several
// rounds can be cut into several steps, up to one for each round.

#include "prove/sat/fewer_chunks.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "prove/sat/question/instance.hpp"
#include "prove/sat/searches.hpp"

namespace schedcc::prover {

namespace {

/// The largest parts: larger questions take long.
constexpr std::uint32_t max_part = 4;

/// Some of the time that is left, for a part.
SolverLimits limits_of_part(SolverLimits limits) {
  const auto now = SolverLimits::Clock::now();
  auto then = now + std::chrono::seconds(10);
  if (limits.deadline) then = std::min(then, now + (*limits.deadline - now) / 4);
  limits.deadline = then;
  return limits;
}

/// The least sums of parts, of which each has a number of steps.
class Sums {
 public:
  explicit Sums(std::uint64_t chunks) : steps_(chunks + 1, Saturating::max), last_(chunks + 1) {
    steps_[0] = 0;
  }

  /// Admits parts of so many chunks, in so many steps.
  void add(std::uint32_t part, std::uint64_t steps) {
    for (std::uint64_t k = part; k < steps_.size(); ++k) {
      const Saturating sum = steps_[k - part] + steps;
      if (sum >= steps_[k]) continue;
      steps_[k] = sum;
      last_[k] = part;
    }
  }
  /// Those of the least sum for so many chunks.
  Saturating steps(std::uint64_t chunks) const { return steps_[chunks]; }
  /// The parts of the least sum for all chunks, the largest first.
  std::vector<std::uint32_t> parts() const {
    std::vector<std::uint32_t> result;
    for (std::uint64_t k = steps_.size() - 1; k > 0; k -= last_[k]) result.push_back(last_[k]);
    std::ranges::sort(result, std::greater<>());
    return result;
  }

 private:
  std::vector<Saturating> steps_;    ///< by number of chunks
  std::vector<std::uint32_t> last_;  ///< the last part of each sum
};

/// "2 + 2 + 1 chunks", "5 * 4 + 1 chunks".
std::string name_of(const std::vector<std::uint32_t>& parts) {
  constexpr std::ptrdiff_t few = 4;
  std::string result;
  for (auto at = parts.begin(); at != parts.end();) {
    const auto end = std::find_if(at, parts.end(), [&](std::uint32_t k) { return k != *at; });
    const auto next = end - at > few ? end : at + 1;
    if (!result.empty()) result += " + ";
    result += end - at > few ? fmt::format("{} * {}", end - at, *at) : std::to_string(*at);
    at = next;
  }
  return result + " chunks";
}

class Composition {
 public:
  Composition(const Question& question, const SearchOptions& options)
      : question_(question),
        options_(options),
        all_(question.problem.chunks),
        solved_(max_part + 1),
        bounds_(max_part + 1) {
    for (std::uint32_t k = 1; k <= max_part; ++k) {
      bounds_[k] = counted_bound(part(k)).steps.value_or(0);
    }
  }

  std::optional<Construction> run() {
    for (std::uint32_t k = 1; k <= std::min(max_part, all_ - 1); ++k) {
      if (options_.limits.reached()) return std::nullopt;
      if (!may_help(k)) continue;
      solve(k);
      const Sums sums = sums_of([&](std::uint32_t i) { return solved_[i].steps; });
      if (sums.steps(all_) <= question_.steps) return put_together(sums.parts());
    }
    return std::nullopt;
  }

 private:
  Question part(std::uint32_t chunks) const {
    Question result = question_;
    result.problem.chunks = chunks;
    return result;
  }

  /// The least sums; `steps(k)` are those of part k, 0 if there is none.
  template <typename Steps>
  Sums sums_of(const Steps& steps) const {
    Sums sums(all_);
    for (std::uint32_t k = 1; k <= std::min(max_part, all_ - 1); ++k) {
      if (steps(k) > 0) sums.add(k, steps(k));
    }
    return sums;
  }

  /// Do lower bounds admit a short sum with this part, of those that are solved and later ones?
  bool may_help(std::uint32_t next) const {
    const Sums rest =
        sums_of([&](std::uint32_t k) { return k < next ? solved_[k].steps : bounds_[k]; });
    return rest.steps(all_ - next) + bounds_[next] <= question_.steps;
  }

  /// The schedule for a part, if one is found soon.
  void solve(std::uint32_t chunks) {
    SearchOptions options{options_.solvers, limits_of_part(options_.limits)};
    options.constructions = true;
    options.parts = false;
    const Interval found = least_steps(part(chunks), options, bounds_[chunks]);
    if (found.schedule) solved_[chunks] = {chunks, *found.most, found.schedule};
  }

  Construction put_together(const std::vector<std::uint32_t>& parts) const {
    PartialSchedule sum = solved_[parts.front()];
    for (std::size_t i = 1; i < parts.size(); ++i) {
      const PartialSchedule& next = solved_[parts[i]];
      const Construction both = joined_in_sequence(sum, next);
      sum = {sum.chunks + next.chunks, both.steps, both.schedule};
    }
    accept(question_, sum.schedule);
    return {name_of(parts), sum.schedule, sum.steps};
  }

  const Question& question_;
  const SearchOptions& options_;
  std::uint32_t all_;
  std::vector<PartialSchedule> solved_;  ///< by number of chunks; no steps if there is none
  std::vector<std::uint64_t> bounds_;    ///< on its steps
};

/// A schedule of half of the chunks in half of the rounds, twice at once. If it is not found soon,
/// one with a step less may be.
std::optional<Construction> halves_at_once(const Question& question, const SearchOptions& options) {
  constexpr int tries = 2;
  Question half = question;
  half.problem.chunks /= 2;
  *half.rounds /= 2;
  if (half.problem.chunks * 2 != question.problem.chunks) return std::nullopt;
  half.steps = std::min(half.steps, *half.rounds);
  for (int i = 0; i < tries && half.steps > 0; ++i, --half.steps) {
    SearchOptions half_options{options.solvers, limits_of_part(options.limits)};
    half_options.constructions = true;
    const Decision found = decide_steps(half, half_options);
    if (found.answer == Answer::unsat) break;
    if (found.answer == Answer::unknown) continue;
    const PartialSchedule part{half.problem.chunks, half.steps, found.schedule};
    Construction result = joined_at_once(part, part);
    accept(question, result.schedule);
    return result;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Construction> from_fewer_chunks(const Question& question,
                                              const SearchOptions& options) {
  constexpr std::uint32_t max_chunks = 1 << 16;  // more parts take long to put together
  const std::uint32_t chunks = question.problem.chunks;
  if (chunks < 2 || chunks > max_chunks || question.problem.declared()) return std::nullopt;
  if (question.machine.timing()) return std::nullopt;
  if (question.rounds) return halves_at_once(question, options);
  return Composition(question, options).run();
}

std::optional<Construction> soon_found(Question question, const SolverLimits& limits) {
  constexpr std::uint64_t effort = 20'000;
  if (!question.machine.ports()) return std::nullopt;
  const auto search = [&](std::uint64_t steps) -> std::optional<Construction> {
    question.steps = steps;
    const PreparedQuestion prepared(question);
    if (prepared.clauses_refusal()) return std::nullopt;
    Decision found = search_packets(prepared, limits, effort);
    if (found.answer != Answer::sat) return std::nullopt;
    return Construction{std::move(found.construction), std::move(found.schedule), steps};
  };
  const std::uint64_t least = question.steps;
  std::optional<Construction> best = search(least);
  if (best) return best;
  for (std::uint64_t more = std::max<std::uint64_t>(least, 1); more > 0; more /= 2) {
    auto found = search((Saturating(least) + more).value());
    if (!found) break;
    best = std::move(found);
  }
  return best;
}

}  // namespace schedcc::prover
