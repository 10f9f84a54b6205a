// schedcc compile, for problems with more ranks or chunks than a schedule can number. There are no
// steps then to check or to list, but a closed form can be written: --emit cpp:local.

#include "cli/compile_wide.hpp"

#include <string>

#include <fmt/core.h>

#include "cli/sources.hpp"
#include "format/cpp/local.hpp"
#include "model/wide_problem.hpp"
#include "schedcc/algorithm.hpp"
#include "schedcc/machine.hpp"
#include "schedcc/problem.hpp"

namespace schedcc::cli {

namespace {

WideProblem problem_of(const Algorithm& algorithm, const Options& options) {
  WideProblem problem;
  problem.collective =
      options.collective ? find_collective(*options.collective) : algorithm.collectives.front();
  problem.ranks = options.ranks.value_or(1);
  problem.root = options.root.value_or(0);
  problem.chunks = options.chunks.value_or(1);
  problem.ordered = options.ordered;
  return problem;
}

/// Machines of which it matters how many ranks they have are for fewer than 2^32.
Machine machine_of(const std::string& text, std::uint64_t ranks) {
  check_machine(text);
  if (ranks <= UINT32_MAX) return make_machine(text, static_cast<Rank>(ranks));
  const std::string name = Spec::parse(text).name;
  for (const MachineEntry* entry : machines()) {
    if (entry->name == name && entry->any_ranks) return make_machine(text, 1);
  }
  throw InputError(fmt::format("machine '{}' has fewer than 2^32 ranks, not {}", text, ranks));
}

}  // namespace

std::optional<WideProblem> wide_problem(const Emission& output, const Options& options) {
  const bool computed = output.format != nullptr && output.format->name == "cpp" &&
                        output.parameters.has("local") && !output.parameters.has("rank");
  const std::string& name = options.arguments.front();
  if (!computed || !options.ranks || options.from || options.block_sizes || is_file(name))
    return {};
  const WideProblem problem = problem_of(find_algorithm(Spec::parse(name).name), options);
  if (problem.collective == Collective::custom || problem.is_narrow()) return {};
  return problem;
}

WideInput open_wide(const WideProblem& problem, const Options& options) {
  if (options.verify || options.json || options.hop_level) {
    throw UsageError(
        fmt::format("{}: what has numbers from 2^32 on can be written, with --no-verify, but not "
                    "checked or reported on",
                    describe(problem)));
  }
  if (options.root && !problem.rooted()) {
    throw UsageError(fmt::format("{} has no root", info(problem.collective).name));
  }
  const Spec spec = Spec::parse(options.arguments.front());
  const Algorithm& algorithm = find_algorithm(spec.name);
  LocalRequest request;
  request.problem = problem;
  request.parameters = spec.check(algorithm.parameters, fmt::format("algorithm '{}'", spec.name));
  request.machine = machine_of(
      options.machine.value_or(algorithm.machines_for(request.parameters).front()), problem.ranks);
  return {{problem, wide_schedule(algorithm, request)},
          request.machine,
          command(spec.text(), problem, request.machine, options)};
}

}  // namespace schedcc::cli
