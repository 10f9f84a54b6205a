#pragma once

// The sections of the lecture on communication cost (CC). s is the size of the message or, for
// collectives of blocks, of all blocks of a rank together.

#include "ledger.hpp"

namespace ledger::CC {

Section allreduce();
Section optimal_broadcast();
Section logp();
Section supersteps();
Section products();

}  // namespace ledger::CC
