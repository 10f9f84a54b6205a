#pragma once

// The number of messages that a connection holds, and of chunks that a message carries.
//
// Facts of the runtimes, as of microsoft/msccl b23e9cd, ROCm/rccl 0cbce2a and
// Azure/msccl-executor-nccl c6f6b36:
//
// - A connection has NCCL_STEPS = 8 slots (devcomm.h). A message of the protocol Simple is
//   MSCCL_CHUNKSTEPS / MSCCL_SLICESTEPS = 2 slices of 2 slots each, also if it is short
//   (msccl.h; prims_simple.h, genericOp and waitPeer), so 2 messages fit. Under LL and LL128 a
//   message takes one slot (prims_ll.h and prims_ll128.h, waitSend), so 8 fit.
// - A chunk has nBytes / nchunksperloop bytes, nBytes being the larger buffer's. An instruction of
//   `cnt` chunks is a message for every mscclMaxAllowedCount of them, which is as many as the slots
//   of a message hold, but at least 1 and at most 71 (enqueue.cc, computeColl; msccl_setup.cc,
//   mscclSetupCount; msccl_interpreter.h, runInterpreter).
// - A chunk that is longer than these slots is sent piece by piece: the whole program is run for
//   the first piece of every chunk, then for the second, and so on, without a barrier between the
//   runs. A program that completes one run with empty FIFOs completes the next, too.
//
// So a call matters only by the number of chunks that a message carries. With more of them a
// program that completes still completes: let a run with c chunks a message be complete, and c' >
// c. Give the j-th message of an instruction, which has no more of them now, the time that the j-th
// had in that run. Every message is then received after it is sent, instructions keep their order,
// and the message that must have left the FIFO first had left it, since between any two messages of
// a connection there are now no more than before. Hence one chunk a message is the worst case, and
// the calls that a program completes are those up to some size.

#include <cstdint>

#include "schedcc/program.hpp"

namespace schedcc::program {

/// The capacity of a program's connections.
struct Fifo {
  std::uint64_t depth;   ///< messages of a connection
  std::uint32_t chunks;  ///< the most that a message carries
};

/// A message per instruction, and room for all of them.
inline constexpr Fifo unbounded{UINT64_MAX, UINT32_MAX};

/// In calls of up to `bytes` bytes, counted as the runtimes do for minBytes and maxBytes; 0: of any
/// size. Buffers have the least size that a runtime gives them by default.
Fifo fifo_in_calls(const Program& program, std::uint64_t bytes);

/// The largest call in which a message carries that many chunks.
std::uint64_t largest_call(const Program& program, std::uint32_t chunks);

}  // namespace schedcc::program
