#pragma once

// What the checker finds in a plan, and plans that differ in one transfer.

#include <string>
#include <utility>
#include <vector>

#include "random_plans.hpp"

namespace agreement {

inline std::vector<Finding> findings(const naive::Plan& plan, const std::string& machine = "duplex",
                                     std::vector<std::string> checks = {"causality", "delivery"}) {
  CheckOptions options;
  options.checks = std::move(checks);
  options.max_findings = 1000;
  return check(source_of(plan), machine_of(machine, plan.problem.ranks), options).findings;
}

/// The plan with one chunk of a transfer sent to another rank.
inline naive::Plan with_one_sent_to(naive::Plan plan, std::size_t i, Chunk chunk, Rank dst) {
  const Sent whole = plan.sent[i];
  plan.sent[i].transfer = {whole.transfer.src, dst, chunk, 1, whole.transfer.reduce};
  for (Chunk c = whole.transfer.first; c < whole.transfer.first + whole.transfer.count; ++c) {
    Sent rest = whole;
    rest.transfer.first = c;
    rest.transfer.count = 1;
    if (c != chunk) plan.sent.push_back(rest);
  }
  sort_by_step(plan);
  return plan;
}

}  // namespace agreement
