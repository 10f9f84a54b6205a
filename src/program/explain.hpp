#pragma once

// What is wrong with a program, in words.

#include <string>

#include "program/execution.hpp"
#include "program/races.hpp"
#include "program/values.hpp"
#include "program/wiring.hpp"

namespace schedcc::program {

/// Who waits for whom, with such FIFOs.
std::string explain(const Wiring& wiring, const WaitCycle& wait_cycle, const Fifo& fifo);
std::string explain(const Wiring& wiring, const Race& race);
std::string explain(const Wiring& wiring, const InvalidUse& invalid_use);

}  // namespace schedcc::program
