#pragma once

// Broadcasts whose messages take few channels each.

#include <vector>

#include "prove/sat/encoding.hpp"
#include "prove/sat/instance.hpp"
#include "prove/sat/poll_limits.hpp"

namespace schedcc::prover {

/// The formula of which every model is a schedule of short messages for a broadcast by one port, in
/// all of the instance's steps. It has no model if the chunks are not those of such a broadcast, if
/// these are fewer steps than exchange_steps (exchange_run.hpp), or if it would be large.
Encoding encode_short_messages(const Instance& instance, const std::vector<Delivery>& chunks,
                               const PollLimits& poll_limits);

}  // namespace schedcc::prover
