#include "core/memory.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

#include <fmt/core.h>

#include "schedcc/error.hpp"

namespace schedcc {

namespace {

/// The limits before limit_address_space(), and since then; none: it was not called.
struct AddressLimits {
  rlimit original, own;
};
std::optional<AddressLimits>& address_limits() {
  static std::optional<AddressLimits> limits;
  return limits;
}

std::mutex& starts() {
  static std::mutex mutex;
  return mutex;
}

}  // namespace

void limit_address_space() {
  rlimit original{};
  if (::getrlimit(RLIMIT_AS, &original) != 0) return;
  const rlimit own{usable_memory(), original.rlim_max};
  if (::setrlimit(RLIMIT_AS, &own) == 0) address_limits() = {original, own};
}

OriginalLimit::OriginalLimit() : alone_(starts()) {
  if (const auto& limits = address_limits()) ::setrlimit(RLIMIT_AS, &limits->original);
}

OriginalLimit::~OriginalLimit() {
  if (const auto& limits = address_limits()) ::setrlimit(RLIMIT_AS, &limits->own);
}

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
