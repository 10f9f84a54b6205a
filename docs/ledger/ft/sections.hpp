#pragma once

// The sections of FT, "A Bandwidth Latency Tradeoff for Broadcast and Reduction".

#include "ledger.hpp"

namespace ledger::FT {

Section introduction();
Section lower_bounds();
Section simple_algorithms();
Section fractional_trees();
Section performance();
Section networks();

}  // namespace ledger::FT
