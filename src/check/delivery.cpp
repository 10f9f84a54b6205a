// delivery: at the end every rank holds what the collective requires; reductions are complete,
// nothing is counted twice, and, if the operator does not commute, operands were combined in order.

#include "check/checks.hpp"
#include "check/provenance/provenance.hpp"

namespace schedcc {

namespace {

class DeliveryCheck : public Check {
 public:
  using Check::Check;

  void finish(const Holdings*) override {
    context.reporter.errors("delivery", context.causes->delivery());
  }
};

}  // namespace

extern const CheckEntry delivery_check;
const CheckEntry delivery_check{
    .name = "delivery",
    .summary =
        "the collective's end state holds; reductions are complete and, if requested, in order",
    .needs_holdings = true,
    .by_step = true,
    .make = make_check<DeliveryCheck>,
};

}  // namespace schedcc
