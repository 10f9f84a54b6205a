#include "cli/prove_options.hpp"

#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "cli/output.hpp"
#include "cli/signals.hpp"
#include "core/process_memory.hpp"

namespace schedcc::cli {

void check_outputs(const ProveOptions& options) {
  std::vector<std::string_view> takers;
  if (options.output && is_standard_output(*options.output)) takers.emplace_back("-o -");
  if (options.smt2 && is_standard_output(*options.smt2)) takers.emplace_back("--smt2 -");
  if (options.json) takers.emplace_back("--json");
  if (takers.size() > 1) {
    throw UsageError(fmt::format("{} and {} would share standard output", takers[0], takers[1]));
  }
}

prover::SolverLimits limits(const ProveOptions& options) {
  using prover::SolverLimits;
  SolverLimits result;
  result.stop = &Interrupts::interrupted;
  result.memory = options.memory.value_or(usable_memory_of_group() / 2);
  if (options.timeout) {
    result.deadline =
        SolverLimits::Clock::now() + std::chrono::duration_cast<SolverLimits::Clock::duration>(
                                         std::chrono::duration<double>(*options.timeout));
  }
  return result;
}

}  // namespace schedcc::cli
