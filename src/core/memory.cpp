#include "core/memory.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

#include <fmt/core.h>

#include "schedcc/error.hpp"

namespace schedcc {

std::uint64_t usable_memory() {
  const std::uint64_t machine = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                                static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0) return machine;
  return std::min<std::uint64_t>(machine, limit.rlim_cur);
}

void require_memory(Saturating bytes, std::string_view what) {
  const std::uint64_t usable = usable_memory();
  if (bytes <= usable) return;
  throw LimitError(
      fmt::format("{} takes at least {} MiB of memory; the process may use {} MiB, which is the "
                  "limit",
                  what, bytes.value() >> 20, usable >> 20));
}

}  // namespace schedcc
