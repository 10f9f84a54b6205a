#pragma once

// MPI's functions as the preloaded library defines and calls them.
//
// It defines MPI_X and PMPI_X: C and C++ programs call the first, the Fortran bindings of Open MPI
// the second, so that programs in any language are seen. It calls the library's own PMPI_X, which
// is the next definition of that name.

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <dlfcn.h>
#include <mpi.h>

#ifdef SMPI_H  // of its mpi.h
#define SCHEDCC_SMPI
#endif

namespace schedcc::recorder {

/// The library's own definition of a function of MPI.
template <typename Function>
Function* library_function(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace schedcc::recorder

#define SCHEDCC_EXPORTED __attribute__((visibility("default")))

/// MPI_X of the library.
#define SCHEDCC_LIBRARY(X)                                                   \
  ([] {                                                                      \
    static const auto function =                                             \
        schedcc::recorder::library_function<decltype(PMPI_##X)>("PMPI_" #X); \
    return function;                                                         \
  }())

/// Begins the definition of MPI_X, which is PMPI_X as well: SCHEDCC_MPI(X)(parameters) { ... }
#define SCHEDCC_MPI(X)                                                                      \
  extern "C" SCHEDCC_EXPORTED decltype(MPI_##X) PMPI_##X __attribute__((alias("MPI_" #X))); \
  extern "C" SCHEDCC_EXPORTED int MPI_##X
