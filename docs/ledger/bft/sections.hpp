#pragma once

// The sections of BFT, "Communications in Binary Fat Trees".

#include "ledger.hpp"

namespace ledger::BFT {

Section preliminaries();
Section scattering();
Section multinode();
Section total_exchange();
Section exponential_case();

}  // namespace ledger::BFT
