#pragma once

// Broadcasts in which halves of all ranks exchange packets, the same way every few steps.

#include <vector>

#include "prove/sat/clauses/encoding.hpp"
#include "prove/sat/question/instance.hpp"
#include "prove/sat/solve/poll_limits.hpp"

namespace schedcc::prover {

/// The formula of which every model is a schedule of exchanges (exchange_run.hpp) with
/// exchange_steps. It has no model if the chunks are not those of a broadcast on 2^q ranks, q at
/// least 1, if ranks do not have one port each way, if the instance has fewer steps, or if it would
/// be large.
Encoding encode_exchanges(const Instance& instance, const std::vector<Delivery>& chunks,
                          const PollLimits& poll_limits);

}  // namespace schedcc::prover
