// Execution plans: right ones hold.

#include "catch.hpp"
#include "right_plans.hpp"

using namespace plans;

TEST_CASE("right plans of every construct hold", "[plan]") {
  for (const NamedPlan& named : right_plans()) {
    const Report report = proved(named.plan);
    INFO(named.name << "\n" << to_text(report));
    CHECK(report.verdict() == Verdict::holds);
  }
}

TEST_CASE("what the runtime does not document is unknown", "[plan]") {
  const Report by_address = proved(by_switch());
  INFO(to_text(by_address));
  CHECK(by_address.verdict() == Verdict::unknown);
  CHECK(verdict(by_address, "races") == Verdict::unknown);
  CHECK(verdict(by_address, "delivery") == Verdict::holds);

  Plan relaxed = by_put();
  for (Rank r = 0; r < 2; ++r) {
    for (PlanStep& s : ops(relaxed, r)) {
      if (s.op == PlanOp::signal) s.op = PlanOp::relaxed_signal;
    }
  }
  CHECK(verdict(proved(relaxed), "races") == Verdict::unknown);
}
