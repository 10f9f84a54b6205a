#include "model/wide_problem.hpp"

#include <optional>
#include <string>
#include <string_view>

#include <fmt/core.h>

#include "model/problem_text.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

namespace {

/// The limit on ranks, chunks and their product. Numbers computed from them, such as the number of
/// steps, or a power of two above P, are at most a few times as large.
constexpr std::uint64_t limit = std::uint64_t{1} << 60;

/// Which of the numbers is above the limit; empty if none is.
std::string_view above_limit(const WideProblem& problem) {
  if (problem.ranks > limit) return "P, the number of ranks,";
  if (problem.chunks > limit / problem.ranks) return "P * K";
  return problem.total_chunks() > limit ? "P * P * K, the number of chunks," : "";
}

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
  if (const std::string_view what = above_limit(*this); !what.empty()) {
    throw InputError(fmt::format(
        "{}: {} is above 2^60, the most for ranks that compute their own part; choose fewer {}",
        describe(*this), what, chunks > 1 ? "ranks or chunks" : "ranks"));
  }
}

std::string describe(const WideProblem& problem) {
  const auto root = problem.rooted() ? std::optional(problem.root) : std::nullopt;
  return problem_text(info(problem.collective).name, problem.ranks, root, problem.chunks);
}

}  // namespace schedcc
