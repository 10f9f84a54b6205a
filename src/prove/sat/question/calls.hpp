#pragma once

// LogP: the completion of the ranks' calls.

#include <optional>
#include <vector>

#include "prove/sat/question/instance.hpp"
#include "prove/sat/solve/formula.hpp"

namespace schedcc::prover {

/// A message that may be sent, and the literal that is true if it is sent.
struct TimedMessage {
  Rank from, to;
  std::uint64_t step;
  Literal literal;
};

/// Requires that no calls wait for one another (check `deadlock`, with `sendrecv` and rendezvous).
/// A schedule has at most `most` of the messages, if that is known. LogP only.
void complete_calls(const Instance& instance, const std::vector<TimedMessage>& messages,
                    std::optional<std::uint64_t> most, Formula& formula);

/// The number of buffered messages per pair with which no send ever waits: fewer messages are sent
/// between the send and the receive of a message, since sends are spaced. So all calls complete, in
/// the order of their times.
std::uint64_t enough_buffers(const LogP& model);

}  // namespace schedcc::prover
