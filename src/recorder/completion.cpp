// The completion of requests.

#include "recorder/recorder.hpp"
#include "recorder/statuses.hpp"

using namespace schedcc::recorder;

SCHEDCC_MPI(Wait)(MPI_Request* request, MPI_Status* status) {
  const Call call("MPI_Wait", request, 1);
  Requests known(1, request, status);
  const int error = SCHEDCC_LIBRARY(Wait)(request, known.statuses());
  if (call.seen() && error == MPI_SUCCESS) known.completed(0);
  return error;
}

SCHEDCC_MPI(Waitall)(int count, MPI_Request requests[], MPI_Status* statuses) {
  const Call call("MPI_Waitall", requests, count);
  Requests known(count, requests, statuses);
  const int error = SCHEDCC_LIBRARY(Waitall)(count, requests, known.statuses());
  for (int i = 0; call.seen() && error == MPI_SUCCESS && i < count; ++i) known.completed(i);
  return error;
}

SCHEDCC_MPI(Waitany)(int count, MPI_Request requests[], int* index, MPI_Status* status) {
  const Call call("MPI_Waitany", requests, count);
  Requests known(count, requests, status);
  const int error = SCHEDCC_LIBRARY(Waitany)(count, requests, index, known.statuses());
  if (call.seen() && error == MPI_SUCCESS && *index != MPI_UNDEFINED) known.completed(*index, 0);
  return error;
}

SCHEDCC_MPI(Waitsome)
(int count, MPI_Request requests[], int* done, int indices[], MPI_Status* statuses) {
  const Call call("MPI_Waitsome", requests, count);
  Requests known(count, requests, statuses);
  const int error = SCHEDCC_LIBRARY(Waitsome)(count, requests, done, indices, known.statuses());
  if (!call.seen() || error != MPI_SUCCESS || *done == MPI_UNDEFINED) return error;
  for (int i = 0; i < *done; ++i) known.completed(indices[i], i);
  return error;
}

SCHEDCC_MPI(Test)(MPI_Request* request, int* flag, MPI_Status* status) {
  Call call("MPI_Test", request, 1, Call::Kind::polls);
  Requests known(1, request, status);
  const int error = SCHEDCC_LIBRARY(Test)(request, flag, known.statuses());
  const bool progress = error == MPI_SUCCESS && *flag != 0;
  if (call.seen() && progress) known.completed(0);
  call.done(progress);
  return error;
}

SCHEDCC_MPI(Testall)(int count, MPI_Request requests[], int* flag, MPI_Status* statuses) {
  Call call("MPI_Testall", requests, count, Call::Kind::polls);
  Requests known(count, requests, statuses);
  const int error = SCHEDCC_LIBRARY(Testall)(count, requests, flag, known.statuses());
  const bool progress = error == MPI_SUCCESS && *flag != 0;
  for (int i = 0; call.seen() && progress && i < count; ++i) known.completed(i);
  call.done(progress);
  return error;
}

SCHEDCC_MPI(Testany)
(int count, MPI_Request requests[], int* index, int* flag, MPI_Status* status) {
  Call call("MPI_Testany", requests, count, Call::Kind::polls);
  Requests known(count, requests, status);
  const int error = SCHEDCC_LIBRARY(Testany)(count, requests, index, flag, known.statuses());
  const bool progress = error == MPI_SUCCESS && *flag != 0;
  if (call.seen() && progress && *index != MPI_UNDEFINED) known.completed(*index, 0);
  call.done(progress);
  return error;
}

SCHEDCC_MPI(Testsome)
(int count, MPI_Request requests[], int* done, int indices[], MPI_Status* statuses) {
  Call call("MPI_Testsome", requests, count, Call::Kind::polls);
  Requests known(count, requests, statuses);
  const int error = SCHEDCC_LIBRARY(Testsome)(count, requests, done, indices, known.statuses());
  const bool progress = error == MPI_SUCCESS && *done != 0;
  for (int i = 0; call.seen() && progress && *done != MPI_UNDEFINED && i < *done; ++i)
    known.completed(indices[i], i);
  call.done(progress);
  return error;
}

SCHEDCC_MPI(Request_free)(MPI_Request* request) {
  const Call call("MPI_Request_free");
  if (call.seen()) {
    const Request* const known = recorder().find_request(*request);
    if (known != nullptr && known->receive && known->recorded)
      recorder().unrecorded("MPI_Request_free of a receive");
    recorder().forget_request(*request);
  }
  return SCHEDCC_LIBRARY(Request_free)(request);
}
