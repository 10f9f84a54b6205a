#pragma once

// What is wrong with a program, in words.

#include <cstdint>
#include <string>

#include "program/execution.hpp"
#include "program/races.hpp"
#include "program/values.hpp"
#include "program/wiring.hpp"

namespace schedcc::program {

/// Who waits for whom, with FIFOs of so many slots.
std::string explain(const Wiring& wiring, const Circle& circle, std::uint64_t fifo);
std::string explain(const Wiring& wiring, const Race& race);
std::string explain(const Wiring& wiring, const Misuse& misuse);

}  // namespace schedcc::program
