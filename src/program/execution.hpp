#pragma once

// Executes a program without data: does it complete?
//
// Every threadblock continues until it must wait: for an instruction of another, for a message, or
// for room in a FIFO. No action of a threadblock can block another that could continue, so the
// progress of the program, and whether it completes, does not depend on the order: one run decides
// it.

#include <cstdint>
#include <optional>
#include <vector>

#include "program/fifo.hpp"
#include "program/wiring.hpp"

namespace schedcc::program {

struct Execution {
  std::vector<Event> order;           ///< as they ended; every event after its dependencies
  std::vector<Event> stuck;           ///< the events at which threadblocks wait forever
  std::vector<std::uint32_t> passed;  ///< of each stuck event: the messages that it has completed
  bool complete() const { return stuck.empty(); }
};

/// Runs the program. Time: linear in its messages; memory: linear.
Execution execute(const Wiring& wiring, const Fifo& fifo);

/// The least number of chunks in a message, up to the format's limit, with which the program
/// completes in FIFOs of `depth` messages; none: it never does.
std::optional<std::uint32_t> least_chunks(const Wiring& wiring, std::uint64_t depth);

/// The first thing that a stuck event waits for.
struct Wait {
  enum class Reason : std::uint8_t { step, message, room, nothing } reason = Reason::nothing;
  std::uint32_t block = none;  ///< that must continue first; none: no block can
};
/// Threadblocks that wait for one another in a cycle, beginning with a stuck event; or a chain that
/// ends with one that waits for something that never happens.
struct WaitCycle {
  std::vector<Event> events;
  std::vector<Wait> waits;  ///< the wait of each
  bool closed = false;
};
/// One for every cycle, or end of a chain, that stuck threadblocks wait for.
std::vector<WaitCycle> wait_cycles(const Wiring& wiring, const Execution& execution,
                                   const Fifo& fifo);

}  // namespace schedcc::program
