#include "cost/step_rules.hpp"

namespace schedcc {

StepRules::StepRules(const Machine& machine) : machine_(machine), limits_(*machine.ports()) {
  const Channels* const channels = machine.channels();
  if (channels != nullptr && (!channels->shared() || channels->in_network().any()))
    routes_.emplace(*channels);
}

/// One message more; returns how many there are.
std::uint64_t StepRules::add(Use& use) const {
  use = {step_, used(use) + 1};
  return use.messages;
}

bool StepRules::keep(std::span<const SizedMessage> messages) {
  ++step_;
  if (routes_) {
    routed_.clear();
    for (const SizedMessage& m : messages) routed_.push_back(m.routed());
    routes_->read(routed_);
  }
  for (std::size_t i = 0; i < messages.size(); ++i) {
    if (machine_.width() != 0 && messages[i].chunks > machine_.width()) return false;
    const bool leaves = !routes_ || routes_->leaves(i), enters = !routes_ || routes_->enters(i);
    if (!within_ports(messages[i], leaves, enters)) return false;
    if (routes_ && !within_channels(routes_->counted(i))) return false;
  }
  return true;
}

bool StepRules::within_ports(const SizedMessage& m, bool leaves, bool enters) {
  Ports &src = ports_[m.src], &dst = ports_[m.dst];
  if (leaves && add(src.sends) > limits_.send) return false;
  if (enters && add(dst.receives) > limits_.receive) return false;
  return used(src.sends) + used(src.receives) <= limits_.both &&
         used(dst.sends) + used(dst.receives) <= limits_.both;
}

bool StepRules::within_channels(std::span<const Channels::Run> runs) {
  const Channels& channels = *machine_.channels();
  if (channels.shared()) return true;
  for (const Channels::Run& run : runs) {
    for (std::uint64_t c = run.first; c < run.first + run.count; ++c) {
      if (add(*channels_.at(c)) > channels.capacity(c)) return false;
    }
  }
  return true;
}

}  // namespace schedcc
