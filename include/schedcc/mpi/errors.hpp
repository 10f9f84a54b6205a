#pragma once

// <mpi.h> without the deprecated C++ bindings, and exceptions for MPI's errors.

#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX 1
#endif
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX 1
#endif
#include <mpi.h>

#include <unistd.h>

#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

#include "schedcc/mpi/table.hpp"

namespace schedcc::mpi {

/// Throws Error if a call failed, with `where` and MPI's error string.
inline void check(int status, const std::string& where = {}) {
  if (status == MPI_SUCCESS) return;
  std::vector<char> text(MPI_MAX_ERROR_STRING + 1);
  int length = 0;
  MPI_Error_string(status, text.data(), &length);
  throw Error(where + "MPI: " + text.data());
}

/// While an object exists, calls return their errors also if MPI uses the error handler of
/// MPI_COMM_WORLD (or, since MPI-4, of MPI_COMM_SELF): for datatypes, operations, and several
/// requests. The end of the last object, in any thread, restores the program's handlers.
class ErrorsReturn {
 public:
  ErrorsReturn() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (alive_++ != 0) return;
    for (Handler& handler : handlers()) {
      MPI_Comm_get_errhandler(handler.comm, &handler.before);
      MPI_Comm_set_errhandler(handler.comm, MPI_ERRORS_RETURN);
    }
  }
  ~ErrorsReturn() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (--alive_ != 0) return;
    for (Handler& handler : handlers()) {
      MPI_Comm_set_errhandler(handler.comm, handler.before);
      MPI_Errhandler_free(&handler.before);
    }
  }
  ErrorsReturn(const ErrorsReturn&) = delete;
  ErrorsReturn& operator=(const ErrorsReturn&) = delete;

 private:
  struct Handler {
    MPI_Comm comm;
    MPI_Errhandler before;
  };
  static std::vector<Handler>& handlers() {
    static std::vector<Handler> both{{MPI_COMM_WORLD, MPI_ERRHANDLER_NULL},
                                     {MPI_COMM_SELF, MPI_ERRHANDLER_NULL}};
    return both;
  }

  static inline std::mutex mutex_;
  static inline int alive_ = 0;
};

/// Has MPI been finalised? Then objects can no longer be freed.
inline bool finalized() {
  int result = 0;
  MPI_Finalized(&result);
  return result != 0;
}

/// Ends all processes with a status, after a second: a launcher that ends them may drop the unread
/// part of a message written just before. Async-signal-safe, except for MPI_Abort.
inline void abort_all(int status) {
#ifndef SMPI_H
  sleep(1);
#endif
  MPI_Abort(MPI_COMM_WORLD, status);
}

}  // namespace schedcc::mpi
