// Preloaded into the processes of the tests: a process that waits for a message sleeps, instead of
// keeping a processor from the one that would send it. Open MPI gives up its processor while it
// waits; MPICH polls UCX without a pause. There are more processes than processors, so that polling
// would take nearly all of the tests' time.

#include <dlfcn.h>
#include <sched.h>

#include <ctime>

namespace {

void rest() {
  const std::timespec time{0, 20'000};
  nanosleep(&time, nullptr);
}

}  // namespace

extern "C" {

int sched_yield() noexcept {
  rest();
  return 0;
}

/// UCX: returns how much was done. A rest is due after some polls in a row without result.
unsigned ucp_worker_progress(void* worker) {
  using Progress = unsigned (*)(void*);
  static const auto progress = reinterpret_cast<Progress>(dlsym(RTLD_NEXT, "ucp_worker_progress"));
  thread_local int idle = 0;
  const unsigned done = progress(worker);
  idle = done > 0 ? 0 : idle + 1;
  if (idle > 20) {
    idle = 0;
    rest();
  }
  return done;
}
}
