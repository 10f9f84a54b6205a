#pragma once

// Running a program without data: does it come to its end?
//
// Every threadblock goes on until it must wait: for an instruction of another, for a message, or
// for room in a FIFO. Nothing that one of them does can stop another that could go on, so how far
// the program gets, and whether it ends, does not depend on who goes first: one run decides it.

#include <cstdint>
#include <optional>
#include <vector>

#include "program/fifo.hpp"
#include "program/wiring.hpp"

namespace schedcc::program {

struct Execution {
  std::vector<Event> order;           ///< as they ended; every event after what it waits for
  std::vector<Event> stuck;           ///< the events at which threadblocks wait for ever
  std::vector<std::uint32_t> passed;  ///< of each stuck event: messages that it has passed
  bool complete() const { return stuck.empty(); }
};

/// Runs the program. Time: linear in its messages; memory: linear.
Execution execute(const Wiring& wiring, const Fifo& fifo);

/// The least number of chunks in a message, up to the format's limit, with which the program
/// completes in FIFOs of `depth` messages; none: it never does.
std::optional<std::uint32_t> least_chunks(const Wiring& wiring, std::uint64_t depth);

/// What an event that is stuck waits for first.
struct Wait {
  enum class For : std::uint8_t { step, message, room, nothing } what = For::nothing;
  std::uint32_t block = none;  ///< that must go on first; none: nobody can help
};
/// Threadblocks that wait for one another in a circle, beginning with a stuck event; or a chain
/// that ends with one that waits for what will never be.
struct WaitCycle {
  std::vector<Event> events;
  std::vector<Wait> waits;  ///< what each waits for
  bool closed = false;
};
/// One for every circle or end that stuck threadblocks wait for.
std::vector<WaitCycle> wait_cycles(const Wiring& wiring, const Execution& execution,
                                   const Fifo& fifo);

}  // namespace schedcc::program
