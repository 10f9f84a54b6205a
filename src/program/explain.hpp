#pragma once

// Texts for the errors of a program.

#include <string>

#include "program/execution.hpp"
#include "program/races.hpp"
#include "program/values.hpp"
#include "program/wiring.hpp"

namespace schedcc::program {

/// The threadblocks that wait for one another, with such FIFOs.
std::string explain(const Wiring& wiring, const WaitCycle& wait_cycle, const Fifo& fifo);
std::string explain(const Wiring& wiring, const Race& race);
std::string explain(const Wiring& wiring, const InvalidUse& invalid_use);

}  // namespace schedcc::program
