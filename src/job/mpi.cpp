// The library by which schedcc shares work over MPI. It is compiled once for each MPI library.
//
// A process may wait for others for as long as a check takes, and there may be more processes than
// processors. So it polls for a moment, and sleeps between polls from then on.

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <algorithm>
#include <ctime>

#include "job/library.hpp"

namespace {

void wait_for(MPI_Request& request) {
  constexpr int polls_without_pause = 100;
  constexpr long least = 20'000, most = 2'000'000;  // nanoseconds
  timespec pause{0, least};
  int done = 0;
  for (int polls = 0; MPI_Test(&request, &done, MPI_STATUS_IGNORE), done == 0; ++polls) {
    if (polls < polls_without_pause) continue;
    nanosleep(&pause, nullptr);
    pause.tv_nsec = std::min(most, pause.tv_nsec + pause.tv_nsec / 4);
  }
}

/// Calls f(offset, count) for the parts of a message: MPI counts bytes by int.
template <typename F>
void by_parts(std::size_t size, F f) {
  constexpr std::size_t part = std::size_t{1} << 28;
  for (std::size_t offset = 0; offset < size; offset += part)
    f(offset, static_cast<int>(std::min(part, size - offset)));
}

void join(std::size_t* rank, std::size_t* size) {
  int provided = 0, number = 0, all = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &number);
  MPI_Comm_size(MPI_COMM_WORLD, &all);
  *rank = static_cast<std::size_t>(number);
  *size = static_cast<std::size_t>(all);
}

void send(std::size_t to, const void* bytes, std::size_t size) {
  by_parts(size, [&](std::size_t offset, int count) {
    MPI_Request request;
    MPI_Isend(static_cast<const char*>(bytes) + offset, count, MPI_BYTE, static_cast<int>(to), 0,
              MPI_COMM_WORLD, &request);
    wait_for(request);
  });
}

void receive(std::size_t from, void* bytes, std::size_t size) {
  by_parts(size, [&](std::size_t offset, int count) {
    MPI_Request request;
    MPI_Irecv(static_cast<char*>(bytes) + offset, count, MPI_BYTE, static_cast<int>(from), 0,
              MPI_COMM_WORLD, &request);
    wait_for(request);
  });
}

bool is_waiting(std::size_t from) {
  int found = 0;
  MPI_Iprobe(static_cast<int>(from), 0, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
  return found != 0;
}

void leave() { MPI_Finalize(); }

}  // namespace

extern "C" __attribute__((visibility("default"))) const schedcc::job::Library schedcc_job = {
    schedcc::job::Library::current_version, join, send, receive, is_waiting, leave};
