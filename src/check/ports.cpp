// ports: the machine's rule on the messages of a rank per step, and on their width.
//
// On LogP the rule is about time; that part is in logp_ports.cpp.

#include <fmt/core.h>

#include "check/checks.hpp"
#include "check/logp_ports.hpp"

namespace schedcc {

namespace {

class PortsCheck : public Check {
 public:
  explicit PortsCheck(const Context& c) : Check(c) {
    if (c.machine.timing()) logp_ = std::make_unique<LogPPorts>(c);
  }

  void step(const StepView& view) override {
    if (context.machine.width() != 0 && view.digest.largest() > context.machine.width())
      widths(view);
    if (logp_) return logp_->step(view.step, view.digest);
    const PortLimits& limits = *context.machine.ports();
    // Without a repeated sender or receiver nobody takes part in more than two messages.
    const bool within_limits = !view.digest.sends_twice() && !view.digest.receives_twice() &&
                               (limits.both >= 2 || !view.digest.sends_and_receives());
    if (!within_limits) count(view, limits);
  }

 private:
  struct Use {
    std::uint64_t stamp = 0;
    std::uint32_t sent = 0, received = 0;
  };

  Use& use(Rank rank) {
    Use& use = uses_[rank];
    if (use.stamp != stamp_) use = {stamp_, 0, 0};
    return use;
  }

  void count(const StepView& view, const PortLimits& limits) {
    ++stamp_;
    for (const Message& m : view.digest.messages()) {
      ++use(m.src).sent;
      ++use(m.dst).received;
      check_limits(view, m, m.src, use(m.src), limits, true);
      check_limits(view, m, m.dst, use(m.dst), limits, false);
    }
  }

  /// Reports the message with which `rank` first goes over a limit.
  void check_limits(const StepView& view, const Message& m, Rank rank, const Use& use,
                    const PortLimits& limits, bool sends) {
    const std::uint32_t same = sends ? use.sent : use.received;
    const std::uint32_t limit = sends ? limits.send : limits.receive;
    const std::uint32_t both = use.sent + use.received;
    if (same == limit + 1 && both <= limits.both + (same > limit)) {
      report(view, m, rank,
             fmt::format("rank {} {} {} messages in step {}; on {} it {} at most {}", rank,
                         sends ? "sends" : "receives", same, view.step.number,
                         context.machine.spec(), sends ? "sends" : "receives", limit));
    } else if (same <= limit && both == limits.both + 1) {
      report(view, m, rank,
             fmt::format("rank {} takes part in {} messages in step {}; on {} it takes part in at "
                         "most {}",
                         rank, both, view.step.number, context.machine.spec(), limits.both));
    }
  }

  void widths(const StepView& view) {
    for (const Message& m : view.digest.messages()) {
      if (m.chunks <= context.machine.width()) continue;
      report(
          view, m, m.src,
          fmt::format("the message from rank {} to rank {} in step {} has {} chunks; on {} it has "
                      "at most {}",
                      m.src, m.dst, view.step.number, m.chunks, context.machine.spec(),
                      context.machine.width()));
    }
  }

  void report(const StepView& view, const Message& m, Rank rank, std::string message) {
    context.reporter.error("ports", [&] {
      Finding finding = about(locate(view.step, m.first), 0, std::move(message));
      finding.chunk.reset();
      finding.rank = rank;
      return finding;
    });
  }

  std::unique_ptr<LogPPorts> logp_;
  NodeArray<Use> uses_;
  std::uint64_t stamp_ = 0;
};

}  // namespace

extern const CheckEntry ports_check;
const CheckEntry ports_check{
    .name = "ports",
    .summary = "the machine's rule on messages per rank per step",
    .applies = [](const Context& c) { return c.machine.ports() || c.machine.timing(); },
    .make = make_check<PortsCheck>,
};

}  // namespace schedcc
