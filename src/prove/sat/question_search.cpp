#include "prove/sat/question_search.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include <fmt/core.h>

#include "core/elapsed.hpp"
#include "prove/sat/certificate.hpp"

namespace schedcc::prover {

namespace {

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
  return make_instance(question);
}

}  // namespace

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
  decision.seconds = seconds_since(start);
  return decision;
}

std::uint64_t farthest(const Question& question) {
  const Instance instance = without_steps(question);
  std::uint64_t result = 0;
  for_each_delivery(question.problem, [&](Chunk, std::span<const Rank> sources, Rank goal) {
    result = std::max(result, instance.nearest(sources, goal).value_or(0));
  });
  return result;
}

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

}  // namespace schedcc::prover
