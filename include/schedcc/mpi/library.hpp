#pragma once

// MPI as the executor uses it: a communicator of its own, and waiting for messages.

#include <sched.h>

#include <cstdint>
#include <vector>

#include "schedcc/mpi/errors.hpp"

namespace schedcc::mpi {

/// A duplicate communicator, so that foreign messages cannot match the table's.
class Communicator {
 public:
  explicit Communicator(MPI_Comm other) {
    check(MPI_Comm_dup(other, &comm_));
    check(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN));
    int rank = 0, size = 0;
    check(MPI_Comm_rank(comm_, &rank));
    check(MPI_Comm_size(comm_, &size));
    context_.rank = static_cast<std::uint32_t>(rank);
    context_.size = static_cast<std::uint32_t>(size);
    void* bound = nullptr;
    int known = 0;
    check(MPI_Comm_get_attr(comm_, MPI_TAG_UB, &bound, &known));
    if (known != 0) context_.last_tag = static_cast<std::uint64_t>(*static_cast<int*>(bound));
  }
  ~Communicator() {
    if (!finalized()) MPI_Comm_free(&comm_);
  }
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  MPI_Comm get() const { return comm_; }
  const RankContext& context() const { return context_; }
  std::uint32_t rank() const { return context_.rank; }
  std::uint32_t size() const { return context_.size; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  RankContext context_;
};

/// Waits for one of the requests, and returns which; the result is MPI's. MPICH's MPI_Waitany does
/// not yield the processor to other processes, which matters if there are more of them than
/// processors. (In SMPI's simulation polling costs time, and waiting costs none.)
inline int wait_any(std::vector<MPI_Request>& requests, int& index, MPI_Status& status) {
  const auto count = static_cast<int>(requests.size());
#ifdef SMPI_H
  return MPI_Waitany(count, requests.data(), &index, &status);
#else
  constexpr int polls = 64;  // before the processor is yielded
  for (int i = 0, done = 0, result = MPI_SUCCESS;; ++i) {
    if (i >= polls) sched_yield();
    result = MPI_Testany(count, requests.data(), &index, &done, &status);
    if (result != MPI_SUCCESS || done != 0) return result;
  }
#endif
}

}  // namespace schedcc::mpi
