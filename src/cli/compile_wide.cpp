// schedcc compile, for problems with more ranks or chunks than a schedule can number. Their steps
// cannot be checked or listed, but a kernel can be written: --emit cpp:local.

#include "cli/compile_wide.hpp"

#include <string>

#include <fmt/core.h>

#include "algorithm/own_algorithm.hpp"
#include "analysis/compile_command.hpp"
#include "cli/requests.hpp"
#include "cli/sources.hpp"
#include "format/cpp/local.hpp"
#include "model/wide_problem.hpp"
#include "schedcc/algorithm.hpp"
#include "schedcc/machine.hpp"
#include "schedcc/problem.hpp"

namespace schedcc::cli {

namespace {

/// Machines that depend on the number of ranks are for fewer than 2^32.
Machine machine_of(const std::string& text, std::uint64_t ranks) {
  check_machine(text);
  if (ranks <= UINT32_MAX) return make_machine(text, static_cast<Rank>(ranks));
  const std::string name = Spec::parse(text).name;
  for (const MachineInfo& kind : machines()) {
    if (kind.name == name && kind.any_ranks) return make_machine(text, 1);
  }
  throw InputError(
      fmt::format("machine '{}' has fewer than 2^32 ranks, not {}; --machine duplex has any number",
                  text, ranks));
}

}  // namespace

bool emits_kernel(const Emission& output) {
  return output.format != nullptr && output.format->name == "cpp" &&
         output.parameters.has("local") && !output.parameters.has("rank");
}

std::optional<WideProblem> wide_problem(const Emission& output, const CompileOptions& options) {
  const std::string& name = options.arguments.front();
  if (!emits_kernel(output) || !options.ranks || options.block_sizes || is_file(name, options))
    return {};
  if (names_own_algorithm(name)) return {};
  const WideProblem problem = NamedAlgorithm(name).problem(options, options);
  if (problem.declared() || problem.is_narrow()) return {};
  return problem;
}

WideInput open_computed(const WideProblem& problem, const CompileOptions& options) {
  refuse_strict_format(options);
  const NamedAlgorithm named(options.arguments.front());
  LocalRequest request;
  request.problem = problem;
  request.parameters = named.parameters;
  request.machine = machine_of(named.machine(options.machine), problem.ranks);
  return {{problem, served_schedule(*named.algorithm, request)},
          request.machine,
          compile_command(named.spec.text(), problem, request.machine, options.block_sizes)};
}

WideInput open_wide(const WideProblem& problem, const CompileOptions& options) {
  if (!options.no_verify || options.json || options.hop_level) {
    throw UsageError(
        fmt::format("{}: a schedule with numbers of 2^32 or more can be written, with --no-verify, "
                    "or sampled, with --sample, but not checked or reported on",
                    describe(problem)));
  }
  return open_computed(problem, options);
}

void write_kernel(const WideInput& input, const Emission& output, const CompileOptions& options,
                  Destination& destination) {
  const std::string command = input.command + (options.no_verify ? " --no-verify" : "");
  const EmitOptions emit = emit_options(output, input.machine, command, options, options.quiet);
  cpp::write_local(input.computed, emit, destination.output());
  destination.commit();
}

}  // namespace schedcc::cli
