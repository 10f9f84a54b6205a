// bound: lower bounds on the steps and the volume of the schedule. Informational: it never fails.

#include "analysis/bounds.hpp"
#include "check/checks.hpp"

namespace schedcc {

namespace {

class BoundCheck : public Check {
 public:
  using Check::Check;

  void step(const StepView& view) override {
    rounds_ = std::max<std::uint64_t>(rounds_, view.step.rounds);
  }

  void finish(const Holdings*) override {
    const std::uint64_t most = context.machine.width();
    const std::uint64_t width = most != 0 ? most : std::max<std::uint64_t>(context.report.width, 1);
    context.report.lower_bound = lower_bound(context.problem, context.machine, width, rounds_);
  }

 private:
  std::uint64_t rounds_ = 1;  ///< the most that a step takes
};

}  // namespace

extern const CheckEntry bound_check;
const CheckEntry bound_check{
    .name = "bound",
    .summary = "steps and volume against the best lower bounds known (informational)",
    .make = make_check<BoundCheck>,
};

}  // namespace schedcc
