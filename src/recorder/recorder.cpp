#include "recorder/recorder.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

namespace schedcc::recorder {

namespace {

using record::Event;
using record::EventKind;

void at_exit(int status, void*) {
  if (!recorder().on()) return;  // SMPI's process, after all its ranks
  record::State& state = recorder().state();
  state.exited = 1;
  state.exit_status = status;
}

void at_signal(int signal) {
  if (recorder().on()) recorder().state().signal = signal;
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

template <std::size_t N>
void set_text(char (&to)[N], const char* text) {
  std::strncpy(to, text, N - 1);
  to[N - 1] = 0;
}

/// The default error handler of communicators while a program is recorded.
void at_error(MPI_Comm* comm, int* code, ...) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  PMPI_Error_string(*code, text, &length);
  std::replace(text, text + length, '\n', ' ');
  set_text(recorder().state().error, text);
  SCHEDCC_LIBRARY(Abort)(*comm, 1);
}

std::vector<std::int32_t> peers_of(MPI_Comm comm) {
  MPI_Group group = MPI_GROUP_NULL;
  int inter = 0;
  PMPI_Comm_test_inter(comm, &inter);
  inter != 0 ? PMPI_Comm_remote_group(comm, &group) : PMPI_Comm_group(comm, &group);
  std::vector<std::int32_t> result = world_ranks(group);
  PMPI_Group_free(&group);
  return result;
}

}  // namespace

std::vector<std::int32_t> world_ranks(MPI_Group group) {
  int size = 0;
  PMPI_Group_size(group, &size);
  std::vector<int> own(static_cast<std::size_t>(size)), result(own.size());
  for (int i = 0; i < size; ++i) own[static_cast<std::size_t>(i)] = i;
  MPI_Group world = MPI_GROUP_NULL;
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  PMPI_Group_translate_ranks(group, size, own.data(), world, result.data());
  PMPI_Group_free(&world);
  return {result.begin(), result.end()};
}

#ifndef SCHEDCC_SMPI
Recorder& recorder() {
  static auto* const one = new Recorder;  // until the very end of the process
  return *one;
}
#endif

void Recorder::start() {
  const char* const folder = std::getenv(record::folder_variable);
  if (folder == nullptr || on()) return;
  int rank = 0, ranks = 1;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  log_.open(folder, rank, ranks);
  if (!on()) {
    std::fprintf(stderr, "%sof rank %d cannot write its log in %s: %s\n", record::complaint, rank,
                 folder, std::strerror(errno));
    SCHEDCC_LIBRARY(Abort)(MPI_COMM_WORLD, 1);
  }
  communicators_[MPI_COMM_WORLD] = {1, peers_of(MPI_COMM_WORLD)};
  communicators_[MPI_COMM_SELF] = {2, {rank}};
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  PMPI_Comm_create_errhandler(at_error, &handler);
  PMPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  PMPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
  ::on_exit(at_exit, nullptr);
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
    std::signal(signal, at_signal);
}

void Recorder::set_recording(bool recording) {
  recording_ = recording;
  state().recording = recording ? 1 : 0;
}

const Communicator* Recorder::find(MPI_Comm comm) {
  const auto found = communicators_.find(comm);
  if (found != communicators_.end()) return &found->second;
#ifdef SCHEDCC_SMPI
  // One of a collective of the library: a process that executes all ranks has one address for it.
  return &(communicators_[comm] = {reinterpret_cast<std::uint64_t>(comm), peers_of(comm)});
#else
  unrecorded("the function that made its communicator");
  return nullptr;
#endif
}

std::uint64_t Recorder::new_channel(MPI_Comm comm) {
  std::uint64_t channel = (static_cast<std::uint64_t>(state().rank) + 1) << 32 |
                          static_cast<std::uint32_t>(++channels_);
  SCHEDCC_LIBRARY(Bcast)(&channel, 1, MPI_UINT64_T, 0, comm);
  return channel;
}

int Recorder::add(int error, const MPI_Comm* comm) {
  if (!on() || error != MPI_SUCCESS || *comm == MPI_COMM_NULL) return error;
  communicators_[*comm] = {new_channel(*comm), peers_of(*comm)};
  return error;
}

std::int32_t Recorder::world_rank(MPI_Comm comm, int peer) {
  if (peer == MPI_PROC_NULL) return record::no_peer;
  if (peer == MPI_ANY_SOURCE) return record::any_peer;
  const Communicator* const known = find(comm);
  if (known == nullptr || peer < 0 || static_cast<std::size_t>(peer) >= known->ranks.size())
    return record::no_peer;
  return known->ranks[static_cast<std::size_t>(peer)];
}

Request* Recorder::find_request(MPI_Request request) {
  const auto found = requests_.find(request);
  return found == requests_.end() ? nullptr : &found->second;
}

void Recorder::add_request(MPI_Request request, const Request& known) {
  if (known.peer != MPI_PROC_NULL) requests_[request] = known;
}

void Recorder::sent(const void* buffer, int count, MPI_Datatype type, int peer, int tag,
                    MPI_Comm comm) {
  const std::int32_t to = recording_ ? world_rank(comm, peer) : record::no_peer;
  if (to < 0 || to == state().rank) return;
  log({EventKind::send, to, tag, {}, find(comm)->channel, 0, 0, 0}, buffer, count, type);
}

void Recorder::received(const MPI_Status& status, MPI_Comm comm, std::uint64_t order) {
  int cancelled = 0, bytes = 0;
  PMPI_Test_cancelled(&status, &cancelled);
  const std::int32_t from =
      recording_ && cancelled == 0 ? world_rank(comm, status.MPI_SOURCE) : record::no_peer;
  if (from < 0 || from == state().rank) return;
  PMPI_Get_count(&status, MPI_BYTE, &bytes);
  log({EventKind::receive,
       from,
       status.MPI_TAG,
       {},
       find(comm)->channel,
       order,
       static_cast<std::uint64_t>(std::max(bytes, 0)),
       0});
}

void Recorder::started(MPI_Request request) {
  Request* const known = find_request(request);
  if (known == nullptr) return;
  if (known->receive) {
    known->order = next_order();
    known->recorded = recording_;
  } else {
    sent(known->buffer, known->count, known->type, known->peer, known->tag, known->comm);
  }
}

void Recorder::completed(MPI_Request request, const MPI_Status& status) {
  const auto found = requests_.find(request);
  if (found == requests_.end()) return;
  Request& known = found->second;
  if (known.receive && known.recorded) received(status, known.comm, known.order);
  known.recorded = false;
  if (!known.persistent) requests_.erase(found);
}

void Recorder::log(const Event& event) {
  if (recording_) log_.append(event);
}

void Recorder::log(Event event, const void* buffer, int count, MPI_Datatype type) {
  if (!recording_) return;
  event.stored = event.bytes = packed_size(count, type);
  std::byte* const to = log_.append(event);
  if (to == nullptr || event.bytes == 0) return;
  if (is_packed(type)) {
    std::memcpy(to, buffer, event.bytes);
    return;
  }
  int position = 0;
  PMPI_Pack(buffer, count, type, to, static_cast<int>(event.bytes), &position, MPI_COMM_SELF);
}

void Recorder::unrecorded(const char* name) {
  if (!recording_) return;
  Event event{EventKind::unrecorded, 0, 0, {}, 0, 0, 0, std::strlen(name)};
  if (std::byte* const to = log_.append(event)) std::memcpy(to, name, event.stored);
}

void Recorder::refuse(const std::string& reason) {
  set_text(state().error, reason.c_str());
  state().refused = 1;
  SCHEDCC_LIBRARY(Abort)(MPI_COMM_WORLD, 1);
  std::_Exit(1);
}

std::uint64_t packed_size(int count, MPI_Datatype type) {
  int size = 0;
  PMPI_Type_size(type, &size);
  return static_cast<std::uint64_t>(std::max(count, 0)) * static_cast<std::uint64_t>(size);
}

bool is_packed(MPI_Datatype type) {
  int integers = 0, addresses = 0, types = 0, combiner = 0, size = 0;
  MPI_Aint lower = 0, extent = 0;
  PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
  PMPI_Type_get_extent(type, &lower, &extent);
  PMPI_Type_size(type, &size);
  return combiner == MPI_COMBINER_NAMED && lower == 0 && extent == size;
}

namespace {

record::Wait waiting(std::uint32_t receives, int peer, int tag, MPI_Comm comm) {
  if (!recorder().on()) return {record::no_peer, 0, 0};
  return {recorder().world_rank(comm, peer), tag == MPI_ANY_TAG ? record::any_tag : tag, receives};
}

}  // namespace

record::Wait sending(int to, int tag, MPI_Comm comm) { return waiting(0, to, tag, comm); }

record::Wait receiving(int from, int tag, MPI_Comm comm) { return waiting(1, from, tag, comm); }

Call::Call(const char* name, std::initializer_list<record::Wait> waits, Kind kind)
    : seen_(recorder().enter_call()), kind_(kind) {
  enter(name);
  for (const record::Wait& wait : waits) add(wait);
}

Call::Call(const char* name, const MPI_Request* requests, int count, Kind kind)
    : seen_(recorder().enter_call()), kind_(kind) {
  enter(name);
  for (int i = 0; seen_ && i < count; ++i) {
    if (requests[i] == MPI_REQUEST_NULL) continue;
    const Request* const request = recorder().find_request(requests[i]);
    if (request == nullptr) continue;
    add((request->receive ? receiving : sending)(request->peer, request->tag, request->comm));
  }
}

void Call::enter(const char* name) {
  if (!seen_) return;
  record::State& state = recorder().state();
  if (kind_ == Kind::waits) ++state.calls;
  set_text(state.call, name);
  state.waits = state.others = 0;
}

void Call::add(const record::Wait& wait) {
  if (!seen_ || wait.peer == record::no_peer) return;
  record::State& state = recorder().state();
  if (state.waits < record::max_waits) {
    state.waiting[state.waits++] = wait;
  } else {
    ++state.others;
  }
}

Call::~Call() {
  recorder().leave_call();
  // SMPI ends ranks that wait in vain by an exception: what they wait for remains.
  if (!seen_ || !left_ || std::uncaught_exceptions() > 0) return;
  record::State& state = recorder().state();
  ++state.calls;
  state.call[0] = 0;
  state.waits = state.others = 0;
}

}  // namespace schedcc::recorder
