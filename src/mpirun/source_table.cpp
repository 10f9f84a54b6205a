#include "mpirun/source_table.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "format/requested_problem.hpp"
#include "format/table.hpp"
#include "format/table_order.hpp"
#include "schedcc/algorithm.hpp"
#include "schedcc/check.hpp"
#include "schedcc/error.hpp"
#include "schedcc/format.hpp"
#include "schedcc/machine.hpp"
#include "schedcc/named_machine.hpp"
#include "schedcc/spec.hpp"

namespace schedcc {

namespace {

std::vector<mpi::Holding> holdings(std::span<const Holding> lines) {
  std::vector<mpi::Holding> result;
  for (const Holding& line : lines) {
    for (const Run& run : line.runs) {
      result.push_back({line.rank, run.first, run.count, line.reduced});
    }
  }
  return result;
}

mpi::Problem problem_of(const Problem& problem) {
  mpi::Problem result{std::string(info(problem.collective).name),
                      problem.ranks,
                      problem.root,
                      problem.chunks,
                      problem.total_chunks(),
                      problem.ordered,
                      {},
                      {}};
  result.pre = holdings(problem.pre());
  result.post = holdings(problem.post());
  return result;
}

ProblemRequest problem_request(const SourceOptions& options) {
  ProblemRequest result;
  const auto number = [](const std::string& text, std::string_view option, std::uint64_t least,
                         std::optional<std::uint64_t>& value) {
    if (!text.empty()) value = parse_number(text, option, least);
  };
  number(options.ranks, "--ranks", 1, result.ranks);
  number(options.root, "--root", 0, result.root);
  number(options.chunks, "--chunks", 1, result.chunks);
  if (!options.collective.empty()) result.collective = options.collective;
  if (!options.problem.empty()) result.file = options.problem;
  return result;
}

/// Error if the schedule breaks the rules of the machine that was requested. (On its own machine a
/// schedule is not checked: the results of its execution show what is wrong.)
void expect_fits(Source steps, const Machine& machine, const std::string& path) {
  steps.program = nullptr;
  CheckOptions options;
  options.checks = {"ports", "links", "causality"};
  options.max_findings = 1;
  const Report report = check(steps, machine, options);
  if (report.findings.empty()) return;
  const Finding& first = report.findings.front();
  throw InputError(
      {path, first.line, first.column},
      fmt::format("the schedule does not fit the machine '{}': {}", machine.spec(), first.message));
}

Source build_source(const std::string& name, const SourceOptions& options, Rank processes) {
  const auto algorithm = named_algorithm(algorithm_spec(name));
  ProblemRequest request = problem_request(options);
  if (!request.ranks) request.ranks = processes;
  const WideProblem problem = stated_problem(request, algorithm->collectives.front());
  return from_algorithm(name, scheduled_problem(problem), options.machine);
}

Source read_source(const std::string& path, const SourceOptions& options) {
  const ProblemRequest request = problem_request(options);
  require_file_request(request);
  if (path == "-") throw InputError("standard input cannot be read by every process; name a file");
  return with_requested_problem(read_file(path, options.format), request);
}

}  // namespace

mpi::Table source_table(const std::string& path, const SourceOptions& options, Rank processes) {
  const Source source = names_file(path) || !options.format.empty()
                            ? read_source(path, options)
                            : build_source(path, options, processes);
  source.problem.validate();
  if (source.has_routers()) {
    throw InputError({path}, "only schedules at endpoint level can be executed");
  }
  const Machine machine = options.machine.empty()
                              ? named_machine(source)
                              : make_machine(options.machine, source.problem.ranks);
  if (!options.machine.empty()) expect_fits(source, machine, path);
  cpp::refuse_reordered(source, machine, "an MPI program");
  const auto table = std::make_shared<const cpp::Table>(cpp::by_rank(source, machine));
  return {source.name, problem_of(source.problem), machine.spec(), [table](std::uint32_t rank) {
            const auto own = table->of(rank);
            return std::vector(own.begin(), own.end());
          }};
}

}  // namespace schedcc
