// causality: a sender holds what it sends, before the step in which it sends it.

#include "check/checks.hpp"
#include "check/provenance/provenance.hpp"

namespace schedcc {

namespace {

class CausalityCheck : public Check {
 public:
  using Check::Check;

  void finish(const Holdings*) override {
    context.reporter.errors("causality", context.causes->causality());
  }
};

}  // namespace

extern const CheckEntry causality_check;
const CheckEntry causality_check{
    .name = "causality",
    .summary = "a sender holds what it sends before the step in which it sends it",
    .needs_holdings = true,
    .by_step = true,
    .make = make_check<CausalityCheck>,
};

}  // namespace schedcc
