#pragma once

// Steps whose transfers are in the order in which checks read memory.
//
// All transfers of a step happen at once. Where their order is not asked for, as where it is only
// shown that there is nothing to report, they may come in blocks of neighbouring senders: the state
// of a block of ranks stays in the cache of a processor while the step's transfers of these ranks
// are checked. Without that, of a million ranks each transfer waits for several accesses to memory.

#include <memory>

#include "schedcc/schedule.hpp"

namespace schedcc {

/// The same steps, with the transfers of each by blocks of senders; without their lines.
std::unique_ptr<StepStream> by_senders(std::unique_ptr<StepStream> stream);

}  // namespace schedcc
