#pragma once

// What the recorder knows of its process: communicators, requests and windows, and the log. MPI is
// called by one thread at a time.

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "recorder/log_file.hpp"
#include "recorder/mpi.hpp"

namespace schedcc::recorder {

struct Communicator {
  std::uint64_t channel;            ///< the same at all its ranks
  std::vector<std::int32_t> ranks;  ///< those of MPI_COMM_WORLD
};

/// A request that is under way, or persistent.
struct Request {
  bool receive = false, persistent = false;
  bool recorded = false;  ///< receives: posted while the process was recording
  int peer = MPI_PROC_NULL, tag = 0;
  MPI_Comm comm = MPI_COMM_NULL;
  std::uint64_t order = 0;       ///< receives: that of posting
  const void* buffer = nullptr;  ///< persistent sends
  int count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
};

/// A get whose data are not there yet.
struct PendingGet {
  void* buffer;
  int count;
  MPI_Datatype type;
  record::Event event;
};

struct Window {
  std::uint64_t channel = 0;
  std::vector<std::int32_t> ranks;
  std::vector<std::uint64_t> units;  ///< of displacements, by rank
  std::uint64_t fences = 0;
  int locks = 0;                                        ///< that this rank holds
  std::map<std::int32_t, std::uint64_t> posts, starts;  ///< how many, by the other rank
  std::vector<std::int32_t> exposed, accessed;          ///< in the epoch that is open
  std::vector<PendingGet> gets;
};

class Recorder {
 public:
  /// After MPI's initialization: opens the log, if the environment names a folder for it.
  void start();

  bool on() const { return log_.is_open(); }
  bool recording() const { return recording_; }
  /// Is the call that begins one of the program, and not of the library within another call?
  bool enter_call() { return depth_++ == 0 && on(); }
  void leave_call() { --depth_; }
  /// Whether messages are those of a collective of the library, which are recorded under SMPI.
  bool set_in_collective(bool in) { return std::exchange(in_collective_, in); }
  void set_recording(bool recording);
  record::State& state() { return log_.state(); }

  /// The communicator; null if it was made by a function that is not known, which is noted.
  const Communicator* find(MPI_Comm comm);
  /// A communicator that all its ranks have just made. Returns its argument `error`.
  int add(int error, const MPI_Comm* comm);
  void forget(MPI_Comm comm) { communicators_.erase(comm); }
  /// A number that the ranks of `comm` have in common, and no others.
  std::uint64_t new_channel(MPI_Comm comm);
  /// A peer as a rank of MPI_COMM_WORLD, any_peer or no_peer.
  std::int32_t world_rank(MPI_Comm comm, int peer);

  Request* find_request(MPI_Request request);
  void add_request(MPI_Request request, const Request& known);
  void forget_request(MPI_Request request) { requests_.erase(request); }
  /// The next receive that is posted.
  std::uint64_t next_order() { return ++order_; }

  std::map<MPI_Win, Window>& windows() { return windows_; }

  /// Messages. Nothing is logged unless the process is recording.
  void sent(const void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm);
  void received(const MPI_Status& status, MPI_Comm comm, std::uint64_t order);
  /// A persistent request is started.
  void started(MPI_Request request);
  /// A request has completed. The receive that it was is logged.
  void completed(MPI_Request request, const MPI_Status& status);

  void log(const record::Event& event);
  void log(record::Event event, const void* buffer, int count, MPI_Datatype type);
  std::byte* append(const record::Event& event) { return log_.append(event); }
  /// A function whose messages are not seen.
  void unrecorded(const char* name);
  /// The program cannot be recorded, which ends it.
  [[noreturn]] void refuse(const std::string& reason);

 private:
  LogFile log_;
  bool recording_ = false, in_collective_ = false;
  int depth_ = 0;  ///< of calls within calls
  std::uint64_t channels_ = 0, order_ = 0;
  std::map<MPI_Comm, Communicator> communicators_;
  std::map<MPI_Request, Request> requests_;
  std::map<MPI_Win, Window> windows_;
};

/// That of the process; under SMPI, where a process executes all ranks, that of the rank.
Recorder& recorder();

/// The members of a group as ranks of MPI_COMM_WORLD.
std::vector<std::int32_t> world_ranks(MPI_Group group);

/// The bytes of `count` elements, as they are packed.
std::uint64_t packed_size(int count, MPI_Datatype type);
/// Does a buffer of this type hold its elements one after another, without gaps, in order?
bool is_packed(MPI_Datatype type);

/// A call that the process is in. Calls within calls belong to the library.
class Call {
 public:
  /// One that polls returns at once, and may be repeated; then only done(true) is progress.
  enum class Kind : std::uint8_t { waits, polls };

  explicit Call(const char* name, std::initializer_list<record::Wait> waits = {},
                Kind kind = Kind::waits);
  Call(const char* name, const MPI_Request* requests, int count, Kind kind = Kind::waits);
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  /// Is it a call of the program, which is recorded?
  bool seen() const { return seen_; }
  /// States for a call that polls whether something has completed.
  void done(bool progress) { left_ = progress; }

 private:
  void enter(const char* name);
  void add(const record::Wait& wait);

  bool seen_;
  Kind kind_;
  bool left_ = true;
};

/// Sets Recorder::set_in_collective() while it exists.
class CollectiveScope {
 public:
  explicit CollectiveScope(bool in) : before_(recorder().set_in_collective(in)) {}
  ~CollectiveScope() { recorder().set_in_collective(before_); }
  CollectiveScope(const CollectiveScope&) = delete;
  CollectiveScope& operator=(const CollectiveScope&) = delete;

  bool before() const { return before_; }

 private:
  bool before_;
};

/// A message that a call, or a request, waits for: that it is sent to a rank, or received from one.
record::Wait sending(int to, int tag, MPI_Comm comm);
record::Wait receiving(int from, int tag, MPI_Comm comm);

}  // namespace schedcc::recorder
