// A library to preload into simulations without overheads: MPI_Waitall waits for one request after
// the other.
//
// SMPI's own waits until any of them has ended, and again for the others, each time registering
// with all that are left: its time is quadratic in the number of requests. All have ended at the
// same simulated time in either order, which is when the rank goes on, since a call takes no
// simulated time on these platforms. Where a receive occupies its rank, the order in which requests
// end matters, and SMPI's own function is used.

#include <smpi/mpi.h>

namespace simgrid::smpi {

/// What is used of SMPI's class. Its functions are exported, and called through the table of
/// symbols, so that a definition that is loaded first takes the place of SMPI's.
class Request {
 public:
  static int wait(MPI_Request* request, MPI_Status* status);
  static int waitall(int count, MPI_Request requests[], MPI_Status statuses[]);
};

int Request::waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
  int result = MPI_SUCCESS;
  for (int i = 0; i < count; ++i) {
    if (requests[i] == MPI_REQUEST_NULL) continue;
    MPI_Status* const status = statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[i];
    if (wait(&requests[i], status) != MPI_SUCCESS) result = MPI_ERR_IN_STATUS;
  }
  return result;
}

}  // namespace simgrid::smpi
