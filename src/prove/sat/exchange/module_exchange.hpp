#pragma once

// Broadcasts in which the halves of all ranks exchange packets, mostly within modules.

#include <cstdint>
#include <memory>
#include <vector>

#include "prove/sat/question/instance.hpp"
#include "schedcc/schedule.hpp"

namespace schedcc::prover {

/// The schedule for a broadcast on 2^r modules of 2^s = `columns` ranks, r and s at least 1, with
/// exchange_steps, which the checker has yet to check. nullptr if the instance is not of that kind.
std::shared_ptr<const Schedule> module_exchange(const Instance& instance,
                                                const std::vector<Delivery>& chunks,
                                                std::uint64_t columns);

}  // namespace schedcc::prover
