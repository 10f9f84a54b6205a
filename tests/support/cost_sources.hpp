#pragma once

// Schedules for tests of cost models.

#include <string>

#include "costs.hpp"

namespace costs {

/// Calls f(source) for all algorithms and collectives that serve the machine.
template <typename F>
void each_source(const Machine& machine, Rank P, std::uint32_t K, F f) {
  for (const Algorithm* a : algorithms()) {
    if (a->hops || a->serves(Collective::custom)) continue;
    for (const Collective collective : a->collectives) {
      const Problem problem{.collective = collective, .ranks = P, .chunks = K};
      const Request r{problem, machine, Spec{}.check(a->parameters, a->name)};
      if (!a->reason(r)) f(from_algorithm(*a, r, std::string(a->name)));
    }
  }
}

}  // namespace costs
