// SMPI, the MPI of the simulator SimGrid (Degomme et al., Simulating MPI Applications: The SMPI
// Approach, 2017). It executes all ranks in one process, and its collectives, which are those of
// MPICH, Open MPI and MVAPICH2, send their messages by functions of a class that its library
// exports. Defining these here records the messages of a collective of the library, which other
// libraries do not show.

#include "recorder/mpi.hpp"

#ifdef SCHEDCC_SMPI

#include <simgrid/actor.h>

#include <map>
#include <type_traits>

#include "recorder/recorder.hpp"
#include "recorder/statuses.hpp"

namespace schedcc::recorder {

Recorder& recorder() {
  static auto* const all = new std::map<aid_t, Recorder>;
  return (*all)[sg_actor_self() == nullptr ? 0 : sg_actor_self_get_pid()];
}

namespace {

/// The library's own definition of a function that is defined here.
template <auto function>
auto own() {
  static const auto found = [] {
    Dl_info here{};
    ::dladdr(reinterpret_cast<void*>(function), &here);
    return library_function<std::remove_pointer_t<decltype(function)>>(here.dli_sname);
  }();
  return found;
}

/// A call within a collective. These functions call one another.
class InnerCall {
 public:
  InnerCall() : collective_(false) {}
  bool seen() const { return collective_.before(); }

 private:
  CollectiveScope collective_;
};

void add(MPI_Request request, Request known) {
  Recorder& here = recorder();
  if (known.receive && !known.persistent) {
    known.recorded = here.recording();
    known.order = here.next_order();
  }
  here.add_request(request, known);
}

/// Calls the library's own `function`, and adds the request that it makes, of this kind.
template <auto function, typename Buffer>
MPI_Request make_request(Request kind, Buffer* buffer, int count, MPI_Datatype type, int peer,
                         int tag, MPI_Comm comm) {
  const InnerCall call;
  const bool sends = !kind.receive && !kind.persistent;
  if (call.seen() && sends) recorder().sent(buffer, count, type, peer, tag, comm);
  const MPI_Request request = own<function>()(buffer, count, type, peer, tag, comm);
  if (!call.seen()) return request;
  kind.peer = peer;
  kind.tag = tag;
  kind.comm = comm;
  kind.buffer = buffer;
  kind.count = count;
  kind.type = type;
  add(request, kind);
  return request;
}

}  // namespace

}  // namespace schedcc::recorder

using namespace schedcc::recorder;

namespace simgrid::smpi {

/// The functions of SMPI's class of this name that its collectives call.
class SCHEDCC_EXPORTED Request {
 public:
  static int send(const void* buffer, int count, MPI_Datatype type, int peer, int tag,
                  MPI_Comm comm);
  static int recv(void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                  MPI_Status* status);
  static int sendrecv(const void* send_buffer, int send_count, MPI_Datatype send_type, int to,
                      int send_tag, void* buffer, int count, MPI_Datatype type, int from, int tag,
                      MPI_Comm comm, MPI_Status* status);
  static MPI_Request isend(const void* buffer, int count, MPI_Datatype type, int peer, int tag,
                           MPI_Comm comm);
  static MPI_Request irecv(void* buffer, int count, MPI_Datatype type, int peer, int tag,
                           MPI_Comm comm);
  static MPI_Request isend_init(const void* buffer, int count, MPI_Datatype type, int peer, int tag,
                                MPI_Comm comm);
  static MPI_Request irecv_init(void* buffer, int count, MPI_Datatype type, int peer, int tag,
                                MPI_Comm comm);
  static void startall(int count, MPI_Request* requests);
  static int wait(MPI_Request* request, MPI_Status* status);
  static int waitall(int count, MPI_Request* requests, MPI_Status* statuses);
  static int waitany(int count, MPI_Request* requests, MPI_Status* status);
};

int Request::send(const void* buffer, int count, MPI_Datatype type, int peer, int tag,
                  MPI_Comm comm) {
  const InnerCall call;
  if (call.seen()) recorder().sent(buffer, count, type, peer, tag, comm);
  return own<&Request::send>()(buffer, count, type, peer, tag, comm);
}

int Request::recv(void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                  MPI_Status* wanted) {
  const InnerCall call;
  CallStatus status(wanted);
  const std::uint64_t order = recorder().next_order();
  const int error = own<&Request::recv>()(buffer, count, type, peer, tag, comm, status.get());
  if (call.seen()) recorder().received(status.value(), comm, order);
  return error;
}

int Request::sendrecv(const void* send_buffer, int send_count, MPI_Datatype send_type, int to,
                      int send_tag, void* buffer, int count, MPI_Datatype type, int from, int tag,
                      MPI_Comm comm, MPI_Status* wanted) {
  const InnerCall call;
  if (call.seen()) recorder().sent(send_buffer, send_count, send_type, to, send_tag, comm);
  CallStatus status(wanted);
  const std::uint64_t order = recorder().next_order();
  const int error = own<&Request::sendrecv>()(send_buffer, send_count, send_type, to, send_tag,
                                              buffer, count, type, from, tag, comm, status.get());
  // If a rank sends to itself, the status has another rank (SimGrid 3.32).
  if (from != MPI_ANY_SOURCE) status.get()->MPI_SOURCE = from;
  if (call.seen()) recorder().received(status.value(), comm, order);
  return error;
}

MPI_Request Request::isend(const void* buffer, int count, MPI_Datatype type, int peer, int tag,
                           MPI_Comm comm) {
  return make_request<&Request::isend>({}, buffer, count, type, peer, tag, comm);
}

MPI_Request Request::irecv(void* buffer, int count, MPI_Datatype type, int peer, int tag,
                           MPI_Comm comm) {
  return make_request<&Request::irecv>({.receive = true}, buffer, count, type, peer, tag, comm);
}

MPI_Request Request::isend_init(const void* buffer, int count, MPI_Datatype type, int peer, int tag,
                                MPI_Comm comm) {
  return make_request<&Request::isend_init>({.persistent = true}, buffer, count, type, peer, tag,
                                            comm);
}

MPI_Request Request::irecv_init(void* buffer, int count, MPI_Datatype type, int peer, int tag,
                                MPI_Comm comm) {
  return make_request<&Request::irecv_init>({.receive = true, .persistent = true}, buffer, count,
                                            type, peer, tag, comm);
}

void Request::startall(int count, MPI_Request* requests) {
  const InnerCall call;
  for (int i = 0; call.seen() && i < count; ++i) recorder().started(requests[i]);
  own<&Request::startall>()(count, requests);
}

int Request::wait(MPI_Request* request, MPI_Status* status) {
  // One that stands for the requests of a nonblocking collective, for which it calls waitall.
  if (recorder().find_request(*request) == nullptr) return own<&Request::wait>()(request, status);
  const InnerCall call;
  Requests known(1, request, status);
  const int error = own<&Request::wait>()(request, known.statuses());
  if (call.seen()) known.completed(0);
  return error;
}

int Request::waitall(int count, MPI_Request* requests, MPI_Status* statuses) {
  const InnerCall call;
  Requests known(count, requests, statuses);
  const int error = own<&Request::waitall>()(count, requests, known.statuses());
  for (int i = 0; call.seen() && i < count; ++i) known.completed(i);
  return error;
}

int Request::waitany(int count, MPI_Request* requests, MPI_Status* status) {
  const InnerCall call;
  Requests known(count, requests, status);
  const int index = own<&Request::waitany>()(count, requests, known.statuses());
  if (call.seen() && index != MPI_UNDEFINED) known.completed(index, 0);
  return index;
}

}  // namespace simgrid::smpi

// NOLINTBEGIN(performance-unnecessary-value-param): SMPI passes the vector so.
/// Its Request::start_nbc_requests(requests), by which blocking collectives, too, begin those of
/// nonblocking ones; a member, of which `self` is the object.
extern "C" SCHEDCC_EXPORTED void
schedcc_start_nbc_requests(MPI_Request self, std::vector<MPI_Request> requests) __asm__(
    "_ZN7simgrid4smpi7Request18start_nbc_requestsESt6vectorIPS1_SaIS3_EE");

void schedcc_start_nbc_requests(MPI_Request self, std::vector<MPI_Request> requests) {
  const InnerCall call;
  recorder().forget_request(self);  // its address may be that of one that is gone
  for (const MPI_Request request : requests) {
    if (call.seen()) recorder().started(request);
  }
  own<&schedcc_start_nbc_requests>()(self, requests);
}
// NOLINTEND(performance-unnecessary-value-param)

#endif
