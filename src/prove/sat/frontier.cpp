// The frontier: for each number of chunks in turn the least steps and, on machines with rounds, the
// least rounds for each number of steps. Two schedules of fewer chunks, one after the other or at
// once, make one of as many chunks as both.

#include <algorithm>
#include <utility>

#include "prove/sat/question_search.hpp"
#include "prove/sat/search.hpp"

namespace schedcc::prover {

namespace {

/// Visits the numbers of chunks.
class FrontierSearch {
 public:
  FrontierSearch(const Question& question, SearchOptions options, bool assume_bound)
      : question_(question), options_(std::move(options)), assume_bound_(assume_bound) {
    options_.parts = false;  // those that are known are put together here
  }

  Frontier run() {
    for (std::uint32_t chunks = 1; chunks <= question_.problem.chunks; ++chunks) {
      if (options_.limits.reached()) {
        result_.untried = chunks;
        break;
      }
      Question question = question_;
      question.problem.chunks = chunks;
      entries(question);
      if (exhausted_ && chunks < question_.problem.chunks) {
        result_.untried = chunks + 1;
        break;
      }
    }
    return std::move(result_);
  }

 private:
  /// The entries of a number of chunks.
  void entries(const Question& question) {
    std::optional<std::uint64_t> assumed;
    if (assume_bound_) {
      if (const auto bound = bound_to_assume(question)) assumed = bound->steps;
    }
    const Interval single = least_steps(question, options_, assumed, in_sequence(question));
    if (single.schedule) {
      singles_.push_back({question.problem.chunks, *single.most, single.schedule});
    }
    result_.tried.insert(result_.tried.end(), single.tried.begin(), single.tried.end());
    exhausted_ |= single.exhausted;
    const std::uint64_t chunks = question.problem.chunks;
    if (!single.decided()) {
      result_.open.push_back({chunks, std::nullopt, single.least, single.most, single.counted});
    } else if (question.machine.has_rounds()) {
      add_rounds_frontier(question, single.least, single.counted);
    } else {
      result_.optima.push_back(
          {chunks, single.least, single.least, single.schedule, true, single.counted});
    }
  }

  /// Steps of several rounds. With one round for each step all rounds are useful: that takes
  /// `fewest` rounds, the least possible; `counted`: by counting.
  void add_rounds_frontier(const Question& question, std::uint64_t fewest, bool counted) {
    QuestionSearch search(question, options_, result_.tried);
    // One step less than these is not enough, with any number of rounds.
    std::uint64_t steps = farthest(question);
    for (std::optional<std::uint64_t> rounds; !rounds || *rounds > fewest; ++steps) {
      const auto optimum = least_rounds(search, question, steps, fewest);
      if (!optimum) return;
      if (!rounds || optimum->rounds < *rounds) {
        result_.optima.push_back(*optimum);
        Optimum& added = result_.optima.back();
        added.counted = counted && added.rounds == fewest;
        if (steps > 0) added.refuted &= search.refuted(steps - 1, added.rounds);
        if (steps > 0 && !added.counted) added.refuted &= search.refuted(steps, added.rounds - 1);
      }
      rounds = std::min(rounds.value_or(optimum->rounds), optimum->rounds);
    }
  }

  /// Calls `visit` with each two of some schedules that have `chunks` chunks together.
  template <typename Schedules, typename Visit>
  static void for_each_pair(const Schedules& schedules, std::uint64_t chunks, const Visit& visit) {
    for (const auto& a : schedules) {
      for (const auto& b : schedules) {
        if (a.chunks >= b.chunks && a.chunks + b.chunks == chunks) visit(a, b);
      }
    }
  }

  /// The schedule of fewest steps in which two of fewer chunks follow one another; none on LogP,
  /// where the calls of one continue while others begin.
  std::optional<Construction> in_sequence(Question question) const {
    std::optional<std::pair<PartialSchedule, PartialSchedule>> best;
    for_each_pair(singles_, question.problem.chunks,
                  [&](const PartialSchedule& a, const PartialSchedule& b) {
                    if (!best || a.steps + b.steps < best->first.steps + best->second.steps)
                      best.emplace(a, b);
                  });
    if (!best || question.machine.timing() || !options_.constructions) return std::nullopt;
    Construction result = joined_in_sequence(best->first, best->second);
    question.steps = result.steps;
    accept(question, result.schedule);
    return result;
  }

  struct CombinedOptima {
    Construction parts;
    std::uint64_t rounds;
  };
  /// The schedule of fewest rounds in which two of fewer chunks share these steps.
  std::optional<CombinedOptima> at_once(Question question, std::uint64_t steps) const {
    std::optional<std::pair<Optimum, Optimum>> best;
    const auto rounds = [](const auto& a, const auto& b) { return a.rounds + b.rounds; };
    for_each_pair(result_.optima, question.problem.chunks, [&](const Optimum& a, const Optimum& b) {
      if (std::max(a.steps, b.steps) > steps) return;
      if (!best || rounds(a, b) < rounds(best->first, best->second)) best.emplace(a, b);
    });
    if (!best || !options_.constructions) return std::nullopt;
    const auto part = [](const Optimum& o) {
      return PartialSchedule{o.chunks, o.steps, o.schedule};
    };
    CombinedOptima result{joined_at_once(part(best->first), part(best->second)),
                          rounds(best->first, best->second)};
    question.steps = result.parts.steps;
    question.rounds = result.rounds;
    accept(question, result.parts.schedule);
    return result;
  }

  /// The least rounds that a number of steps can share, at least `least`; none if undecided.
  std::optional<Optimum> least_rounds(QuestionSearch& search, const Question& question,
                                      std::uint64_t steps, std::uint64_t least) {
    const std::uint64_t chunks = question.problem.chunks;
    const std::optional<CombinedOptima> known = at_once(question, steps);
    for (std::uint64_t rounds = std::max(least, steps);; ++rounds) {
      if (known && known->rounds <= rounds) {
        search.record_known(known->parts, known->rounds);
        return Optimum{chunks, known->parts.steps, known->rounds, known->parts.schedule};
      }
      const Decision decision = search.decide_steps_and_rounds(steps, rounds);
      if (decision.answer == Answer::sat) return Optimum{chunks, steps, rounds, decision.schedule};
      if (decision.answer == Answer::unsat) continue;
      result_.open.push_back({chunks, steps, rounds, std::nullopt});
      return std::nullopt;
    }
  }

  const Question& question_;
  SearchOptions options_;
  bool assume_bound_;
  Frontier result_;
  std::vector<PartialSchedule> singles_;  ///< of steps with one round each
  bool exhausted_ = false;
};

}  // namespace

Frontier frontier(const Question& question, const SearchOptions& options, bool assume_bound) {
  return FrontierSearch(question, options, assume_bound).run();
}

}  // namespace schedcc::prover
