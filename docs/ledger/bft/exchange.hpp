#pragma once

// Total exchange in BFT: the schedules' names, Table 1's bound, and the times of section 5.

#include <string>
#include <string_view>

#include "bft/capacities.hpp"

namespace ledger::BFT {

/// The specification of a schedule of total exchange.
std::string exchange(std::string_view schedule);

/// Table 1's bound for total exchange.
U64 table_1(U64 n, const Capacities& c);

/// The steps by (1), phase after phase, and by (2), where phases overlap.
U64 equation_1(const Capacities& c);
U64 equation_2(const Capacities& c);

}  // namespace ledger::BFT
