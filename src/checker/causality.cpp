// causality: a sender holds what it sends, before the step in which it sends it.

#include <fmt/format.h>

#include "checker/checks.hpp"

namespace schedcc {

namespace {

class CausalityCheck : public Check {
 public:
  using Check::Check;

  void faults(const Holdings::Outcome& outcome) override {
    for (const Holdings::Fault& fault : outcome.unheld) {
      const Transfer& t = fault.where.transfer;
      context.reporter.error("causality", [&] {
        return about(
            fault.where, fault.chunk,
            fmt::format("{} sends chunk {} to {} in step {}, but does not hold it by then",
                        context.node(t.src), fault.chunk, context.node(t.dst), fault.where.step));
      });
    }
  }
};

}  // namespace

extern const CheckEntry causality_check;
const CheckEntry causality_check{
    .name = "causality",
    .summary = "a sender holds what it sends before the step in which it sends it",
    .needs_holdings = true,
    .make = make_check<CausalityCheck>,
};

}  // namespace schedcc
