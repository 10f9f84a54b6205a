#include "mpirun/source_table.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "core/file_names.hpp"
#include "format/msccl/reader.hpp"
#include "format/problem_file.hpp"
#include "format/table.hpp"
#include "format/table_order.hpp"
#include "model/aliases.hpp"
#include "model/problem_text.hpp"
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

Rank number(const std::string& text, std::string_view option, std::uint64_t least) {
  return static_cast<Rank>(parse_number(text, option, least, UINT32_MAX));
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
  if (!options.format.empty()) throw InputError("--from is for files");
  if (!options.problem.empty()) throw InputError("--problem is for files");
  const auto algorithm = named_algorithm(algorithm_spec(name));
  Problem problem;
  problem.collective = options.collective.empty() ? algorithm->collectives.front()
                                                  : collective_of_user(options.collective);
  problem.ranks = options.ranks.empty() ? processes : number(options.ranks, "--ranks", 1);
  if (!options.root.empty() && !problem.rooted()) {
    throw InputError(has_no_root(problem.collective));
  }
  if (!options.root.empty()) problem.root = number(options.root, "--root", 0);
  if (!options.chunks.empty()) problem.chunks = number(options.chunks, "--chunks", 1);
  problem.validate();
  return from_algorithm(name, problem, options.machine);
}

Source read_source(const std::string& path, const SourceOptions& options) {
  if (!options.ranks.empty() || !options.chunks.empty()) {
    throw InputError(fmt::format("{} is for algorithms; a file states its own problem",
                                 options.ranks.empty() ? "--chunks" : "--ranks"));
  }
  if (path == "-") throw InputError("standard input cannot be read by every process; name a file");
  Source source = read_file(path, options.format);
  if (options.collective.empty()) {
    if (!options.root.empty()) throw InputError("--root needs --collective");
    if (options.problem.empty()) return source;
    return with_stated_problem(source, read_problem_file(options.problem, source.problem.ranks));
  }
  if (!options.problem.empty()) {
    throw InputError("--collective cannot be combined with --problem");
  }
  std::optional<Rank> root;
  if (!options.root.empty()) {
    root = number(options.root, "--root", 0);
  }
  return with_collective(source, collective_of_user(options.collective), root);
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
