#pragma once

// Checked schedules of fractional trees and related trees, by name.

#include <string>
#include <string_view>
#include <vector>

#include "catch.hpp"
#include "run.hpp"

namespace fractional_trees {

using namespace schedcc;
using U64 = std::uint64_t;

inline Request request(const std::string& spec, const std::string& machine, Rank P, std::uint32_t K,
                       Rank root = 0, Collective collective = Collective::broadcast) {
  Problem problem;
  problem.collective = collective;
  problem.ranks = P;
  problem.chunks = K;
  problem.root = root;
  return run::request(Spec::parse(spec), problem, machine);
}

inline const Algorithm& named(const std::string& spec) {
  return find_algorithm(Spec::parse(spec).name);
}

/// The steps of the schedule; fails unless it holds and takes the claimed steps.
inline U64 steps(const std::string& spec, const Request& r, const CheckOptions& options = {}) {
  const Algorithm& algorithm = named(spec);
  const Report report = check(from_algorithm(algorithm, r, spec), r.machine, options);
  const auto what = [&] { return spec + ": " + describe(r.problem) + " on " + r.machine.spec(); };
  if (report.verdict() != Verdict::holds || report.findings_total != 0) {
    FAIL_CHECK(what() << ": " << report.findings.at(0).message);
  }
  if (report.below_bound) FAIL_CHECK(what() << " is below the bound");
  if (r.problem.ranks > 1 && report.steps != algorithm.claim(r).steps) {
    FAIL_CHECK(what() << " takes " << report.steps << " steps, claimed "
                      << algorithm.claim(r).steps);
  }
  return report.steps;
}

/// Couples are for simplex PUs only.
inline std::vector<std::string> variants(std::string_view machine) {
  std::vector<std::string> all{
      "fractional-tree",     "fractional-tree:coupled",     "binary-tree",
      "fractional-tree:r=1", "fractional-tree:r=1,coupled", "fractional-tree:r=2",
      "fractional-tree:r=3", "fractional-tree:r=3,coupled", "fractional-tree:r=4",
      "fractional-tree:r=8", "fractional-tree:r=8,coupled"};
  if (machine == "duplex") std::erase_if(all, [](auto& s) { return s.ends_with("coupled"); });
  return all;
}

}  // namespace fractional_trees
