#pragma once

// LogP: do the ranks' calls complete?

#include <optional>
#include <vector>

#include "prove/sat/formula.hpp"
#include "prove/sat/instance.hpp"

namespace schedcc::prover {

/// A message that may be sent, and the literal that is true where it is.
struct TimedMessage {
  Rank from, to;
  std::uint64_t step;
  Literal literal;
};

/// Says that no calls wait for one another (reference: check `deadlock`, with `sendrecv` and
/// rendezvous), a schedule having at most `most` of the messages, if that is known. LogP only.
void complete_calls(const Instance& instance, const std::vector<TimedMessage>& messages,
                    std::optional<std::uint64_t> most, Formula& formula);

/// With so many buffered messages per pair no send ever waits: those that are sent later than a
/// message and before it is received are fewer, for they are spaced. So all calls complete, in the
/// order of their times.
std::uint64_t enough_buffers(const LogP& model);

}  // namespace schedcc::prover
