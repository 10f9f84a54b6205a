#pragma once

// What is wrong with a program, in words.

#include <string>

#include "program/execution.hpp"
#include "program/races.hpp"
#include "program/values.hpp"
#include "program/wiring.hpp"

namespace schedcc::program {

/// Who waits for whom, with such FIFOs.
std::string explain(const Wiring& wiring, const Circle& circle, const Fifo& fifo);
std::string explain(const Wiring& wiring, const Race& race);
std::string explain(const Wiring& wiring, const Misuse& misuse);

}  // namespace schedcc::program
