#pragma once

// An algorithm of the registry, built and checked as `schedcc compile` does it.

#include <string>

#include "schedcc/check.hpp"
#include "schedcc/registry.hpp"

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

struct Ready {
  const Algorithm* algorithm;
  Request request;
};

inline Ready ready(const Case& c) {
  const Spec spec = Spec::parse(c.spec);
  Ready ready{&find_algorithm(spec.name), {}};
  const Algorithm& algorithm = *ready.algorithm;
  Problem& problem = ready.request.problem;
  problem.collective =
      c.collective.empty() ? algorithm.collectives.front() : find_collective(c.collective);
  problem.ranks = c.P;
  problem.chunks = c.K;
  problem.root = c.root;
  problem.ordered = c.ordered;
  ready.request.parameters = spec.check(algorithm.parameters, c.spec);
  const std::string standard = algorithm.machines_for(ready.request.parameters).front();
  ready.request.machine = make_machine(c.machine.empty() ? standard : c.machine, c.P);
  return ready;
}

inline Report report(const Case& c) {
  const auto [algorithm, request] = ready(c);
  return check(from_algorithm(*algorithm, request, c.spec), request.machine);
}

/// What is wrong with the case: nothing, if it holds without a warning in the steps that it
/// promises. Its report goes to `found`, where that is wanted.
inline std::string fault(const Case& c, Report* found = nullptr) {
  const auto [algorithm, request] = ready(c);
  const Report report = check(from_algorithm(*algorithm, request, c.spec), request.machine);
  if (found != nullptr) *found = report;
  std::string what;
  if (report.verdict() != Verdict::holds) what += "does not hold; ";
  if (report.findings_total != 0) what += report.findings[0].message + "; ";
  if (report.below_bound) what += "below the bound; ";
  const Promise promise = c.P == 1 ? Promise{0} : algorithm->promise(request);
  if (promise.exact ? report.steps != promise.steps : report.steps > promise.steps) {
    what += "takes " + std::to_string(report.steps) + ", promised " + std::to_string(promise.steps);
  }
  if (what.empty()) return {};
  return c.spec + ", " + describe(request.problem) + " on " + request.machine.spec + ": " + what;
}

}  // namespace run
