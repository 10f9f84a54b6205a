#pragma once

#include <cstdint>

#include "schedcc/machine.hpp"
#include "schedcc/problem.hpp"
#include "schedcc/report.hpp"

namespace schedcc {

struct Demand;

/// The best lower bounds known for any schedule of this problem on this machine whose messages
/// carry at most `width` >= 1 chunks and whose steps take at most `rounds` rounds (networks that
/// have them). Custom collectives have none but on machines with ports; on LogP and on networks
/// volume has none. `known`: the demand of the problem, if it was computed before.
LowerBound lower_bound(const Problem& problem, const Machine& machine, std::uint64_t width,
                       std::uint64_t rounds = 1, const Demand* known = nullptr);

}  // namespace schedcc
