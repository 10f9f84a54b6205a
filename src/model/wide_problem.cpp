#include "model/wide_problem.hpp"

#include <optional>

#include <fmt/core.h>

#include "model/problem_text.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

namespace {

/// The limit on ranks, chunks and their product. Numbers computed from them, such as the number of
/// steps, or a power of two above P, are at most a few times as large.
constexpr std::uint64_t limit = std::uint64_t{1} << 60;

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

Problem WideProblem::narrow() const {
  Problem result;
  result.collective = collective;
  result.ranks = static_cast<Rank>(ranks);
  result.root = static_cast<Rank>(root);
  result.chunks = static_cast<std::uint32_t>(chunks);
  result.ordered = ordered;
  return result;
}

void WideProblem::validate() const {
  if (rooted() && root >= ranks) {
    throw InputError(no_such_rank("root", root, ranks));
  }
  if (ordered && !reduction()) {
    throw InputError(cannot_be_ordered(info(collective).name));
  }
  if (ranks > limit || chunks > limit / ranks || total_chunks() > limit) {
    throw InputError(fmt::format(
        "kernels need P, P * K and the number of chunks to be at most 2^60; {} is larger",
        describe(*this)));
  }
}

std::string describe(const WideProblem& problem) {
  const auto root = problem.rooted() ? std::optional(problem.root) : std::nullopt;
  return problem_text(info(problem.collective).name, problem.ranks, root, problem.chunks);
}

}  // namespace schedcc
