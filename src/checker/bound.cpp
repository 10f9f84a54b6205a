// bound: how far the schedule is from the best possible. Informational: it never fails.

#include "checker/bounds.hpp"
#include "checker/checks.hpp"

namespace schedcc {

namespace {

class BoundCheck : public Check {
 public:
  using Check::Check;

  void finish(const Holdings*) override {
    const std::uint64_t width = context.machine.width != 0
                                    ? context.machine.width
                                    : std::max<std::uint64_t>(context.report.width, 1);
    context.report.lower_bound = lower_bound(context.problem, context.machine, width);
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
