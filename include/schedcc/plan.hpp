#pragma once

// Execution plans of MSCCL++: programs for GPUs whose threadblocks read and write one another's
// memory, and wait for signals, semaphores, barriers and packets.
//
// A GPU has an input, an output and a scratch buffer, each an array of chunks of one size, and
// threadblocks that execute their operations in order. docs/semantics.md, "Execution plans", has
// the meaning of the operations.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "schedcc/problem.hpp"
#include "schedcc/program.hpp"

#pragma GCC visibility push(default)

namespace schedcc {

/// The operations of the executor.
enum class PlanOp : std::uint8_t {
  nop,
  barrier,
  signal,
  relaxed_signal,
  wait,
  relaxed_wait,
  flush,
  put,
  put_signal,
  put_signal_flush,
  get,
  copy,
  reduce,
  reduce_send,
  read_reduce,
  read_reduce_send,
  put_packets,
  read_put_packets,
  reduce_packets,
  reduce_send_packets,
  reduce_copy_packets,
  reduce_copy_send_packets,
  unpack_packets,
  copy_packets,
  multi_reduce_store,
  multi_store,
  multi_store_packets,
  semaphore_acquire,
  semaphore_release,
  pipeline,
};
/// "nop", "rlxsignal", "pws", ...: as in a plan.
std::string_view name(PlanOp op);

/// The channels of MSCCL++.
enum class PlanChannel : std::uint8_t { none, memory, port, multicast };
/// "none", "memory", "port" and "switch".
std::string_view name(PlanChannel channel);

/// A range of chunks that an operation reads or writes.
struct PlanRange {
  /// A buffer of the GPU itself; that of another one, `id` being a place in the threadblock's list
  /// of remote buffers; those of the members of a switch channel, `id` being a place in the
  /// threadblock's list of these channels.
  enum class Where : std::uint8_t { local, remote, multicast } where = Where::local;
  BufferKind buffer = BufferKind::input;  ///< local
  std::uint32_t id = 0;
  std::uint32_t index = 0, size = 0;  ///< chunks
};

/// An operation. Fields that it has no use for are empty.
struct PlanStep {
  PlanOp op = PlanOp::nop;
  PlanChannel channel = PlanChannel::none;
  std::vector<std::uint32_t> channels;  ///< places in the threadblock's list of that kind
  std::vector<PlanRange> src, dst;
  std::uint32_t part = 0, parts = 1;  ///< of each range, if threadblocks share the operation
  std::uint32_t barrier = 0;          ///< barriers: which one of the GPU
  std::uint32_t threadblocks = 0;     ///< barriers: how many threadblocks have to reach it
  std::vector<std::uint32_t> semaphores;
  bool sums = true;  ///< reductions: is their stated operator the sum? The runtime has no other.
  /// Pipelines: the bytes of a slice, the chunks that are cut into slices, and how many of the
  /// steps that follow are the body.
  std::uint32_t unit = 0, chunks = 0, body = 0;
  std::uint32_t line = 0, column = 0;
};

/// A threadblock: its operations, and the channels and buffers that they name by index.
struct PlanThreadblock {
  std::vector<PlanStep> steps;                         ///< a pipeline is followed by its body
  std::vector<std::uint32_t> memory, port, multicast;  ///< channels of the GPU, by kind
  /// Remote buffers of the GPU, for operations with memory and with port channels.
  std::vector<std::uint32_t> memory_buffers, port_buffers;
  std::uint32_t line = 0, column = 0;
};

/// A switch channel: one address for the same buffer of several GPUs.
struct PlanSwitchChannel {
  BufferKind buffer = BufferKind::input;
  std::vector<Rank> ranks;
};

/// A buffer of another GPU.
struct PlanRemoteBuffer {
  Rank rank = 0;
  BufferKind buffer = BufferKind::input;
};

/// A GPU: the lengths of its buffers, its threadblocks, and the other ends of its channels.
struct PlanGpu {
  std::uint32_t input = 0, output = 0, scratch = 0;  ///< chunks
  std::vector<PlanThreadblock> blocks;
  std::vector<Rank> memory, port;  ///< the GPU at the other end of each channel
  std::vector<PlanSwitchChannel> multicast;
  std::vector<PlanRemoteBuffer> remote;
  std::vector<std::uint32_t> semaphores;  ///< their values at the start
  std::uint32_t line = 0, column = 0;
};

/// An execution plan of MSCCL++, as its JSON states it (docs/formats.md).
struct Plan {
  std::string name, collective, protocol;
  Problem problem;               ///< custom, without runs: the collective is not known
  bool in_place = false;         ///< called with one buffer for input and output
  bool reuse = false;            ///< plans share one scratch buffer of a fixed size
  bool two_halves = false;       ///< invocations use the halves of scratch in turn
  std::uint32_t alignment = 16;  ///< bytes; the runtime cuts buffers at multiples of it
  std::uint32_t threads = 1024;  ///< of each threadblock
  std::uint64_t min_bytes = 0, max_bytes = UINT64_MAX;  ///< of the calls that it serves
  std::vector<PlanGpu> gpus;                            ///< one per rank
  std::uint32_t line = 0, column = 0;

  bool has_problem() const { return !problem.declared(); }
  /// Is scratch allocated for packets, which take twice the bytes of their data?
  bool packets() const { return protocol == "LL"; }
};

}  // namespace schedcc

#pragma GCC visibility pop
