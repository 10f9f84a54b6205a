#include "program/plan/explain.hpp"

#include <fmt/core.h>

#include "program/explain.hpp"

namespace schedcc::program {

namespace {

std::string place_text(Slot slot, Rank gpu) {
  return fmt::format("{} of GPU {}", to_text(slot), gpu);
}

}  // namespace

std::string explain(const PlanTrace& trace, const PlanRace& race) {
  const PlanAction& a = trace.actions()[race.first];
  const PlanAction& b = trace.actions()[race.second];
  std::string who = trace.describe(race.second);
  if (b.invocation > a.invocation && b.step != no_step) {
    who += fmt::format(", in {} invocation,",
                       b.invocation == a.invocation + 1 ? "the next" : "a later");
  }
  return conflict({who, race.second_kind},
                  place_text(trace.memory().slot(race.cell), trace.memory().owner(race.cell)),
                  {trace.describe(race.first), race.first_kind});
}

std::string explain(const PlanTrace& trace, const InvalidUse& use) {
  std::string message = explain(use, trace.describe(use.action), place_text(use.slot, use.gpu));
  if (use.kind == InvalidUse::Kind::reads_nothing) message += " in this invocation";
  if (trace.actions()[use.action].invocation > 0) message += " (in the second half of scratch)";
  return message;
}

}  // namespace schedcc::program
