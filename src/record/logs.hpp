#pragma once

// The logs of the processes of a program, and the executions of collectives in them.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/input_text.hpp"
#include "record/log.hpp"
#include "schedcc/schedule.hpp"

namespace schedcc::record {

/// An event, and its payload.
struct LoggedEvent {
  Event head;
  std::string_view payload;
};

/// The log of a process. `state.full`: events are missing from its end, and be it all of them.
struct Log {
  State state{};
  std::vector<LoggedEvent> events;
  InputText text;  ///< which payloads are views of
};

/// What one rank did in an execution.
struct Segment {
  bool begun = false, ended = false;
  BeginArguments begin{};
  std::vector<LoggedEvent> events;  ///< between begin and end
  std::string_view result;          ///< the payload of end
};

/// One execution of a collective by the ranks of a communicator.
struct Execution {
  std::vector<std::int32_t> world;  ///< the ranks in MPI_COMM_WORLD
  std::vector<Segment> segments;    ///< by rank

  /// The rank of a process of MPI_COMM_WORLD; none (false) if it is not one of them.
  bool rank_of(std::int32_t process, Rank& rank) const;
  /// What all have begun; only if there is a segment that has.
  const BeginArguments& begin() const;
  bool ended() const;
};

/// Reads the state of a process while it may still run; false: there is no valid one.
bool read_state(const std::string& path, State& state);

/// The logs of a folder, by rank in MPI_COMM_WORLD; full and empty ones of processes that could not
/// write any, and none of processes that ended before they had begun one. Throws InputError if one
/// is damaged.
std::vector<Log> read_logs(const std::string& folder);

/// The executions: those of the first process in its order, then those of the next that it took no
/// part in, and so on.
std::vector<Execution> executions(const std::vector<Log>& logs);

}  // namespace schedcc::record
