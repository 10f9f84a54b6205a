#pragma once

// Texts for the errors of a program; those of a plan (plan/explain.hpp) share some of them.

#include <string>
#include <string_view>

#include "program/access.hpp"
#include "program/execution.hpp"
#include "program/races.hpp"
#include "program/symbolic_value.hpp"
#include "program/wiring.hpp"

namespace schedcc::program {

/// The threadblocks that wait for one another, with such FIFOs.
std::string explain(const Wiring& wiring, const WaitCycle& wait_cycle, const Fifo& fifo);
std::string explain(const Wiring& wiring, const Race& race);
std::string explain(const Wiring& wiring, const InvalidUse& use);

/// Whose access it is, and which.
struct Access {
  std::string who;
  AccessKind kind;
};
/// "A writes o[0] and B reads it".
std::string conflict(const Access& one, std::string_view where, const Access& other);
/// The end of a message on a conflict that is a race.
inline constexpr const char* undefined_order = ", and their order is undefined";

}  // namespace schedcc::program
