#pragma once

// The sections of the lecture on broadcast and the LogP model (BL). Formulas that the slides show
// as pictures are not checked; statements of the text about them are.

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
