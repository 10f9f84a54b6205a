#pragma once

// An algorithm of the registry, built and checked as `schedcc compile` does it.

#include <string>
#include <string_view>

#include "schedcc/algorithm.hpp"
#include "schedcc/check.hpp"
#include "schedcc/machine.hpp"
#include "schedcc/problem.hpp"

namespace run {

using namespace schedcc;

/// What an algorithm is asked for, by names; an empty one is the algorithm's default.
struct Case {
  std::string spec;
  Rank P = 1;
  std::uint32_t K = 1;
  std::string machine = {}, collective = {};
  Rank root = 0;
  bool ordered = false;
};

struct AlgorithmRequest {
  const Algorithm* algorithm;
  Request request;
};

/// The problem put to the algorithm that `spec` names, on a machine.
inline Request request(const Spec& spec, const Problem& problem, std::string_view machine) {
  Request result;
  result.problem = problem;
  result.machine = make_machine(machine, problem.ranks);
  result.parameters = spec.check(find_algorithm(spec.name).parameters, spec.text());
  return result;
}

inline AlgorithmRequest ready(const Case& c) {
  const Spec spec = Spec::parse(c.spec);
  const Algorithm& algorithm = find_algorithm(spec.name);
  Problem problem;
  problem.collective =
      c.collective.empty() ? algorithm.collectives.front() : find_collective(c.collective);
  problem.ranks = c.P;
  problem.chunks = c.K;
  problem.root = c.root;
  problem.ordered = c.ordered;
  const auto parameters = spec.check(algorithm.parameters, c.spec);
  const std::string machine =
      c.machine.empty() ? algorithm.machines_for(parameters).front() : c.machine;
  return {&algorithm, request(spec, problem, machine)};
}

inline Report report(const Case& c) {
  const auto [algorithm, request] = ready(c);
  return check(from_algorithm(*algorithm, request, c.spec), request.machine);
}

/// What is wrong with the case: nothing, if it holds without a warning in the steps that it
/// claims. Its report goes to `found`, where that is wanted.
inline std::string fault(const Case& c, Report* found = nullptr) {
  const auto [algorithm, request] = ready(c);
  const Report report = check(from_algorithm(*algorithm, request, c.spec), request.machine);
  if (found != nullptr) *found = report;
  std::string what;
  if (report.verdict() != Verdict::holds) what += "does not hold; ";
  if (report.findings_total != 0) what += report.findings[0].message + "; ";
  if (report.below_bound) what += "below the bound; ";
  const CostClaim claim = c.P == 1 ? CostClaim{0} : algorithm->claim(request);
  if (claim.exact ? report.steps != claim.steps : report.steps > claim.steps) {
    what += "takes " + std::to_string(report.steps) + ", claimed " + std::to_string(claim.steps);
  }
  if (what.empty()) return {};
  return c.spec + ", " + describe(request.problem) + " on " + request.machine.spec() + ": " + what;
}

}  // namespace run
