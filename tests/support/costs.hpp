#pragma once

// Costs of the schedules of the registry, by name.

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "run.hpp"
#include "schedcc/cost.hpp"
#include "schedcc/error.hpp"
#include "schedcc/tune.hpp"

namespace costs {

using namespace schedcc;

/// Up to rounding.
inline bool close(double a, double b) {
  return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b));
}

/// Seconds, and seconds per byte.
inline CostModel alpha_beta(double alpha, double beta) {
  return make_cost_model(fmt::format("alpha-beta:alpha={}s,beta={}s/B", alpha, beta));
}

inline Request request(const Spec& spec, Collective collective, Rank P, std::uint32_t K,
                       std::string_view machine) {
  Problem problem;
  problem.collective = collective;
  problem.ranks = P;
  problem.chunks = K;
  return run::request(spec, problem, machine);
}

/// The cost of an algorithm's schedule, with the formulas for its time.
inline CostReport timed(const std::string& text, Collective collective, Rank P, std::uint32_t K,
                        std::uint64_t bytes, const CostModel& model,
                        const std::string& machine = "duplex", bool path = false) {
  const Spec spec = Spec::parse(text);
  const Request r = request(spec, collective, P, K, machine);
  CostReport report =
      cost(from_algorithm(find_algorithm(spec.name), r, text), r.machine, model, {bytes, path});
  report.formulas = time_formulas(spec, r.problem, r.machine, model, bytes);
  return report;
}

inline Tuner tuner(const std::vector<std::string>& algorithms, Collective collective, Rank P,
                   const CostModel& model, std::optional<std::string> machine = std::nullopt) {
  TuneRequest r;
  r.problem.collective = collective;
  r.problem.ranks = P;
  r.model = model;
  r.machine = std::move(machine);
  for (const std::string& name : algorithms) r.algorithms.push_back(Spec::parse(name));
  return Tuner(std::move(r));
}

/// Calls f(algorithm, request, spec) for every request for P ranks and K chunks that an algorithm
/// of the registry serves.
template <typename F>
void each_service(Rank P, std::uint32_t K, F f) {
  for (const Algorithm* algorithm : algorithms()) {
    for (const Collective collective : algorithm->collectives) {
      for (const std::string_view machine : algorithm->machines) {
        const Spec spec{std::string(algorithm->name), {}};
        try {
          const Request r = request(spec, collective, P, K, machine);
          if (!algorithm->reason(r)) f(*algorithm, r, spec);
        } catch (const InputError&) {
          continue;  // no such machine for P ranks, or parameters that must be given
        }
      }
    }
  }
}

}  // namespace costs
