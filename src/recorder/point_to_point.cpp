// Messages: their sends and receives.

#include <map>

#include "recorder/recorder.hpp"
#include "recorder/statuses.hpp"

namespace schedcc::recorder {

namespace {

/// A receive that a probe has matched.
struct MatchedReceive {
  MPI_Comm comm;
  std::uint64_t order;
};
std::map<MPI_Message, MatchedReceive>& matched_receives() {
  static auto* const all = new std::map<MPI_Message, MatchedReceive>;
  return *all;
}

using Send = int(const void*, int, MPI_Datatype, int, int, MPI_Comm);
using StartSend = int(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);

int send(const char* name, Send* library, const void* buffer, int count, MPI_Datatype type,
         int peer, int tag, MPI_Comm comm) {
  const Call call(name, {sending(peer, tag, comm)});
  if (call.seen()) recorder().sent(buffer, count, type, peer, tag, comm);
  return library(buffer, count, type, peer, tag, comm);
}

enum class Sends : std::uint8_t { once, persistent };

/// A persistent request sends nothing yet.
int start_send(const char* name, StartSend* library, const void* buffer, int count,
               MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request* request,
               Sends sends) {
  const Call call(name);
  if (call.seen() && sends == Sends::once) recorder().sent(buffer, count, type, peer, tag, comm);
  const int error = library(buffer, count, type, peer, tag, comm, request);
  if (call.seen() && error == MPI_SUCCESS) {
    recorder().add_request(*request, {.persistent = sends == Sends::persistent,
                                      .peer = peer,
                                      .tag = tag,
                                      .comm = comm,
                                      .buffer = buffer,
                                      .count = count,
                                      .type = type});
  }
  return error;
}

}  // namespace

}  // namespace schedcc::recorder

using namespace schedcc::recorder;

#define SEND(X)                                                                          \
  SCHEDCC_MPI(X)                                                                         \
  (const void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm) { \
    return send("MPI_" #X, SCHEDCC_LIBRARY(X), buffer, count, type, peer, tag, comm);    \
  }
#define START_SEND(X, sends)                                                               \
  SCHEDCC_MPI(X)                                                                           \
  (const void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,     \
   MPI_Request* request) {                                                                 \
    return start_send("MPI_" #X, SCHEDCC_LIBRARY(X), buffer, count, type, peer, tag, comm, \
                      request, Sends::sends);                                              \
  }
SEND(Send)
SEND(Ssend)
SEND(Bsend)
SEND(Rsend)
START_SEND(Isend, once)
START_SEND(Issend, once)
START_SEND(Ibsend, once)
START_SEND(Irsend, once)
START_SEND(Send_init, persistent)
START_SEND(Ssend_init, persistent)
START_SEND(Bsend_init, persistent)
START_SEND(Rsend_init, persistent)

SCHEDCC_MPI(Recv)
(void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Status* wanted) {
  const Call call("MPI_Recv", {receiving(peer, tag, comm)});
  CallStatus status(wanted);
  const std::uint64_t order = recorder().next_order();
  const int error = SCHEDCC_LIBRARY(Recv)(buffer, count, type, peer, tag, comm, status.get());
  if (call.seen() && error == MPI_SUCCESS) recorder().received(status.value(), comm, order);
  return error;
}

SCHEDCC_MPI(Irecv)
(void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
 MPI_Request* request) {
  const Call call("MPI_Irecv");
  const std::uint64_t order = recorder().next_order();
  const int error = SCHEDCC_LIBRARY(Irecv)(buffer, count, type, peer, tag, comm, request);
  if (call.seen() && error == MPI_SUCCESS)
    recorder().add_request(*request, {.receive = true,
                                      .recorded = recorder().recording(),
                                      .peer = peer,
                                      .tag = tag,
                                      .comm = comm,
                                      .order = order});
  return error;
}

SCHEDCC_MPI(Recv_init)
(void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
 MPI_Request* request) {
  const Call call("MPI_Recv_init");
  const int error = SCHEDCC_LIBRARY(Recv_init)(buffer, count, type, peer, tag, comm, request);
  if (call.seen() && error == MPI_SUCCESS)
    recorder().add_request(
        *request, {.receive = true, .persistent = true, .peer = peer, .tag = tag, .comm = comm});
  return error;
}

SCHEDCC_MPI(Start)(MPI_Request* request) {
  const Call call("MPI_Start");
  if (call.seen()) recorder().started(*request);
  return SCHEDCC_LIBRARY(Start)(request);
}

SCHEDCC_MPI(Startall)(int count, MPI_Request requests[]) {
  const Call call("MPI_Startall");
  for (int i = 0; call.seen() && i < count; ++i) recorder().started(requests[i]);
  return SCHEDCC_LIBRARY(Startall)(count, requests);
}

SCHEDCC_MPI(Sendrecv)
(const void* send_buffer, int send_count, MPI_Datatype send_type, int to, int send_tag,
 void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* wanted) {
  const Call call("MPI_Sendrecv", {receiving(from, tag, comm), sending(to, send_tag, comm)});
  if (call.seen()) recorder().sent(send_buffer, send_count, send_type, to, send_tag, comm);
  CallStatus status(wanted);
  const std::uint64_t order = recorder().next_order();
  const int error = SCHEDCC_LIBRARY(Sendrecv)(send_buffer, send_count, send_type, to, send_tag,
                                              buffer, count, type, from, tag, comm, status.get());
  if (call.seen() && error == MPI_SUCCESS) recorder().received(status.value(), comm, order);
  return error;
}

SCHEDCC_MPI(Sendrecv_replace)
(void* buffer, int count, MPI_Datatype type, int to, int send_tag, int from, int tag, MPI_Comm comm,
 MPI_Status* wanted) {
  const Call call("MPI_Sendrecv_replace",
                  {receiving(from, tag, comm), sending(to, send_tag, comm)});
  if (call.seen()) recorder().sent(buffer, count, type, to, send_tag, comm);
  CallStatus status(wanted);
  const std::uint64_t order = recorder().next_order();
  const int error = SCHEDCC_LIBRARY(Sendrecv_replace)(buffer, count, type, to, send_tag, from, tag,
                                                      comm, status.get());
  if (call.seen() && error == MPI_SUCCESS) recorder().received(status.value(), comm, order);
  return error;
}

// A probe receives nothing; a matched one decides which receive it will be.

SCHEDCC_MPI(Probe)(int peer, int tag, MPI_Comm comm, MPI_Status* status) {
  const Call call("MPI_Probe", {receiving(peer, tag, comm)});
  return SCHEDCC_LIBRARY(Probe)(peer, tag, comm, status);
}

SCHEDCC_MPI(Iprobe)(int peer, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  Call call("MPI_Iprobe", {receiving(peer, tag, comm)}, Call::Kind::polls);
  const int error = SCHEDCC_LIBRARY(Iprobe)(peer, tag, comm, flag, status);
  call.done(error == MPI_SUCCESS && *flag != 0);
  return error;
}

SCHEDCC_MPI(Mprobe)
(int peer, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
  const Call call("MPI_Mprobe", {receiving(peer, tag, comm)});
  const int error = SCHEDCC_LIBRARY(Mprobe)(peer, tag, comm, message, status);
  if (call.seen() && error == MPI_SUCCESS)
    matched_receives()[*message] = {comm, recorder().next_order()};
  return error;
}

SCHEDCC_MPI(Improbe)
(int peer, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status) {
  Call call("MPI_Improbe", {receiving(peer, tag, comm)}, Call::Kind::polls);
  const int error = SCHEDCC_LIBRARY(Improbe)(peer, tag, comm, flag, message, status);
  const bool found = error == MPI_SUCCESS && *flag != 0;
  if (call.seen() && found) matched_receives()[*message] = {comm, recorder().next_order()};
  call.done(found);
  return error;
}

SCHEDCC_MPI(Mrecv)
(void* buffer, int count, MPI_Datatype type, MPI_Message* message, MPI_Status* wanted) {
  const Call call("MPI_Mrecv");
  const auto found = matched_receives().find(*message);
  CallStatus status(wanted);
  const int error = SCHEDCC_LIBRARY(Mrecv)(buffer, count, type, message, status.get());
  if (found == matched_receives().end()) return error;
  if (call.seen() && error == MPI_SUCCESS)
    recorder().received(status.value(), found->second.comm, found->second.order);
  matched_receives().erase(found);
  return error;
}

SCHEDCC_MPI(Imrecv)
(void* buffer, int count, MPI_Datatype type, MPI_Message* message, MPI_Request* request) {
  const Call call("MPI_Imrecv");
  const auto found = matched_receives().find(*message);
  const int error = SCHEDCC_LIBRARY(Imrecv)(buffer, count, type, message, request);
  if (found == matched_receives().end()) return error;
  if (call.seen() && error == MPI_SUCCESS) {
    recorder().add_request(*request, {.receive = true,
                                      .recorded = recorder().recording(),
                                      .peer = MPI_ANY_SOURCE,
                                      .tag = MPI_ANY_TAG,
                                      .comm = found->second.comm,
                                      .order = found->second.order});
  }
  matched_receives().erase(found);
  return error;
}
