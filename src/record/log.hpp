#pragma once

// What a recorded process writes while it runs: a file with a page of its state, followed by events
// in the order of the process's calls. The file is mapped into the memory of the process, so that
// all of it is there however the process ends. Written by the preloaded library (recorder/), read
// by schedcc; both are of one build and run on one machine.

#include <cstddef>
#include <cstdint>

namespace schedcc::record {

inline constexpr char log_magic[8] = {'s', 'c', 'h', 'e', 'd', 'c', 'c', 'R'};
inline constexpr std::uint32_t log_version = 2;
/// The page before the events, in bytes.
inline constexpr std::size_t log_head = 4096;
/// A log does not grow beyond this many bytes, also if a program sends with a count that is wrong.
inline constexpr std::uint64_t max_log = std::uint64_t{1} << 30;
/// The environment variable that names the folder of the logs.
inline constexpr char folder_variable[] = "SCHEDCC_RECORD";

/// The ends of the names of the files: a log, and that of a process that cannot write one.
inline constexpr char log_ending[] = ".log", lost_ending[] = ".lost";

/// What a process that cannot write a log prints on standard error begins with.
inline constexpr char complaint[] = "schedcc: the recorder ";

/// A peer that is no rank.
inline constexpr std::int32_t any_peer = -1, no_peer = -2;
inline constexpr std::int32_t any_tag = -1;

/// A message that a call waits for. `peer` is a rank of MPI_COMM_WORLD.
struct Wait {
  std::int32_t peer;
  std::int32_t tag;
  std::uint32_t receives;  ///< a receive, not a send
};

inline constexpr std::size_t max_waits = 16;

/// The state of a process: the first page of its log.
struct State {
  char magic[8];
  std::uint32_t version;
  std::int32_t rank, ranks;  ///< in MPI_COMM_WORLD
  std::uint32_t recording;   ///< is it between begin and end?
  std::uint64_t used;        ///< bytes of events
  std::uint64_t calls;       ///< rises while the process makes progress
  std::uint32_t full;        ///< events were lost: `max_log`, or no space was left
  std::uint32_t finalized;   ///< it called MPI_Finalize
  std::uint32_t exited;      ///< it ended by itself, with `exit_status`
  std::int32_t exit_status;
  std::int32_t signal;   ///< that killed it; 0: none
  char call[40];         ///< the call that it is in; empty: none
  std::uint32_t waits;   ///< how many of `waiting` are valid
  std::uint32_t others;  ///< further messages that it waits for
  Wait waiting[max_waits];
  char error[512];        ///< of MPI, or why the program cannot be recorded
  std::uint32_t refused;  ///< `error` is such a reason
};
static_assert(sizeof(State) <= log_head);

enum class EventKind : std::uint32_t {
  begin,       ///< payload: BeginArguments, then the world ranks of the communicator (int32)
  send,        ///< payload: the data
  receive,     ///< `order` is that in which receives were posted; `bytes` were received, no payload
  put,         ///< payload: the data
  get,         ///< payload: the data; written when they are there
  open,        ///< an epoch begins in which others access the window
  close,       ///< it ends
  unrecorded,  ///< payload: the name of a function whose messages are not seen
  end,         ///< payload: the result
};

/// How a one-sided access is synchronized.
enum class Sync : std::uint32_t { fence, pair };

/// Data that are not in one piece, or combined there with others.
inline constexpr std::uint64_t no_place = UINT64_MAX;

/// The head of an event; its payload follows, padded to 8 bytes.
struct Event {
  EventKind kind;
  std::int32_t peer;  ///< in MPI_COMM_WORLD
  std::int32_t tag;
  Sync sync;              ///< put, get, open, close
  std::uint64_t channel;  ///< of the communicator or the window, the same at all its ranks
  std::uint64_t order;    ///< receive: see there; put, get, open, close: the number of the epoch
  std::uint64_t bytes;    ///< of the data
  std::uint64_t stored;   ///< of the payload
  /// put: the place of its `bytes` in the window of its target.
  std::uint64_t place = no_place;
};
static_assert(sizeof(Event) == 56);

/// How values are distinguished (identity.hpp).
enum class WordKind : std::uint32_t { copied32, copied64, sum32, sum64, sum_double };

/// The arguments of schedcc_record_begin.
struct BeginArguments {
  char collective[24];
  std::int32_t rank, ranks;  ///< in the communicator
  std::int32_t root;
  WordKind words;
  std::uint64_t length;    ///< of the message or of a block, in words
  std::uint32_t in_place;  ///< the data are where the result will be
  std::uint32_t reserved;
};
static_assert(sizeof(BeginArguments) == 56);

}  // namespace schedcc::record
