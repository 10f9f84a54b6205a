#pragma once

// Programs for GPUs, in the terms of MSCCL: threadblocks that wait for one another, instead of
// synchronous steps of all ranks.
//
// A GPU has an input, an output and a scratch buffer, each an array of chunks, and threadblocks. A
// threadblock executes its instructions in order, sends to at most one GPU and receives from at
// most one. A channel between two GPUs is a FIFO: the sends of the threadblock at one end match the
// receives of the threadblock at the other end in order. Threadblocks of a GPU share its buffers;
// an instruction may depend on one of another threadblock.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "schedcc/machine.hpp"
#include "schedcc/problem.hpp"
#include "schedcc/source.hpp"

#pragma GCC visibility push(default)

namespace schedcc {

/// The buffers of a GPU.
enum class BufferKind : std::uint8_t { input, output, scratch };
/// "i", "o" and "s".
std::string_view name(BufferKind buffer);

/// A place in a GPU's memory. Offset -1: none is named.
struct Slot {
  BufferKind buffer = BufferKind::input;
  std::int32_t offset = -1;
  friend bool operator==(const Slot&, const Slot&) = default;
};
/// "o[3]".
std::string to_text(const Slot& slot);

/// The operation of an instruction. `recv_reduce_*` combine the message with the chunks at `src`;
/// copies go to `dst`; `reduce` combines `src` into `dst`.
enum class Op : std::uint8_t {
  send,
  recv,
  recv_copy_send,
  recv_reduce_send,
  recv_reduce_copy,
  recv_reduce_copy_send,
  copy,
  reduce,
  nop,
};
/// "s", "r", "rcs", ...: as in MSCCL XML.
std::string_view name(Op op);

/// The effects of an operation on messages and on the memory of its GPU.
struct OpEffects {
  bool sends, receives;
  bool reads_src, reads_dst, writes_dst;
};
/// By operation, in their order.
inline constexpr OpEffects op_effects[] = {
    {true, false, true, false, false},   // send
    {false, true, false, false, true},   // recv
    {true, true, false, false, true},    // recv_copy_send
    {true, true, true, false, false},    // recv_reduce_send
    {false, true, true, false, true},    // recv_reduce_copy
    {true, true, true, false, true},     // recv_reduce_copy_send
    {false, false, true, false, true},   // copy
    {false, false, true, true, true},    // reduce
    {false, false, false, false, false}  // nop
};
/// The effects of one operation.
constexpr OpEffects effects(Op op) { return op_effects[static_cast<std::size_t>(op)]; }

/// An instruction, and its line in a file (0: none).
struct Instruction {
  Op op = Op::nop;
  bool awaited = false;     ///< it signals its completion ("hasdep")
  std::uint32_t count = 0;  ///< chunks
  Slot src, dst;
  /// The threadblock of the same GPU, and its instruction, that must be done first; -1: none.
  std::int32_t block = -1, step = -1;
  std::uint32_t line = 0, column = 0;
};

/// The instructions of one threadblock, which are executed in order.
struct Threadblock {
  std::int32_t send = -1, recv = -1;  ///< the GPUs that it sends to and receives from; -1: none
  std::uint32_t channel = 0;
  std::vector<Instruction> steps;
  std::uint32_t line = 0, column = 0;
  bool no_channel = false;  ///< its channel is -1; only if it neither sends nor receives
};

/// The buffers and threadblocks of one GPU, which is a rank.
struct Gpu {
  std::uint32_t input = 0, output = 0, scratch = 0;  ///< chunks
  std::vector<Threadblock> blocks;
  std::uint32_t line = 0, column = 0;
};

/// The two runtimes that read MSCCL XML, which differ in a few words.
enum class MscclDialect : std::uint8_t { msccl, azure };
std::string_view name(MscclDialect dialect);

/// The layout of a custom collective's chunks in the buffers of a call. XML does not state it;
/// schedcc writes such programs by number.
enum class CustomLayout : std::uint8_t {
  unknown,
  by_number,  ///< chunk c is number c of both buffers
  packed,     ///< the k-th chunk that a rank starts (ends) with is number k of its input (output)
};

/// A program for GPUs, as MSCCL XML states it. Lines and columns are those of its elements; 0:
/// none.
struct Program {
  std::string name;
  std::string protocol = "Simple";
  std::string runtime = "msccl";  ///< the one whose limits apply (program/limits.hpp)
  MscclDialect dialect = MscclDialect::msccl;
  Problem problem;  ///< custom: with an empty `custom`, while its layout is unknown
  CustomLayout custom_places = CustomLayout::unknown;
  /// Why it cannot be the collective that it is called by, which is then custom; or empty.
  std::string mismatch = {};
  /// Is its collective known?
  bool has_problem() const { return !problem.declared() || custom_places != CustomLayout::unknown; }
  std::uint32_t chunks_per_loop = 0;
  std::uint32_t channels = 0;
  bool in_place = false;     ///< it serves calls with one buffer for input and output
  bool out_of_place = true;  ///< it serves calls with two
  /// It serves calls of up to this number of bytes; 0: of any size.
  std::uint64_t max_bytes = 0;
  std::vector<Gpu> gpus;  ///< one per rank
  std::uint32_t line = 0, column = 0;
  std::uint32_t channels_line = 0, channels_column = 0;  ///< where `channels` is stated
};

/// The numbers of chunks of a rank's input and output buffer in a call of the collective. Custom
/// collectives: as many as the problem.
std::uint32_t input_chunks(const Problem& problem, Rank rank);
std::uint32_t output_chunks(const Problem& problem, Rank rank);
/// Maps a place to its place in a call with one buffer: where the input and the output overlap,
/// that of the larger one.
Slot in_place(const Problem& problem, Rank rank, Slot slot);

}  // namespace schedcc

namespace schedcc::program {

/// The kinds of calls that a program serves.
enum class Calls : std::uint8_t { out_of_place, in_place, both };

/// How a schedule becomes a program.
struct LoweringOptions {
  Calls calls = Calls::out_of_place;
  /// The least number of channels to distribute the chunks over.
  std::uint32_t channels = 1;
  std::string protocol = "Simple";
  std::string runtime = "msccl";  ///< the one whose limits apply
};

/// The program that executes the schedule, with the latencies of the machine. It completes in calls
/// of any size, or of up to its `max_bytes`. Throws InputError, naming the limit and the place, if
/// there is none within the limits of the runtimes, and for steps that are not well-formed.
Program lower(const Source& source, const Machine& machine, const LoweringOptions& options = {});

}  // namespace schedcc::program

#pragma GCC visibility pop
