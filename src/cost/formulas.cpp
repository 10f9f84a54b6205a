// All formulas for the time of an algorithm: those that the papers print, and, if none of them is
// the same, the one that follows from the steps and the volume that the algorithm claims.

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "algorithm/entry.hpp"
#include "cost/claimed_time.hpp"
#include "cost/printed_formulas.hpp"
#include "schedcc/cost.hpp"

namespace schedcc {

namespace {

/// The request that made `problem`, with the parameters that were left open. A collective of the
/// algorithm's own has K chunks in each of its blocks.
Request request_for(const Algorithm& algorithm, const Spec& spec, const Problem& problem,
                    const Machine& machine) {
  Request request{problem, machine, spec.check(algorithm.parameters, spec.name)};
  if (AlgorithmEntry::of(algorithm).own_problem != nullptr) {
    request.problem = {
        .collective = problem.collective, .ranks = problem.ranks, .ordered = problem.ordered};
    request.problem.chunks = problem.chunks / algorithm.problem(request).chunks;
  }
  Spec full = spec;
  for (const auto& [name, value] : algorithm.chosen(request)) full.items.push_back({name, {value}});
  request.parameters = full.check(algorithm.parameters, spec.name);
  return request;
}

/// A sequence of parts for `problem` takes the sum of their times, if all of them claim one.
/// `bytes` as for `cost`, of the whole; all chunks are of one size.
std::optional<TimeFormula> composed_time(const Algorithm& algorithm, const Request& request,
                                         const CostModel& model, double bytes) {
  const auto& parts_of = AlgorithmEntry::of(algorithm).parts;
  if (!parts_of) return claimed_time(algorithm, request, model, bytes);
  const Problem& whole = request.problem;
  if (algorithm.claim(request).volume == 0 && algorithm.claim(request).width != 1) return {};
  TimeFormula sum{"", std::string(algorithm.source), 0};
  const auto parts = parts_of(request);
  for (const auto& [part, asked, left_out] : parts) {
    const double part_bytes = bytes * (asked.problem.chunks - left_out) / whole.chunks;
    const auto time = composed_time(part, asked, model, part_bytes);
    if (!time) return std::nullopt;
    sum.text += sum.text.empty() ? "" : ", then ";
    if (parts.size() > 1) sum.text += fmt::format("{}: ", info(asked.problem.collective).name);
    sum.text += time->text;
    sum.seconds += time->seconds;
  }
  return sum;
}

}  // namespace

std::vector<TimeFormula> time_formulas(const Spec& spec, const Problem& problem,
                                       const Machine& machine, const CostModel& model,
                                       std::uint64_t bytes) {
  const auto named = named_algorithm(spec);
  const Algorithm& algorithm = *named;
  if (AlgorithmEntry::of(algorithm).parts) {
    if (problem.ranks == 1 || problem.declared()) return {};
    const auto time =
        composed_time(algorithm, {problem, machine}, model, static_cast<double>(bytes));
    return time ? std::vector{*time} : std::vector<TimeFormula>();
  }
  const bool has_own_problem = AlgorithmEntry::of(algorithm).own_problem != nullptr;
  if (problem.ranks == 1 || (problem.declared() && !has_own_problem))
    return {};  // irregular blocks
  const Request request = request_for(algorithm, spec, problem, machine);
  auto size = static_cast<double>(bytes);
  if (has_own_problem) size *= static_cast<double>(request.problem.chunks) / problem.chunks;
  std::vector<TimeFormula> result;
  // On a network FT's d is not that of the tree.
  const bool other_tree = request.parameters.has("layout") ||
                          (machine.simplex() && AlgorithmEntry::of(algorithm).other_on_simplex);
  if (!other_tree) {
    result = printed_formulas(algorithm, request, model, size);
  }
  const auto claimed = claimed_time(algorithm, request, model, size);
  const auto same = [&](const TimeFormula& f) {
    return std::abs(f.seconds - claimed->seconds) <= 1e-9 * claimed->seconds;
  };
  if (claimed && std::ranges::none_of(result, same)) result.push_back(*claimed);
  return result;
}

}  // namespace schedcc
