#include "program/plan/explain.hpp"

#include <utility>

#include <fmt/core.h>

#include "program/explain.hpp"

namespace schedcc::program {

namespace {

std::string place_text(Slot slot, Rank gpu) {
  return fmt::format("{} of GPU {}", to_text(slot), gpu);
}

}  // namespace

Finding finding_at(const Plan& plan, std::uint32_t gpu, std::uint32_t block, std::uint32_t step,
                   std::string message) {
  Finding finding;
  const auto at = [&](const auto& part) {
    finding.line = part.line;
    finding.column = part.column;
  };
  at(plan);
  if (gpu < plan.gpus.size()) {
    const PlanGpu& g = plan.gpus[gpu];
    finding.rank = gpu;
    at(g);
    if (block < g.blocks.size()) {
      finding.threadblock = block;
      at(g.blocks[block]);
      if (step < g.blocks[block].steps.size()) {
        finding.step = step;
        at(g.blocks[block].steps[step]);
      }
    }
  }
  finding.message = std::move(message);
  return finding;
}

Finding finding_at(const PlanTrace& trace, std::uint32_t block, std::uint32_t step,
                   std::string message) {
  const PlanBlockAt& at = trace.blocks()[block];
  return finding_at(trace.plan(), at.gpu, at.block == nullptr ? UINT32_MAX : at.index, step,
                    std::move(message));
}

std::string subject(const Plan& plan, const PlanRemark& remark) {
  if (remark.severity != Severity::error || remark.gpu == UINT32_MAX) return "";
  if (remark.block == UINT32_MAX) return fmt::format("GPU {}: ", remark.gpu);
  if (remark.step == UINT32_MAX) {
    return fmt::format("threadblock {} of GPU {}: ", remark.block, remark.gpu);
  }
  const PlanStep& step = plan.gpus[remark.gpu].blocks[remark.block].steps[remark.step];
  return fmt::format("operation {} ({}) of threadblock {} of GPU {}: ", remark.step, name(step.op),
                     remark.block, remark.gpu);
}

std::string explain(const PlanTrace& trace, const PlanRace& race) {
  const PlanAction& a = trace.actions()[race.first];
  const PlanAction& b = trace.actions()[race.second];
  std::string who = trace.describe(race.second);
  if (b.invocation > a.invocation && b.step != no_step) {
    who += fmt::format(", in {} invocation,",
                       b.invocation == a.invocation + 1 ? "the next" : "a later");
  }
  return conflict({who, race.second_writes},
                  place_text(trace.memory().slot(race.cell), trace.memory().owner(race.cell)),
                  {trace.describe(race.first), race.first_writes});
}

std::string explain(const PlanTrace& trace, const InvalidUse& use) {
  std::string message = explain(use, trace.describe(use.action), place_text(use.slot, use.gpu));
  if (use.what == InvalidUse::What::reads_nothing) message += " in this invocation";
  if (trace.actions()[use.action].invocation > 0) message += " (in the second half of scratch)";
  return message;
}

}  // namespace schedcc::program
