// delivery: at the end every rank has what the collective promises it; reductions are complete,
// nothing is counted twice, and, if the operator does not commute, operands were combined in order.

#include <fmt/format.h>

#include "checker/checks.hpp"

namespace schedcc {

namespace {

class DeliveryCheck : public Check {
 public:
  using Check::Check;

  void faults(const Holdings::Outcome& outcome) override {
    for (const Holdings::Fault& fault : outcome.unordered) {
      const Transfer& t = fault.where.transfer;
      context.reporter.error("delivery", [&] {
        return about(fault.where, fault.chunk,
                     fmt::format("{} sends chunk {} to {} in step {} with the contributions of {}, "
                                 "which are no interval of ranks",
                                 context.node(t.src), fault.chunk, context.node(t.dst),
                                 fault.where.step, fault.detail));
      });
    }
  }

  void finish(const Holdings* holdings) override {
    std::uint64_t told = 0;
    const std::uint64_t all = holdings->shortfalls(context.options.max_findings,
                                                   [&](const Holdings::Shortfall& shortfall) {
                                                     report(shortfall);
                                                     ++told;
                                                   });
    context.reporter.more_errors("delivery", all - told);
  }

 private:
  void report(const Holdings::Shortfall& s) {
    context.reporter.error("delivery", [&] {
      Finding finding;
      if (s.where) finding = about(*s.where, s.chunk, "");
      finding.rank = s.rank;
      finding.chunk = s.chunk;
      const std::string more =
          s.chunks > 1 ? fmt::format(" (and {} more like it)", s.chunks - 1) : std::string();
      if (s.detail.empty()) {
        finding.message =
            fmt::format("rank {} ends without chunk {}{}", s.rank, s.chunk,
                        s.chunks > 1 ? fmt::format(" and {} more", s.chunks - 1) : "");
      } else {
        finding.message = fmt::format("rank {} ends with a wrong chunk {}: {}{}", s.rank, s.chunk,
                                      s.detail, more);
      }
      return finding;
    });
  }
};

}  // namespace

extern const CheckEntry delivery_check;
const CheckEntry delivery_check{
    .name = "delivery",
    .summary = "the collective's end state holds; reductions are complete and, if asked, in order",
    .needs_holdings = true,
    .make = make_check<DeliveryCheck>,
};

}  // namespace schedcc
