// The memory that counts is what the process has in use, as the system reports it: the formula, all
// solvers, and what they learn. It is looked at while formulas grow and solvers work, which is
// often enough: what is allocated in between is little.

#include "prove/sat/solve/memory_limit.hpp"

#include <malloc.h>

#include <atomic>

#include <fmt/core.h>

#include "core/process_memory.hpp"

namespace schedcc::prover {

namespace {

using Clock = SolverLimits::Clock;

/// The last look, for all threads: when (0: none), and what was in use.
std::atomic<Clock::rep> last_time = 0;
std::atomic<std::uint64_t> last_used = 0;

/// At most some milliseconds old.
std::uint64_t used_lately() {
  constexpr Clock::rep old = std::chrono::nanoseconds(std::chrono::milliseconds(3)).count();
  const Clock::rep now = Clock::now().time_since_epoch().count(), last = last_time;
  if (last == 0 || now - last > old) {
    last_used = used_memory();
    last_time = now;
  }
  return last_used;
}

std::string mebibytes(std::uint64_t bytes) { return fmt::format("{} MiB", bytes >> 20); }

}  // namespace

bool SolverLimits::out_of_memory() const { return memory != 0 && used_lately() > memory; }

MemoryReached::MemoryReached(const SolverLimits& limits)
    : LimitError(fmt::format("the limit of {} of memory (--memory) is reached",
                             mebibytes(limits.memory))) {}

std::uint64_t solver_memory(const Formula& formula) {
  // CaDiCaL took 11 to 44 bytes for each when it had read one of eight formulas of 0.3 to 25
  // million literals, and up to 60 after 8 s; what it learns counts when it is there.
  constexpr std::uint64_t of_literal = 40;
  return formula.data().size() * of_literal;
}

bool has_room(const SolverLimits& limits, const Formula& formula, std::uint64_t solvers) {
  return limits.memory == 0 || used_memory() + solvers * solver_memory(formula) <= limits.memory;
}

void require_room(const SolverLimits& limits, const Formula& formula) {
  if (has_room(limits, formula, 1)) return;
  throw MemoryReached(fmt::format(
      "a solver needs about {} for the formula, beside the {} in use: more than the limit of {} "
      "(--memory)",
      mebibytes(solver_memory(formula)), mebibytes(used_memory()), mebibytes(limits.memory)));
}

void release_memory() {
  ::malloc_trim(0);
  last_time = 0;
}

}  // namespace schedcc::prover
