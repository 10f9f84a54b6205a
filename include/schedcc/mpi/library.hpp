#pragma once

// <mpi.h> without the C++ bindings of old, and what every call of it has in common.

#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX 1
#endif
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX 1
#endif
#include <mpi.h>

#include <sched.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "schedcc/mpi/table.hpp"

namespace schedcc::mpi {

/// Throws Error with MPI's own words where a call failed, behind those of `where`.
inline void check(int status, const std::string& where = {}) {
  if (status == MPI_SUCCESS) return;
  std::vector<char> text(MPI_MAX_ERROR_STRING + 1);
  int length = 0;
  MPI_Error_string(status, text.data(), &length);
  throw Error(where + "MPI: " + text.data());
}

/// Ends all processes with a status, after a second: a launcher that is told to end them may drop
/// what it has not read yet of a message written just before. Nothing in it may not be done in a
/// signal handler, but for MPI_Abort.
inline void abort_all(int status) {
#ifndef SMPI_H
  sleep(1);
#endif
  MPI_Abort(MPI_COMM_WORLD, status);
}

/// A communicator of its own, so that no message of anybody else can be taken for one of ours.
/// Errors come back as exceptions.
class Communicator {
 public:
  explicit Communicator(MPI_Comm other) {
    check(MPI_Comm_dup(other, &comm_));
    check(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN));
    int rank = 0, size = 0;
    check(MPI_Comm_rank(comm_, &rank));
    check(MPI_Comm_size(comm_, &size));
    seat_.rank = static_cast<std::uint32_t>(rank);
    seat_.size = static_cast<std::uint32_t>(size);
    void* bound = nullptr;
    int known = 0;
    check(MPI_Comm_get_attr(comm_, MPI_TAG_UB, &bound, &known));
    if (known != 0) seat_.last_tag = static_cast<std::uint64_t>(*static_cast<int*>(bound));
  }
  ~Communicator() { MPI_Comm_free(&comm_); }
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  MPI_Comm get() const { return comm_; }
  const Seat& seat() const { return seat_; }
  std::uint32_t rank() const { return seat_.rank; }
  std::uint32_t size() const { return seat_.size; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  Seat seat_;
};

/// An element: any datatype, also one with gaps or a lower bound of its own.
struct Element {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Aint extent = 0, true_low = 0, true_extent = 0;

  explicit Element(MPI_Datatype datatype) : type(datatype) {
    MPI_Aint low = 0;
    check(MPI_Type_get_extent(type, &low, &extent));
    check(MPI_Type_get_true_extent(type, &true_low, &true_extent));
  }
  /// From one element to one `elements` further on.
  MPI_Aint distance(std::uint64_t elements) const {
    return extent * static_cast<MPI_Aint>(elements);
  }
};

/// Memory for elements.
class Buffer {
 public:
  Buffer(const Element& element, std::uint64_t elements)
      : bytes_(elements == 0 ? 1
                             : static_cast<std::size_t>(element.distance(elements - 1) +
                                                        element.true_extent)),
        start_(bytes_.data() - element.true_low) {}
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  /// Where MPI begins to count.
  std::byte* start() { return start_; }
  /// What the elements take, gaps included.
  std::vector<std::byte>& bytes() { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
  std::byte* start_;
};

/// Elements side by side that MPI moves in one call, however many they are.
constexpr std::uint64_t most_at_once = std::uint64_t{1} << 30;

/// `into` = `from` op `into`, element by element.
inline void combine(const std::byte* from, std::byte* into, std::uint64_t elements,
                    const Element& element, MPI_Op op) {
  for (std::uint64_t done = 0; done < elements; done += most_at_once) {
    const MPI_Aint shift = element.distance(done);
    check(MPI_Reduce_local(from + shift, into + shift,
                           static_cast<int>(std::min(most_at_once, elements - done)), element.type,
                           op));
  }
}

/// Waits for one of the requests, and says which; the result is MPI's. MPICH's own MPI_Waitany
/// keeps its processor from the processes that it waits for, where there are more of them than
/// processors. (In SMPI's simulation a look costs time, and waiting costs none.)
inline int wait_any(std::vector<MPI_Request>& requests, int& index, MPI_Status& status) {
  const auto count = static_cast<int>(requests.size());
#ifdef SMPI_H
  return MPI_Waitany(count, requests.data(), &index, &status);
#else
  constexpr int polls = 64;  // before others get the processor
  for (int i = 0, done = 0, result = MPI_SUCCESS;; ++i) {
    if (i >= polls) sched_yield();
    result = MPI_Testany(count, requests.data(), &index, &done, &status);
    if (result != MPI_SUCCESS || done != 0) return result;
  }
#endif
}

/// Copies elements as they lie in memory.
inline void copy_elements(const std::byte* from, std::byte* to, std::uint64_t elements,
                          const Element& element) {
  if (elements == 0) return;
  std::memcpy(to + element.true_low, from + element.true_low,
              static_cast<std::size_t>(element.distance(elements - 1) + element.true_extent));
}

}  // namespace schedcc::mpi
