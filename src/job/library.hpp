#pragma once

// What schedcc needs of an MPI library: to share work among the processes that a launcher started.
//
// schedcc links no MPI library, so that it starts fast, and one binary serves all of them. A shared
// library for each of them, libschedcc-job-NAME.so, has the table below as `schedcc_job`; it is
// loaded by processes of a job alone (cli/job.cpp). An error of MPI ends the job.

#include <cstddef>

namespace schedcc::job {

struct Library {
  /// Changes with this struct.
  static constexpr int current_version = 1;
  int version;
  /// Initializes MPI; the number of this process, and how many there are.
  void (*join)(std::size_t* rank, std::size_t* size);
  /// Returns when the bytes may be changed.
  void (*send)(std::size_t to, const void* bytes, std::size_t size);
  /// The sizes of a message and of its receive are equal.
  void (*receive)(std::size_t from, void* bytes, std::size_t size);
  /// Is there a message from this process?
  bool (*is_waiting)(std::size_t from);
  /// All messages have been received.
  void (*leave)();
};

/// The name of the table.
inline constexpr const char* library_symbol = "schedcc_job";

}  // namespace schedcc::job
