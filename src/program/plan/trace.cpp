#include "program/plan/trace.hpp"

#include <fmt/core.h>

#include "program/plan/location.hpp"
#include "program/plan/tracer.hpp"

namespace schedcc::program {

PlanTrace::PlanTrace(const Plan& plan, const PlanGrid& grid, std::uint32_t invocations)
    : plan_(&plan), grid_(grid), memory_(plan, grid), invocations_(invocations) {
  PlanTracer(*this).run();
}

std::string PlanTrace::describe(std::uint32_t block, std::uint32_t step) const {
  const PlanBlockRef& at = blocks_[block];
  if (at.block == nullptr) return fmt::format("the caller of GPU {}", at.gpu);
  if (step == no_step) return fmt::format("threadblock {} of GPU {}", at.index, at.gpu);
  const PlanStep& s = at.block->steps[step];
  const std::string line = s.line > 0 ? fmt::format(" (line {})", s.line) : "";
  return fmt::format("operation {} ({}) of threadblock {} of GPU {}{}", step, name(s.op), at.index,
                     at.gpu, line);
}

std::string PlanTrace::describe(Node node) const {
  return describe(actions_[node].owner, actions_[node].step);
}

ProgramLocation PlanTrace::location(std::uint32_t block, std::uint32_t step) const {
  const PlanBlockRef& at = blocks_[block];
  return program::location(plan(), at.gpu, at.block == nullptr ? none : at.index, step);
}

std::vector<ProgramLocation> PlanTrace::locations(const std::vector<Node>& nodes) const {
  std::vector<ProgramLocation> result;
  result.reserve(nodes.size());
  for (const Node node : nodes) {
    result.push_back(location(actions_[node].owner, actions_[node].step));
  }
  return result;
}

void PlanTrace::add_finding(std::string_view check, std::uint32_t block, std::uint32_t step,
                            std::string_view message) {
  findings_.push_back(
      {check, location(block, step), fmt::format("{} {}", describe(block, step), message)});
}

bool in_program_order(const PlanAction& first, const PlanAction& second) {
  if (first.block != second.block || first.block == no_block) return false;
  if (first.segment != second.segment) return first.segment < second.segment;
  return first.thread == second.thread && first.order <= second.order;
}

}  // namespace schedcc::program
