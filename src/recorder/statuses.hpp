#pragma once

// The statuses of calls, which the recorder needs also where the program ignores them.

#include <cstddef>
#include <vector>

#include "recorder/recorder.hpp"

namespace schedcc::recorder {

/// Where a call stores its status, which the recorder needs, too.
class CallStatus {
 public:
  explicit CallStatus(MPI_Status* wanted) : wanted_(wanted) {}
  MPI_Status* get() { return wanted_ == MPI_STATUS_IGNORE ? &own_ : wanted_; }
  const MPI_Status& value() { return *get(); }

 private:
  MPI_Status* wanted_;
  MPI_Status own_{};
};

/// The requests of a call before it, as it may set them to MPI_REQUEST_NULL, and their statuses.
class Requests {
 public:
  Requests(int count, const MPI_Request* requests, MPI_Status* statuses)
      : before_(requests, requests + count),
        own_(statuses == MPI_STATUSES_IGNORE ? before_.size() : 0),
        statuses_(statuses == MPI_STATUSES_IGNORE ? own_.data() : statuses) {}

  MPI_Status* statuses() { return statuses_; }
  void completed(int index, int status) {
    const MPI_Request request = before_[static_cast<std::size_t>(index)];
    if (request != MPI_REQUEST_NULL) recorder().completed(request, statuses_[status]);
  }
  void completed(int index) { completed(index, index); }

 private:
  std::vector<MPI_Request> before_;
  std::vector<MPI_Status> own_;
  MPI_Status* statuses_;
};

}  // namespace schedcc::recorder
