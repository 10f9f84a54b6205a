#pragma once

#include <cstdint>

#include "schedcc/machine.hpp"
#include "schedcc/problem.hpp"

namespace schedcc {

/// The communication that every schedule of a problem needs, from which the lower bounds follow.
struct Demand {
  std::uint64_t busiest;  ///< chunks that some rank must send, or receive
  std::uint64_t all;      ///< chunks that must be moved in all
  std::uint64_t reach;  ///< ranks that one rank's data must get to, or those of one of its holders
  bool pipeline = false;  ///< K packets that each go from one rank to all, or from all to one
};

/// The demand of a problem, where a message has one source and one destination. Except for custom
/// problems it is proportional to the problem's K.
Demand demand(const Problem& problem);

/// The same on a machine: where switches copy messages, or combine them, some arguments are void.
Demand demand(Demand need, const Problem& problem, const Machine& machine);

/// The demand of a custom problem, in time that follows from the length of its lines.
Demand custom_demand(const Problem& problem);

}  // namespace schedcc
