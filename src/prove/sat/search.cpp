#include "prove/sat/search.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include <fmt/core.h>

#include "prove/sat/certificate.hpp"
#include "schedcc/error.hpp"

namespace schedcc::prover {

namespace {

/// The answer of an algorithm, or of `known` where that is better; the schedule has `steps` steps.
/// Unknown if there is none.
Decision constructed(const Question& question, const SolverLimits& limits, std::uint64_t& steps,
                     const std::optional<Construction>& known) {
  const auto start = SolverLimits::Clock::now();
  Decision decision;
  std::optional<Construction> found = best_construction(question, limits);
  if (known && (!found || known->steps < found->steps)) found = known;
  if (found) {
    decision.answer = Answer::sat;
    decision.schedule = std::move(found->schedule);
    decision.construction = std::move(found->name);
    steps = found->steps;
  }
  decision.seconds = std::chrono::duration<double>(SolverLimits::Clock::now() - start).count();
  return decision;
}

class Search {
 public:
  Search(Question question, const SearchOptions& options, std::vector<SearchResult>& tried)
      : question_(std::move(question)), options_(options), tried_(tried) {}

  /// Decides one question, within `seconds` if that is given.
  Decision decide_steps_and_rounds(std::uint64_t steps, std::optional<std::uint64_t> rounds,
                                   std::optional<double> seconds = std::nullopt) {
    question_.steps = steps;
    question_.rounds = rounds;
    SolverLimits limits = options_.limits;
    if (seconds) {
      const auto then =
          SolverLimits::Clock::now() + std::chrono::duration_cast<SolverLimits::Clock::duration>(
                                           std::chrono::duration<double>(*seconds));
      limits.deadline = limits.deadline ? std::min(*limits.deadline, then) : then;
    }
    if (options_.before) options_.before(question_);
    Decision decision = decide(limits);
    exhausted_ |= decision.exhausted;
    record(decision);
    return decision;
  }

  /// Answers with the schedule of an algorithm, or with a known one, with which `steps` is its
  /// number of steps. Unknown if there is none.
  Decision construct(std::uint64_t& steps, const std::optional<Construction>& known) {
    question_.steps = steps;
    if (options_.before) options_.before(question_);
    Decision decision = constructed(question_, options_.limits, steps, known);
    question_.steps = steps;
    if (decision.answer == Answer::sat) record(decision);
    return decision;
  }

  /// Answers with a known schedule.
  void record_known(const Construction& known, std::uint64_t rounds) {
    question_.steps = known.steps;
    question_.rounds = rounds;
    if (options_.before) options_.before(question_);
    Decision decision;
    decision.answer = Answer::sat;
    decision.schedule = known.schedule;
    decision.construction = known.name;
    record(decision);
  }

  /// Has it been refuted that this number of steps shares this number of rounds? (A step takes at
  /// least one, so there are no more steps than rounds.)
  bool refuted(std::uint64_t steps, std::uint64_t rounds) {
    steps = std::min(steps, rounds);
    const bool known = std::ranges::any_of(tried_, [&](const SearchResult& entry) {
      return entry.chunks == question_.problem.chunks && entry.steps == steps &&
             entry.rounds.value_or(entry.steps) == rounds && entry.answer == Answer::unsat;
    });
    return known || decide_steps_and_rounds(steps, rounds).answer == Answer::unsat;
  }

  /// A question ran out of memory: larger ones will, too.
  bool exhausted() const { return exhausted_; }
  bool over() const { return exhausted_ || options_.limits.reached(); }

 private:
  void record(const Decision& decision) {
    tried_.push_back(tried(question_, decision));
    if (options_.after) options_.after(tried_.back());
  }
  /// Too many steps end the search, but keep the known results.
  Decision decide(const SolverLimits& limits) const {
    try {
      return prover::decide(question_, options_.solvers, limits, {},
                            options_.certificate(question_));
    } catch (const InstanceTooLarge& error) {
      if (tried_.empty()) throw;
      Decision decision;
      decision.exhausted = true;
      decision.limit = error.what();
      return decision;
    }
  }

  Question question_;
  const SearchOptions& options_;
  std::vector<SearchResult>& tried_;
  bool exhausted_ = false;
};

/// Calls `visit` with each chunk, a node that wants it, and the nodes where it, or one contribution
/// to it, starts.
template <typename Visit>
void for_each_delivery(const Problem& problem, const Visit& visit) {
  const std::vector<Delivery> chunks = deliveries(problem);
  for (Chunk c = 0; c < chunks.size(); ++c) {
    const std::span<const Rank> sources = chunks[c].sources;
    for (const Rank goal : chunks[c].goals) {
      if (!chunks[c].reduced || sources.empty()) visit(c, sources, goal);
      for (std::size_t i = 0; chunks[c].reduced && i < sources.size(); ++i) {
        if (requires_contribution(problem, goal, sources[i])) visit(c, sources.subspan(i, 1), goal);
      }
    }
  }
}

Instance without_steps(Question question) {
  question.steps = 0;
  return make_instance(question, false);
}

/// Steps of any length: the least distance of chunks.
std::uint64_t farthest(const Question& question) {
  const Instance instance = without_steps(question);
  std::uint64_t result = 0;
  for_each_delivery(question.problem, [&](Chunk, std::span<const Rank> sources, Rank goal) {
    result = std::max(result, instance.nearest(sources, goal).value_or(0));
  });
  return result;
}

}  // namespace

SearchResult tried(const Question& question, const Decision& decision) {
  return {question.steps,        question.rounds,  question.problem.chunks, decision.answer,
          decision.seconds,      decision.refuted, decision.exhausted,      decision.limit,
          decision.construction, decision.basis};
}

CertificateOptions SearchOptions::certificate(const Question& question) const {
  if (certificates.empty()) return {};
  return {fmt::format("{}/{}", certificates, certificate_name(question)), announce};
}

std::optional<Unreachable> unreachable(const Question& question) {
  Question waiting = question;  // with switches as nodes; a route is a path as well
  waiting.waiting = true;
  const Instance instance = without_steps(std::move(waiting));
  std::optional<Unreachable> result;
  for_each_delivery(question.problem, [&](Chunk chunk, std::span<const Rank> sources, Rank goal) {
    if (result || instance.nearest(sources, goal)) return;
    result = {chunk, {sources.begin(), sources.end()}, goal, {}};
    for (Rank v = 0; v < instance.nodes; ++v) {
      if (instance.nearest(sources, v)) result->reached.push_back(v);
    }
  });
  return result;
}

Decision decide_steps(const Question& question, const SearchOptions& options) {
  constexpr std::uint64_t few = 16;  // up to this number all are decided
  const auto start = SolverLimits::Clock::now();
  const auto decided = [&](std::uint64_t steps, const SolverLimits& limits,
                           const CertificateOptions& certificate) {
    Question with_steps = question;
    with_steps.steps = steps;
    Decision decision = decide(with_steps, options.solvers, limits, {}, certificate);
    decision.seconds = std::chrono::duration<double>(SolverLimits::Clock::now() - start).count();
    return decision;
  };
  if (options.constructions && counted_bound(question).steps.value_or(0) <= question.steps) {
    std::uint64_t steps = 0;
    Decision decision = constructed(question, options.limits, steps, std::nullopt);
    if (decision.answer == Answer::sat && steps <= question.steps) return decision;
  }
  const std::uint64_t nearest = std::max(farthest(question), few);
  for (std::uint64_t steps = nearest; steps < question.steps / 2; steps *= 2) {
    SolverLimits limits = options.limits;
    const auto then = SolverLimits::Clock::now() + std::chrono::seconds(2);
    limits.deadline = std::min(limits.deadline.value_or(then), then);
    try {
      Decision decision = decided(steps, limits, {});
      if (decision.answer == Answer::sat) return decision;
      if (decision.exhausted || options.limits.reached()) break;
    } catch (const InstanceTooLarge&) {
      break;
    }
  }
  return decided(question.steps, options.limits, options.certificate(question));
}

Interval least_steps(const Question& question, const SearchOptions& options,
                     std::optional<std::uint64_t> bound, const std::optional<Construction>& known) {
  Interval result;
  result.counted = bound.has_value();
  result.least = bound.value_or(0);
  Search search(question, options, result.tried);
  const auto found = [&](std::uint64_t steps, const Decision& decision) {
    if (result.most && steps >= *result.most) return;
    result.most = steps;
    result.schedule = decision.schedule;
  };
  // Looks for the schedule of an algorithm, once.
  bool open = options.constructions;
  const auto construct = [&] {
    if (!std::exchange(open, false)) return;
    std::uint64_t steps = result.least;
    const Decision decision = search.construct(steps, known);
    if (decision.answer == Answer::sat) found(steps, decision);
  };
  const std::uint64_t counted = counted_bound(question).steps.value_or(0);
  const auto try_steps = [&](std::uint64_t steps, double seconds) {
    const Decision decision = search.decide_steps_and_rounds(steps, question.rounds, seconds);
    if (decision.answer == Answer::sat) found(steps, decision);
    if (decision.answer == Answer::unsat && steps >= result.least) {
      result.least = steps + 1;
      result.counted = false;
    }
    return decision.answer;
  };
  if (unreachable(question)) {
    throw InputError(fmt::format("on machine '{}' some chunks have no path to their destinations",
                                 question.machine.spec()));
  }
  // If chunks must go very far, smaller numbers of steps are refuted together: feasibility is
  // monotone.
  constexpr std::uint64_t very_far = 1000;
  if (const std::uint64_t least = farthest(question); least > very_far && least > result.least) {
    try_steps(least - 1, 10);
  }
  for (double seconds = 10; !result.decided() && !search.over();) {
    result.none = question.rounds && result.least > *question.rounds;
    if (result.none) break;
    if (open && result.least >= counted) {
      construct();
      continue;
    }
    if (try_steps(result.least, seconds) != Answer::unknown) continue;
    construct();
    // Not decided within its share of time: try larger numbers.
    for (std::uint64_t more = 1; !search.over(); more *= 2) {
      const std::uint64_t steps = (Saturating(result.least) + more).value();
      if ((result.most && steps >= *result.most) || (question.rounds && steps > *question.rounds)) {
        break;
      }
      if (try_steps(steps, seconds) == Answer::sat) break;
    }
    seconds *= 2;
  }
  result.exhausted = search.exhausted();
  return result;
}

namespace {

/// Visits the numbers of chunks.
class FrontierSearch {
 public:
  FrontierSearch(const Question& question, const SearchOptions& options)
      : question_(question), options_(options) {}

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
    const Interval single = least_steps(question, options_, std::nullopt, in_sequence(question));
    if (single.schedule) {
      singles_.push_back({question.problem.chunks, *single.most, single.schedule});
    }
    result_.tried.insert(result_.tried.end(), single.tried.begin(), single.tried.end());
    exhausted_ |= single.exhausted;
    const std::uint64_t chunks = question.problem.chunks;
    if (!single.decided()) {
      result_.open.push_back({chunks, std::nullopt, single.least, single.most});
    } else if (question.machine.has_rounds()) {
      add_rounds_frontier(question, single.least);
    } else {
      result_.optima.push_back({chunks, single.least, single.least, single.schedule});
    }
  }

  /// Steps of several rounds. With one round for each step all rounds are useful: that takes
  /// `fewest` rounds, the least possible.
  void add_rounds_frontier(const Question& question, std::uint64_t fewest) {
    Search search(question, options_, result_.tried);
    // One step less than these is not enough, with any number of rounds.
    std::uint64_t steps = farthest(question);
    for (std::optional<std::uint64_t> rounds; !rounds || *rounds > fewest; ++steps) {
      const auto optimum = least_rounds(search, question, steps, fewest);
      if (!optimum) return;
      if (!rounds || optimum->rounds < *rounds) {
        result_.optima.push_back(*optimum);
        bool& refuted = result_.optima.back().refuted;
        if (steps > 0) refuted &= search.refuted(steps - 1, optimum->rounds);
        if (steps > 0) refuted &= search.refuted(steps, optimum->rounds - 1);
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
    Construction result = joined(best->first, best->second, false);
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
    CombinedOptima result{joined(part(best->first), part(best->second), true),
                          rounds(best->first, best->second)};
    question.steps = result.parts.steps;
    question.rounds = result.rounds;
    accept(question, result.parts.schedule);
    return result;
  }

  /// The least rounds that a number of steps can share, at least `least`; none if undecided.
  std::optional<Optimum> least_rounds(Search& search, const Question& question, std::uint64_t steps,
                                      std::uint64_t least) {
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
  const SearchOptions& options_;
  Frontier result_;
  std::vector<PartialSchedule> singles_;  ///< of steps with one round each
  bool exhausted_ = false;
};

}  // namespace

Frontier frontier(const Question& question, const SearchOptions& options) {
  return FrontierSearch(question, options).run();
}

}  // namespace schedcc::prover
