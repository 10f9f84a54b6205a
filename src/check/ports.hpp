#pragma once

// What the two rules on ports have in common: that on the messages of a step (ports.cpp), and that
// of LogP, on their times (logp_ports.cpp).

#include "check/checks.hpp"

namespace schedcc {

/// The common part of the rules on ports: the width of messages, and findings about a rank.
class PortsCheck : public Check {
 public:
  using Check::Check;

 protected:
  /// Reports the messages of the step that are wider than the machine allows.
  void check_widths(const StepView& view);
  /// Reports a finding about `rank` and a message of the step.
  void report(const Step& step, const Message& m, Rank rank, std::string message);
};

/// LogP's rule on ports.
std::unique_ptr<Check> make_logp_ports(const Context& context);

}  // namespace schedcc
