#pragma once

// Broadcasts by one port in messages and the packets that they carry.

#include <vector>

#include "prove/sat/clauses/encoding.hpp"
#include "prove/sat/question/instance.hpp"
#include "prove/sat/solve/poll_limits.hpp"

namespace schedcc::prover {

/// Does the root of every schedule send a new chunk in each step, as long as there are any? So it
/// is with broadcasts of single chunks by one port in exchange_steps (exchange_run.hpp). Without
/// channels, where there are such schedules, the answer is false.
bool sends_in_order(const Instance& instance, const std::vector<Delivery>& chunks);

/// Is that so, and is the formula of its messages small enough?
bool decided_by_messages(const Instance& instance, const std::vector<Delivery>& chunks);

/// The formula of such a broadcast: it has a model exactly if there is a schedule.
Encoding encode_messages(const Instance& instance, const std::vector<Delivery>& chunks,
                         const PollLimits& poll_limits);

/// The formula of which every model is a schedule for a broadcast by one port, of messages that
/// take at most `most_channels` channels, in all of the instance's steps, in whose step t the root
/// sends packet t. In exchange_steps all other ranks receive in each of the last steps, one less
/// than there are packets. It has no model if the chunks are not those of such a broadcast, if
/// these are fewer steps than exchange_steps, or if it would be large.
Encoding encode_short_messages(const Instance& instance, const std::vector<Delivery>& chunks,
                               std::size_t most_channels, const PollLimits& poll_limits);

}  // namespace schedcc::prover
