#pragma once

// <mpi.h> without the C++ bindings of old, and what becomes of MPI's errors: exceptions.

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

/// Throws Error with MPI's own words where a call failed, behind those of `where`.
inline void check(int status, const std::string& where = {}) {
  if (status == MPI_SUCCESS) return;
  std::vector<char> text(MPI_MAX_ERROR_STRING + 1);
  int length = 0;
  MPI_Error_string(status, text.data(), &length);
  throw Error(where + "MPI: " + text.data());
}

/// While one of these lives, calls return their errors also where MPI asks the error handler of
/// MPI_COMM_WORLD (or, since MPI-4, of MPI_COMM_SELF) what to do: about datatypes, operations, and
/// requests of which there are several. The handlers that the program has set come back with the
/// end of the last one, whichever threads they are in.
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

/// Is MPI over? What has not been freed by then can only be forgotten.
inline bool finalized() {
  int result = 0;
  MPI_Finalized(&result);
  return result != 0;
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

}  // namespace schedcc::mpi
