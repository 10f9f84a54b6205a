#include "cli/prove_options.hpp"

#include "cli/output.hpp"
#include "cli/signals.hpp"
#include "core/process_memory.hpp"

namespace schedcc::cli {

void check_outputs(const ProveOptions& options) {
  check_shared_output({{"-o -", options.output && is_standard_output(*options.output)},
                       {"--smt2 -", options.smt2 && is_standard_output(*options.smt2)},
                       {"--json", options.json}});
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
