// bound: lower bounds on the steps and the volume of the schedule. Informational: it never fails.

#include "analysis/bounds.hpp"
#include "check/checks.hpp"

namespace schedcc {

LowerBound bound_of_report(const Problem& problem, const Machine& machine, const Report& report,
                           std::uint64_t rounds, const Demand* known) {
  const std::uint64_t most = machine.width();
  const std::uint64_t width = most != 0 ? most : std::max<std::uint64_t>(report.width, 1);
  return lower_bound(problem, machine, width, rounds, known);
}

bool is_below_bound(const Report& report) {
  const auto& bound = report.lower_bound;
  return bound && ((bound->steps && report.steps < *bound->steps) ||
                   (bound->volume && report.volume < *bound->volume));
}

namespace {

class BoundCheck : public Check {
 public:
  using Check::Check;

  void conclude() override {
    context.report.lower_bound = bound_of_report(context.problem, context.machine, context.report,
                                                 *context.most_rounds, context.demand);
  }
};

}  // namespace

extern const CheckEntry bound_check;
const CheckEntry bound_check{
    .name = "bound",
    .summary = "steps and volume against the best lower bounds known (informational)",
    .make = make_check<BoundCheck>,
};

}  // namespace schedcc
