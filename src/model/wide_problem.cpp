#include "model/wide_problem.hpp"

#include <fmt/core.h>

#include "core/counted.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

namespace {

/// The limit on ranks, chunks and their product. Numbers computed from them, such as the number of
/// steps, or a power of two above P, are at most a few times as large.
constexpr std::uint64_t most = std::uint64_t{1} << 60;

}  // namespace

std::uint64_t WideProblem::total_chunks() const {
  std::uint64_t total = chunks;
  for (int i = 0; i < info(collective).blocks; ++i) {
    if (__builtin_mul_overflow(total, ranks, &total)) return UINT64_MAX;
  }
  return total;
}

bool WideProblem::is_narrow() const {
  return ranks <= UINT32_MAX && chunks <= max_transfer_count && total_chunks() <= UINT32_MAX;
}

void WideProblem::validate() const {
  if (rooted() && root >= ranks) {
    throw InputError(fmt::format("root {} is not one of the ranks 0..{}", root, ranks - 1));
  }
  if (ordered && !reduction()) {
    throw InputError(fmt::format("only reductions can be ordered; {} is not a reduction",
                                 info(collective).name));
  }
  if (ranks > most || chunks > most / ranks || total_chunks() > most) {
    throw InputError(fmt::format(
        "kernels need P, P * K and the number of chunks to be at most 2^60; {} is larger",
        describe(*this)));
  }
}

std::string describe(const WideProblem& problem) {
  return fmt::format("{}, {}{}, {}", info(problem.collective).name, counted(problem.ranks, "rank"),
                     problem.rooted() ? fmt::format(", root {}", problem.root) : "",
                     counted(problem.chunks, "chunk"));
}

}  // namespace schedcc
