// One-sided communication: put, get and accumulate, synchronized by fences, or by post, start,
// complete and wait. An access is a message: a put is sent where it is called, and there when its
// target's epoch ends; a get is sent where its target's epoch begins, and there when its origin's
// ends.

#include <algorithm>
#include <string>

#include "recorder/recorder.hpp"

namespace schedcc::recorder {

namespace {

using record::Event;
using record::EventKind;
using record::Sync;

Window* window(MPI_Win win) {
  const auto found = recorder().windows().find(win);
  if (found != recorder().windows().end()) return &found->second;
  recorder().unrecorded("the function that made its window");
  return nullptr;
}

/// A window that the ranks of a communicator have just made.
int add(int error, const MPI_Win* win, MPI_Comm comm, int unit) {
  if (!recorder().on() || error != MPI_SUCCESS) return error;
  Window known;
  known.channel = recorder().new_channel(comm);
  int size = 0;
  PMPI_Comm_size(comm, &size);
  for (int rank = 0; rank < size; ++rank) known.ranks.push_back(recorder().world_rank(comm, rank));
  const auto own = static_cast<std::uint64_t>(unit);
  known.units.resize(known.ranks.size());
  SCHEDCC_LIBRARY(Allgather)(&own, 1, MPI_UINT64_T, known.units.data(), 1, MPI_UINT64_T, comm);
  recorder().windows()[*win] = known;
  return error;
}

/// Is it an access under a lock, which is not recorded?
bool locked(const char* name, const Window& window) {
  if (window.locks > 0) recorder().unrecorded((std::string(name) + " under a lock").c_str());
  return window.locks > 0;
}

/// This rank locks (1) or unlocks (-1) a window.
void lock(const char* name, MPI_Win win, int change) {
  recorder().unrecorded(name);
  const auto known = recorder().windows().find(win);
  if (known != recorder().windows().end()) known->second.locks += change;
}

/// The access of a rank of the window in the epoch that is open.
Event access(EventKind kind, Window& window, int target) {
  const std::int32_t peer = window.ranks[static_cast<std::size_t>(target)];
  const bool paired = std::ranges::find(window.accessed, peer) != window.accessed.end();
  return {kind,
          peer,
          0,
          paired ? Sync::pair : Sync::fence,
          window.channel,
          paired ? window.starts[peer] : window.fences,
          0,
          0};
}

/// Where in the target's window data in one piece are put.
std::uint64_t place(MPI_Win win, int target, MPI_Aint at, MPI_Datatype type) {
  const auto found = recorder().windows().find(win);
  if (found == recorder().windows().end() || target < 0 || !is_packed(type))
    return record::no_place;
  return static_cast<std::uint64_t>(at) * found->second.units[static_cast<std::size_t>(target)];
}

void put(const char* name, const void* buffer, int count, MPI_Datatype type, int target,
         MPI_Win win, std::uint64_t place = record::no_place) {
  Window* const known = window(win);
  if (known == nullptr || target == MPI_PROC_NULL || locked(name, *known)) return;
  Event event = access(EventKind::put, *known, target);
  event.place = place;
  recorder().log(event, buffer, count, type);
}

/// The data of all gets are there.
void finish_gets(Window& window) {
  for (const PendingGet& get : window.gets)
    recorder().log(get.event, get.buffer, get.count, get.type);
  window.gets.clear();
}

void log_epoch(EventKind kind, Sync sync, std::int32_t peer, const Window& window,
               std::uint64_t number) {
  recorder().log({kind, peer, 0, sync, window.channel, number, 0, 0});
}

void fence(Window& window) {
  finish_gets(window);
  log_epoch(EventKind::close, Sync::fence, record::no_peer, window, window.fences);
  log_epoch(EventKind::open, Sync::fence, record::no_peer, window, ++window.fences);
}

void end_exposure(Window& window) {
  for (const std::int32_t peer : window.exposed)
    log_epoch(EventKind::close, Sync::pair, peer, window, window.posts[peer]);
  window.exposed.clear();
}

}  // namespace

}  // namespace schedcc::recorder

using namespace schedcc::recorder;

SCHEDCC_MPI(Win_create)
(void* base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, MPI_Win* win) {
  const Call call("MPI_Win_create");
  return add(SCHEDCC_LIBRARY(Win_create)(base, size, unit, info, comm, win), win, comm, unit);
}

SCHEDCC_MPI(Win_allocate)
(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void* base, MPI_Win* win) {
  const Call call("MPI_Win_allocate");
  return add(SCHEDCC_LIBRARY(Win_allocate)(size, unit, info, comm, base, win), win, comm, unit);
}

SCHEDCC_MPI(Win_free)(MPI_Win* win) {
  const Call call("MPI_Win_free");
  recorder().windows().erase(*win);
  return SCHEDCC_LIBRARY(Win_free)(win);
}

SCHEDCC_MPI(Win_fence)(int assertion, MPI_Win win) {
  const Call call("MPI_Win_fence");
  const int error = SCHEDCC_LIBRARY(Win_fence)(assertion, win);
  if (Window* const known = call.seen() ? window(win) : nullptr) fence(*known);
  return error;
}

SCHEDCC_MPI(Win_post)(MPI_Group group, int assertion, MPI_Win win) {
  const Call call("MPI_Win_post");
  const int error = SCHEDCC_LIBRARY(Win_post)(group, assertion, win);
  Window* const known = call.seen() ? window(win) : nullptr;
  if (known == nullptr) return error;
  known->exposed = world_ranks(group);
  for (const std::int32_t peer : known->exposed) {
    using namespace schedcc::record;
    log_epoch(EventKind::open, Sync::pair, peer, *known, ++known->posts[peer]);
  }
  return error;
}

SCHEDCC_MPI(Win_start)(MPI_Group group, int assertion, MPI_Win win) {
  const Call call("MPI_Win_start");
  const int error = SCHEDCC_LIBRARY(Win_start)(group, assertion, win);
  Window* const known = call.seen() ? window(win) : nullptr;
  if (known == nullptr) return error;
  known->accessed = world_ranks(group);
  for (const std::int32_t peer : known->accessed) ++known->starts[peer];
  return error;
}

SCHEDCC_MPI(Win_complete)(MPI_Win win) {
  const Call call("MPI_Win_complete");
  const int error = SCHEDCC_LIBRARY(Win_complete)(win);
  Window* const known = call.seen() ? window(win) : nullptr;
  if (known == nullptr) return error;
  finish_gets(*known);
  known->accessed.clear();
  return error;
}

SCHEDCC_MPI(Win_wait)(MPI_Win win) {
  const Call call("MPI_Win_wait");
  const int error = SCHEDCC_LIBRARY(Win_wait)(win);
  if (Window* const known = call.seen() ? window(win) : nullptr) end_exposure(*known);
  return error;
}

SCHEDCC_MPI(Win_test)(MPI_Win win, int* flag) {
  Call call("MPI_Win_test", {}, Call::Kind::polls);
  const int error = SCHEDCC_LIBRARY(Win_test)(win, flag);
  Window* const known = call.seen() && *flag != 0 ? window(win) : nullptr;
  if (known != nullptr) end_exposure(*known);
  call.done(*flag != 0);
  return error;
}

SCHEDCC_MPI(Put)
(const void* buffer, int count, MPI_Datatype type, int target, MPI_Aint at, int target_count,
 MPI_Datatype target_type, MPI_Win win) {
  const Call call("MPI_Put");
  if (call.seen())
    put("MPI_Put", buffer, count, type, target, win, place(win, target, at, target_type));
  return SCHEDCC_LIBRARY(Put)(buffer, count, type, target, at, target_count, target_type, win);
}

SCHEDCC_MPI(Accumulate)
(const void* buffer, int count, MPI_Datatype type, int target, MPI_Aint at, int target_count,
 MPI_Datatype target_type, MPI_Op op, MPI_Win win) {
  const Call call("MPI_Accumulate");
  if (call.seen()) put("MPI_Accumulate", buffer, count, type, target, win);
  return SCHEDCC_LIBRARY(Accumulate)(buffer, count, type, target, at, target_count, target_type, op,
                                     win);
}

SCHEDCC_MPI(Get)
(void* buffer, int count, MPI_Datatype type, int target, MPI_Aint at, int target_count,
 MPI_Datatype target_type, MPI_Win win) {
  const Call call("MPI_Get");
  const int error =
      SCHEDCC_LIBRARY(Get)(buffer, count, type, target, at, target_count, target_type, win);
  Window* const known = call.seen() && target != MPI_PROC_NULL ? window(win) : nullptr;
  if (known == nullptr || locked("MPI_Get", *known)) return error;
  known->gets.push_back(
      {buffer, count, type, access(schedcc::record::EventKind::get, *known, target)});
  return error;
}

// Locks, whose epochs are not followed.

// NOLINTBEGIN(bugprone-macro-parentheses): parameters and arguments have them.
#define SCHEDCC_LOCK(X, change, parameters, arguments) \
  SCHEDCC_MPI(X) parameters {                          \
    const Call call("MPI_" #X);                        \
    if (call.seen()) lock("MPI_" #X, win, change);     \
    return SCHEDCC_LIBRARY(X) arguments;               \
  }
// NOLINTEND(bugprone-macro-parentheses)

SCHEDCC_LOCK(Win_lock, 1, (int type, int rank, int assertion, MPI_Win win),
             (type, rank, assertion, win))
SCHEDCC_LOCK(Win_lock_all, 1, (int assertion, MPI_Win win), (assertion, win))
SCHEDCC_LOCK(Win_unlock, -1, (int rank, MPI_Win win), (rank, win))
SCHEDCC_LOCK(Win_unlock_all, -1, (MPI_Win win), (win))
SCHEDCC_LOCK(Win_flush, 0, (int rank, MPI_Win win), (rank, win))
SCHEDCC_LOCK(Win_flush_all, 0, (MPI_Win win), (win))
SCHEDCC_LOCK(Win_flush_local, 0, (int rank, MPI_Win win), (rank, win))
SCHEDCC_LOCK(Win_flush_local_all, 0, (MPI_Win win), (win))
SCHEDCC_LOCK(Win_sync, 0, (MPI_Win win), (win))
