// redundancy: no rank receives a copy of what it already has. Correct, but wasteful: a warning.
// The tokens of a barrier may come again.

#include <fmt/core.h>

#include "check/checks.hpp"

namespace schedcc {

namespace {

class RedundancyCheck : public Check {
 public:
  using Check::Check;

  void faults(const Holdings::Outcome& outcome) override {
    for (const Holdings::Fault& fault : outcome.redundant) {
      const Transfer& t = fault.where.transfer;
      context.reporter.warning("redundancy", [&] {
        return about_receiver(
            fault.where, fault.chunk,
            fmt::format("{} receives chunk {} from {} in step {}, but holds it already",
                        context.node(t.dst), fault.chunk, context.node(t.src), fault.where.step));
      });
    }
  }
};

}  // namespace

extern const CheckEntry redundancy_check;
const CheckEntry redundancy_check{
    .name = "redundancy",
    .summary = "no rank receives what it already has (a warning)",
    .needs_holdings = true,
    .by_step = true,
    .applies = [](const Context& c) { return !c.problem.tokens(); },
    .make = make_check<RedundancyCheck>,
};

}  // namespace schedcc
