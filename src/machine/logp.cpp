// LogP: latency L, overhead o, gap g. Step numbers are cycles.
//
// A send at t reads the state at t and occupies its sender for [t, t+o); the message occupies its
// receiver for [t+o+L, t+2o+L), and its chunks are held, and may be sent on, at t+2o+L. Two
// sends of a rank start at least max(g, o) apart, and so do two receives. The check `ports` decides
// these rules in check/logp_ports.cpp.
//
// Source: Culler et al. 1996; BL, "The LogP Model"; CC, "The LogP model".

#include "machine/entry.hpp"
#include "machine/parameters.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

extern const MachineEntry logp_machine;
const MachineEntry logp_machine{
    .name = "logp",
    .summary = "latency, overhead and gap; steps are cycles",
    .source = "BL, The LogP Model",
    .parameters =
        {{.name = "L", .summary = "latency in cycles", .max = UINT32_MAX, .default_value = "6"},
         {.name = "o",
          .summary = "overhead of a send or a receive",
          .max = UINT32_MAX,
          .default_value = "2"},
         {.name = "g",
          .summary = "gap between two sends, or two receives",
          .min = 1,
          .max = UINT32_MAX,
          .default_value = "4"},
         width_parameter},
    .make =
        [](const Parameters& p, Rank) {
          const LogP model{p.integer("L"), p.integer("o"), p.integer("g")};
          if (model.latency() == 0) throw InputError("machine 'logp': L + 2o must be at least 1");
          return MachineRules{.timing = model};
        },
    .any_ranks = true,
};

}  // namespace schedcc
