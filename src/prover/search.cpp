#include "prover/search.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "schedcc/error.hpp"

namespace schedcc::prover {

namespace {

class Search {
 public:
  Search(Question question, const SearchOptions& options, std::vector<Try>& tried)
      : question_(std::move(question)), options_(options), tried_(tried) {}

  /// Decides one question, within `seconds` if that is given.
  Decision ask(std::uint64_t steps, std::optional<std::uint64_t> rounds,
               std::optional<double> seconds = std::nullopt) {
    question_.steps = steps;
    question_.rounds = rounds;
    Limits limits = options_.limits;
    if (seconds) {
      const auto then = Limits::Clock::now() + std::chrono::duration_cast<Limits::Clock::duration>(
                                                   std::chrono::duration<double>(*seconds));
      limits.deadline = limits.deadline ? std::min(*limits.deadline, then) : then;
    }
    if (options_.before) options_.before(question_);
    Decision decision = decide(question_, options_.solvers, limits, {}, certificate());
    tried_.push_back({steps, rounds, question_.problem.chunks, decision.answer, decision.seconds});
    if (options_.after) options_.after(tried_.back());
    return decision;
  }

  /// Sees to it that it is among what was tried that so many steps and rounds are not enough. (A
  /// step takes at least one round, and there is at least one step.)
  void refute(Frontier& frontier, std::uint64_t steps, std::uint64_t rounds) {
    if (steps == 0 || rounds < steps) return;
    const bool known = std::ranges::any_of(tried_, [&](const Try& entry) {
      return entry.chunks == question_.problem.chunks && entry.steps == steps &&
             entry.rounds == rounds && entry.answer == Answer::unsat;
    });
    if (!known) frontier.complete &= ask(steps, rounds).answer == Answer::unsat;
  }

  bool over() const { return options_.limits.reached(); }

 private:
  std::string certificate() const {
    if (options_.certificates.empty()) return {};
    return certificate_path(options_.certificates, question_);
  }

  Question question_;
  const SearchOptions& options_;
  std::vector<Try>& tried_;
};

/// The least rounds that so many steps can share, from `least` on; none if it was not decided.
std::optional<Optimum> least_rounds(Search& search, std::uint64_t chunks, std::uint64_t steps,
                                    std::uint64_t least) {
  for (std::uint64_t rounds = std::max(least, steps);; ++rounds) {
    const Decision decision = search.ask(steps, rounds);
    if (decision.answer == Answer::unknown) return std::nullopt;
    if (decision.answer == Answer::sat) return Optimum{chunks, steps, rounds, decision.schedule};
  }
}

/// Steps of any length: how far chunks must go.
std::uint64_t farthest(const Question& question) {
  const Instance instance = make_instance(question, false);
  std::uint64_t result = 0;
  for (const Delivery& chunk : deliveries(question.problem)) {
    for (const Rank goal : chunk.goals) {
      for (const Rank source : chunk.sources) {
        if (question.problem.collective == Collective::scan && source > goal) continue;
        if (question.problem.collective == Collective::exscan && source >= goal) continue;
        result = std::max(result, instance.distance[source][goal]);
      }
    }
  }
  return result;
}

}  // namespace

Interval least_steps(const Question& question, const SearchOptions& options,
                     std::optional<std::uint64_t> bound) {
  Interval result;
  result.counted = bound.has_value();
  result.least = bound.value_or(1);
  if (question.problem.ranks == 1) {
    result.least = 0;
    result.most = 0;
    result.schedule = std::make_shared<Schedule>();
    return result;
  }
  Search search(question, options, result.tried);
  const auto ask = [&](std::uint64_t steps, double seconds) {
    const Decision decision = search.ask(steps, question.rounds, seconds);
    if (decision.answer == Answer::sat && (!result.most || steps < *result.most)) {
      result.most = steps;
      result.schedule = decision.schedule;
    }
    if (decision.answer == Answer::unsat && steps >= result.least) {
      result.least = steps + 1;
      result.counted = false;
    }
    return decision.answer;
  };
  if (farthest(question) == Instance::far) {
    throw InputError(fmt::format("on machine '{}' some chunks have no way to where they must go",
                                 question.machine.spec));
  }
  for (double patience = 10; !result.decided() && !search.over();) {
    result.none = question.rounds && result.least > *question.rounds;
    if (result.none) break;
    if (ask(result.least, patience) != Answer::unknown) continue;
    // Too hard for now: is there anything further up?
    for (std::uint64_t more = 1; !search.over(); more *= 2) {
      const std::uint64_t steps = result.least + more;
      if (steps >= std::min(result.most.value_or(UINT64_MAX),
                            question.rounds ? *question.rounds + 1 : UINT64_MAX)) {
        break;
      }
      if (ask(steps, patience) == Answer::sat) break;
    }
    patience *= 2;
  }
  return result;
}

Frontier frontier(const Question& question, const SearchOptions& options) {
  Frontier result;
  for (std::uint32_t chunks = 1; chunks <= question.problem.chunks; ++chunks) {
    Question asked = question;
    asked.problem.chunks = chunks;
    Search search(asked, options, result.tried);
    if (!asked.machine.topology) {
      const Interval interval = least_steps(asked, options);
      result.tried.insert(result.tried.end(), interval.tried.begin(), interval.tried.end());
      result.complete &= interval.decided();
      if (interval.decided()) {
        result.optima.push_back({chunks, interval.least, interval.least, interval.schedule});
      }
      continue;
    }
    // With a round for each step all rounds are of use: as few as there can be.
    const Interval single = least_steps(asked, options);
    result.tried.insert(result.tried.end(), single.tried.begin(), single.tried.end());
    if (!single.decided()) {
      result.complete = false;
      continue;
    }
    asked.steps = 0;
    std::uint64_t steps = farthest(asked);
    // One step less is not enough, however many rounds there are.
    for (std::uint64_t rounds = UINT64_MAX; rounds > single.least; ++steps) {
      const auto optimum = least_rounds(search, chunks, steps, single.least);
      if (!optimum) {
        result.complete = false;
        break;
      }
      if (optimum->rounds < rounds) {
        search.refute(result, steps - 1, optimum->rounds);
        search.refute(result, steps, optimum->rounds - 1);
        result.optima.push_back(*optimum);
      }
      rounds = std::min(rounds, optimum->rounds);
    }
  }
  return result;
}

}  // namespace schedcc::prover
