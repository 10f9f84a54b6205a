#pragma once

// A quick test of the rules on the single steps of a schedule, for machines with ports: limits of
// ports, channels and width. The checks (validity.hpp) decide; they also say which rule is broken.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/block_table.hpp"
#include "cost/messages.hpp"
#include "machine/step_routes.hpp"
#include "schedcc/machine.hpp"

namespace schedcc {

class StepRules {
 public:
  /// Not of a machine with routers, nor of one whose steps are cycles.
  explicit StepRules(const Machine& machine);

  /// Do the messages of a step keep the rules? Time: the channels of all messages.
  bool keep(std::span<const SizedMessage> messages);

 private:
  /// What a step has of something so far.
  struct Use {
    std::uint64_t step = 0, messages = 0;
  };
  struct Ports {
    Use sends, receives;
  };

  std::uint64_t add(Use& use) const;
  std::uint64_t used(const Use& use) const { return use.step == step_ ? use.messages : 0; }
  bool within_ports(const SizedMessage& m, bool leaves, bool enters);
  bool within_channels(std::span<const Channels::Run> runs);

  Machine machine_;
  PortLimits limits_;
  std::optional<StepRoutes> routes_;  ///< if the machine has channels that a rule is about
  NodeArray<Ports> ports_;            ///< by rank
  BlockTable<Use, 1> channels_;
  std::uint64_t step_ = 0;  ///< numbered from 1 on
  std::vector<RoutedMessage> routed_;
};

}  // namespace schedcc
