// Machines whose only rule is how many messages a rank may send and receive per step: duplex,
// simplex, k-port, and the h-relations of BSP, which are the same rule.
//
// Sources: FT, section 1 (duplex, simplex); CC, "BSP model definition" (h-relation).

#include "machine/entry.hpp"
#include "machine/parameters.hpp"

namespace schedcc {

namespace {

MachineRules k_ports(std::uint64_t k) {
  const auto each = static_cast<std::uint32_t>(k);
  return {.ports = PortLimits{each, each, 2 * each}};
}

}  // namespace

extern const MachineEntry duplex_machine, simplex_machine, kport_machine, bsp_machine;

const MachineEntry duplex_machine{
    .name = "duplex",
    .summary = "a rank sends at most 1 message a step and receives at most 1",
    .source = "FT, section 1",
    .parameters = {width_parameter},
    .make = [](const Parameters&, Rank) { return k_ports(1); },
    .any_ranks = true,
};

const MachineEntry simplex_machine{
    .name = "simplex",
    .summary = "a rank takes part in at most 1 message a step",
    .source = "FT, section 1",
    .parameters = {width_parameter},
    .make =
        [](const Parameters&, Rank) {
          return MachineRules{.ports = PortLimits{1, 1, 1}};
        },
    .any_ranks = true,
};

const MachineEntry kport_machine{
    .name = "kport",
    .summary = "a rank sends at most k messages a step and receives at most k",
    .source = "CC, BSP model definition",
    .parameters = {{.name = "k",
                    .summary = "ports of a rank",
                    .min = 1,
                    .max = max_ports,
                    .default_value = "1"},
                   width_parameter},
    .make = [](const Parameters& p, Rank) { return k_ports(p.integer("k")); },
    .any_ranks = true,
};

const MachineEntry bsp_machine{
    .name = "bsp",
    .summary = "supersteps, each an h-relation: at most h messages sent, h received",
    .source = "CC, BSP model definition",
    .parameters = {{.name = "h",
                    .summary = "messages of a rank",
                    .min = 1,
                    .max = max_ports,
                    .default_value = "1"},
                   width_parameter},
    .make = [](const Parameters& p, Rank) { return k_ports(p.integer("h")); },
    .any_ranks = true,
};

}  // namespace schedcc
