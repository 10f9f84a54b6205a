#pragma once

// The sections of the lecture on broadcast and the LogP model (BL). Formulas that are pictures on
// the slides are not in its text; what the text says of them is held.

#include "ledger.hpp"

namespace ledger::BL {

Section messages();
Section trees();
Section large_messages();
Section two_trees();
Section logp_model();
Section logp_broadcasts();
Section logp_optimal();

}  // namespace ledger::BL
