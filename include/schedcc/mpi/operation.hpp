#ifndef SCHEDCC_MPI_OPERATION_HPP
#define SCHEDCC_MPI_OPERATION_HPP

// One operation of a rank, the record of every table by rank: `--emit cpp` copies the text between
// the braces of the namespace into its headers, and --emit cpp:local the whole. Operations of a
// rank with the same step, kind and peer are one message.

#include <cstdint>

namespace schedcc::mpi {

/// A rank sends to its peer, or receives from it.
enum Kind : std::uint8_t { send, receive };
/// The chunks replace those that the receiver holds, or are combined with them.
enum Mode : std::uint8_t { copy, reduce };

/// Sends or receives the chunks first, first + 1, ..., first + count - 1.
struct Operation {
  std::uint64_t step;
  Kind kind;
  std::uint32_t peer;
  std::uint32_t first;
  std::uint32_t count;
  Mode mode;
};

}  // namespace schedcc::mpi

#endif
