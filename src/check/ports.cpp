// ports: the machine's rule on the messages of a rank per step, and on their width. What the
// machine's switches copy is one message at its source, and what they combine is one at its
// destination.
//
// On LogP the rule is about time; that part is in logp_ports.cpp.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <fmt/core.h>

#include "analysis/switch_groups.hpp"
#include "check/ports.hpp"
#include "machine/step_routes.hpp"

namespace schedcc {

void PortsCheck::check_widths(const StepView& view) {
  const std::uint32_t width = context.machine.width();
  if (width == 0 || view.digest.largest() <= width) return;
  for (const Message& m : view.digest.messages()) {
    if (m.chunks <= width) continue;
    report(view.step, m, m.src,
           fmt::format("the message from rank {} to rank {} in step {} has {} chunks; on {} it has "
                       "at most {}",
                       m.src, m.dst, view.step.number, m.chunks, context.machine.spec(), width));
  }
}

void PortsCheck::report(const Step& step, const Message& m, Rank rank, std::string message) {
  context.reporter.error("ports", [&] {
    Finding finding = about(locate(step, m.first), 0, std::move(message));
    finding.chunk.reset();
    finding.rank = rank;
    return finding;
  });
}

namespace {

/// So many messages of a rank in a step.
class StepPorts : public PortsCheck {
 public:
  explicit StepPorts(const Context& c) : PortsCheck(c) {
    const SwitchRules rules = context.machine.in_network();
    if (!rules.any()) return;
    groups_.emplace(rules, context.problem);
    routes_.emplace(*context.machine.channels());
  }

  void step(const StepView& view) override {
    check_widths(view);
    // Without a repeated sender or receiver no rank takes part in more than two messages.
    const bool within_limits = !view.digest.sends_twice() && !view.digest.receives_twice() &&
                               (limits_.both >= 2 || !view.digest.sends_and_receives());
    if (!within_limits) count(view);
  }

 private:
  /// Messages of a rank.
  struct Count {
    std::uint32_t sent = 0, received = 0;

    std::uint32_t& of(bool sends) { return sends ? sent : received; }
    std::uint32_t both() const { return sent + received; }
  };
  struct PortUse {
    std::uint64_t stamp = 0;
    Count all, seen;  ///< in the step; up to the message that is looked at
  };

  PortUse& use(Rank rank) {
    PortUse& use = uses_[rank];
    if (use.stamp != stamp_) use = {stamp_, {}, {}};
    return use;
  }

  void count(const StepView& view) {
    ++stamp_;
    const auto messages = view.digest.messages();
    if (routes_) routes_->read(groups_->read(view.step, view.digest));
    bool exceeded = false;
    each_end(messages, [&](std::size_t, Rank rank, bool sends) {
      Count& all = use(rank).all;
      exceeded |= ++all.of(sends) > limit(sends) || all.both() > limits_.both;
    });
    if (!exceeded) return;
    each_end(messages, [&](std::size_t i, Rank rank, bool sends) {
      check_limits(view.step, messages[i], rank, sends, [&] { return refusal(i, sends); });
    });
  }

  /// Calls f(i, rank, sends) for the sender and the receiver of each message that counts there.
  template <typename F>
  void each_end(std::span<const Message> messages, F f) const {
    for (std::size_t i = 0; i < messages.size(); ++i) {
      if (!routes_ || routes_->leaves(i)) f(i, messages[i].src, true);
      if (!routes_ || routes_->enters(i)) f(i, messages[i].dst, false);
    }
  }

  std::uint32_t limit(bool sends) const { return sends ? limits_.send : limits_.receive; }

  /// Reports message m if a rank first exceeds a limit with it. Where sends and receives are
  /// limited together, that is one finding, else one for the sends and one for the receives.
  template <typename F>
  void check_limits(const Step& step, const Message& m, Rank rank, bool sends, F refusal) {
    PortUse& use = this->use(rank);
    const std::uint32_t same = ++use.seen.of(sends);
    const bool together = context.machine.simplex();
    if (together ? use.seen.both() != limits_.both + 1 : same != limit(sends) + 1) return;
    const bool mixed = together && use.all.sent != 0 && use.all.received != 0;
    const std::string_view verb = mixed ? "takes part in" : sends ? "sends" : "receives";
    report(
        step, m, rank,
        fmt::format("rank {} {} {} messages in step {}; on {} it {} at most {}{}", rank, verb,
                    mixed ? use.all.both() : use.all.of(sends), step.number, context.machine.spec(),
                    verb, mixed ? limits_.both : limit(sends), mixed ? std::string() : refusal()));
  }

  /// Why message i is not one with another one there, if only a switch prevents it.
  std::string refusal(std::size_t i, bool sends) const {
    if (!routes_) return {};
    const auto side = sends ? StepRoutes::Side::source : StepRoutes::Side::destination;
    const auto channel = routes_->refused(i, side);
    if (!channel) return {};
    return fmt::format(
        ", and {} {}", context.machine.channels()->describe(*channel),
        sends ? "leads to no switch that multicasts" : "comes from no switch that reduces");
  }

  const PortLimits limits_ = *context.machine.ports();
  std::optional<SwitchGroups> groups_;  ///< if the machine's switches copy or combine
  std::optional<StepRoutes> routes_;
  NodeArray<PortUse> uses_;
  std::uint64_t stamp_ = 0;
};

std::unique_ptr<Check> make_ports(const Context& context) {
  return context.machine.timing() ? make_logp_ports(context) : make_check<StepPorts>(context);
}

}  // namespace

extern const CheckEntry ports_check;
const CheckEntry ports_check{
    .name = "ports",
    .summary = "the machine's rule on messages per rank per step",
    .by_step = true,
    .applies = [](const Context& c) { return c.machine.ports() || c.machine.timing(); },
    .make = make_ports,
};

}  // namespace schedcc
