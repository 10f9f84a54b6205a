#pragma once

// Broadcasts on 2^q ranks that can only be exchanges.

#include <vector>

#include "prove/sat/clauses/encoding.hpp"
#include "prove/sat/question/instance.hpp"
#include "prove/sat/solve/poll_limits.hpp"

namespace schedcc::prover {

/// Are all schedules exchanges, but for the order of the chunks? So it is with broadcasts of single
/// chunks by one port on 2^q ranks in exchange_steps (exchange_run.hpp). Without channels, where
/// such exchanges always exist, the answer is false.
bool must_exchange(const Instance& instance, const std::vector<Delivery>& chunks);

/// The formula of such a broadcast: it has a model exactly if there is a schedule.
Encoding encode_forced_exchanges(const Instance& instance, const std::vector<Delivery>& chunks,
                                 const PollLimits& poll_limits);

}  // namespace schedcc::prover
