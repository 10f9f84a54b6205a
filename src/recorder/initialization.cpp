// MPI's beginning and end, and communicators.

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "recorder/recorder.hpp"

namespace schedcc::recorder {

namespace {

/// Recorders are built for one MPI library, whose handles they know.
void require_own_library() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  PMPI_Get_library_version(text, &length);
#if defined(SCHEDCC_SMPI)
  const bool own = std::strstr(text, "SMPI") != nullptr;
  const char* const name = "SMPI";
#elif defined(OPEN_MPI)
  const bool own = std::strstr(text, "Open MPI") != nullptr;
  const char* const name = "Open MPI";
#else
  const bool own = std::strstr(text, "MPICH") != nullptr;
  const char* const name = "MPICH";
#endif
  if (own) return;
  text[std::strcspn(text, "\n")] = 0;
  std::fprintf(stderr,
               "%sis built for %s, and the program uses %.40s; --recorder names another one\n",
               record::complaint, name, text);
  std::_Exit(1);
}

}  // namespace

}  // namespace schedcc::recorder

using schedcc::recorder::Call;
using schedcc::recorder::recorder;

SCHEDCC_MPI(Init)(int* argc, char*** argv) {
  const int error = SCHEDCC_LIBRARY(Init)(argc, argv);
  schedcc::recorder::require_own_library();
  if (error == MPI_SUCCESS) recorder().start();
  return error;
}

SCHEDCC_MPI(Init_thread)(int* argc, char*** argv, int required, int* provided) {
  const int error = SCHEDCC_LIBRARY(Init_thread)(argc, argv, required, provided);
  schedcc::recorder::require_own_library();
  if (error == MPI_SUCCESS) recorder().start();
  return error;
}

SCHEDCC_MPI(Finalize)() {
  if (recorder().on()) recorder().state().finalized = 1;
  const Call call("MPI_Finalize");
  return SCHEDCC_LIBRARY(Finalize)();
}

SCHEDCC_MPI(Abort)(MPI_Comm comm, int code) {
  if (recorder().on()) {
    auto& error = recorder().state().error;
    if (error[0] == 0) std::snprintf(error, sizeof error, "it called MPI_Abort with %d", code);
  }
  return SCHEDCC_LIBRARY(Abort)(comm, code);
}

// Communicators, of which all their ranks learn the number.

// NOLINTBEGIN(bugprone-macro-parentheses): parameters and arguments have them.
#define SCHEDCC_NEW_COMMUNICATOR(X, parameters, arguments)       \
  SCHEDCC_MPI(X) parameters {                                    \
    const Call call("MPI_" #X);                                  \
    return recorder().add(SCHEDCC_LIBRARY(X) arguments, result); \
  }
// NOLINTEND(bugprone-macro-parentheses)

SCHEDCC_NEW_COMMUNICATOR(Comm_dup, (MPI_Comm comm, MPI_Comm* result), (comm, result))
SCHEDCC_NEW_COMMUNICATOR(Comm_dup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm* result),
                         (comm, info, result))
SCHEDCC_NEW_COMMUNICATOR(Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm* result),
                         (comm, color, key, result))
SCHEDCC_NEW_COMMUNICATOR(Comm_split_type,
                         (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* result),
                         (comm, type, key, info, result))
SCHEDCC_NEW_COMMUNICATOR(Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm* result),
                         (comm, group, result))
SCHEDCC_NEW_COMMUNICATOR(Comm_create_group,
                         (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* result),
                         (comm, group, tag, result))
SCHEDCC_NEW_COMMUNICATOR(Cart_create,
                         (MPI_Comm comm, int n, const int dims[], const int periods[], int reorder,
                          MPI_Comm* result),
                         (comm, n, dims, periods, reorder, result))
SCHEDCC_NEW_COMMUNICATOR(Cart_sub, (MPI_Comm comm, const int remain[], MPI_Comm* result),
                         (comm, remain, result))
SCHEDCC_NEW_COMMUNICATOR(Graph_create,
                         (MPI_Comm comm, int n, const int index[], const int edges[], int reorder,
                          MPI_Comm* result),
                         (comm, n, index, edges, reorder, result))
SCHEDCC_NEW_COMMUNICATOR(Dist_graph_create_adjacent,
                         (MPI_Comm comm, int n, const int sources[], const int source_weights[],
                          int m, const int destinations[], const int weights[], MPI_Info info,
                          int reorder, MPI_Comm* result),
                         (comm, n, sources, source_weights, m, destinations, weights, info, reorder,
                          result))
SCHEDCC_NEW_COMMUNICATOR(Intercomm_merge, (MPI_Comm comm, int high, MPI_Comm* result),
                         (comm, high, result))

SCHEDCC_MPI(Comm_free)(MPI_Comm* comm) {
  recorder().forget(*comm);
  const Call call("MPI_Comm_free");
  return SCHEDCC_LIBRARY(Comm_free)(comm);
}
