#include "core/process_memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "core/memory.hpp"

namespace schedcc {

std::uint64_t used_memory() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t all = 0, resident = 0;
  if (!(file >> all >> resident)) return 0;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

std::uint64_t usable_memory_of_group() {
  std::ifstream file("/sys/fs/cgroup/memory.max");
  std::uint64_t limit = 0;
  return file >> limit ? std::min(limit, usable_memory()) : usable_memory();  // or it says "max"
}

}  // namespace schedcc
