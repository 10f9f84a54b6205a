#include "format/requested_problem.hpp"

#include <fmt/core.h>

#include "core/only_for.hpp"
#include "format/msccl/reader.hpp"
#include "format/problem_file.hpp"
#include "model/problem_text.hpp"
#include "schedcc/error.hpp"
#include "schedcc/problem.hpp"

namespace schedcc {

WideProblem stated_problem(const ProblemRequest& request, Collective fallback) {
  if (request.file) throw InputError(only_for("--problem", "programs"));
  WideProblem problem;
  problem.collective = request.collective ? collective_of_user(*request.collective) : fallback;
  problem.ranks = request.ranks.value_or(problem.ranks);
  problem.root = request.root.value_or(problem.root);
  problem.chunks = request.chunks.value_or(problem.chunks);
  problem.ordered = request.ordered;
  if (request.root && !problem.rooted()) throw InputError(has_no_root(problem.collective));
  return problem;
}

std::uint32_t scheduled_number(std::string_view option, std::uint64_t value) {
  if (value <= UINT32_MAX) return static_cast<std::uint32_t>(value);
  throw InputError(fmt::format(
      "{} {} is more than the 2^32 - 1 that a schedule can number; only formulas support "
      "more: compile --sample, compile --no-verify --emit cpp:local, prove --all-chunks",
      option, value));
}

Problem scheduled_problem(const WideProblem& wide) {
  scheduled_number("--ranks", wide.ranks);
  scheduled_number("--root", wide.root);
  scheduled_number("--chunks", wide.chunks);
  Problem problem = wide.narrow();
  problem.validate();
  return problem;
}

std::string only_for_algorithms(std::string_view option) {
  return only_for(option, "algorithms; a file states its own problem");
}

void require_file_request(const ProblemRequest& request) {
  if (request.ranks) throw InputError(only_for_algorithms("--ranks"));
  if (request.chunks) throw InputError(only_for_algorithms("--chunks"));
  if (!request.collective) {
    if (request.root) throw InputError(only_for("--root", "algorithms, or with --collective"));
    return;
  }
  if (request.file) throw InputError("--collective cannot be combined with --problem");
  if (stated_problem(request, {}).declared())
    throw InputError("--collective custom does not state the problem; use --problem");
  if (request.root) scheduled_number("--root", *request.root);
}

Source with_requested_problem(const Source& source, const ProblemRequest& request) {
  require_file_request(request);
  if (!request.collective && !request.file) return source;
  if (source.plan != nullptr) {
    throw InputError({source.file, 0, 0}, "a plan of MSCCL++ names its collective itself");
  }
  if (request.file)
    return with_stated_problem(source, read_problem_file(*request.file, source.problem.ranks));
  std::optional<Rank> root;
  if (request.root) root = scheduled_number("--root", *request.root);
  return with_collective(source, stated_problem(request, {}).collective, root);
}

}  // namespace schedcc
