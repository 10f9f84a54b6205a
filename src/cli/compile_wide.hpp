#pragma once

// Problems that only a kernel can number, on the command line of `compile`.

#include <optional>
#include <string>

#include "cli/destination.hpp"
#include "cli/emit_format.hpp"
#include "cli/options.hpp"
#include "format/cpp/local.hpp"
#include "model/wide_problem.hpp"
#include "schedcc/machine.hpp"

namespace schedcc::cli {

/// The problem that the options state, if it has more ranks or chunks than a schedule can number
/// and the output supports that; none otherwise.
std::optional<WideProblem> wide_problem(const Emission& output, const CompileOptions& options);

/// Its kernel, its machine, and the command that reproduces it.
struct WideInput {
  cpp::KernelHeader computed;
  Machine machine;
  std::string command;
};

/// The kernel of the algorithm that is the SOURCE, for a problem of any size. Throws UsageError or
/// InputError with the reason where there is none.
WideInput open_computed(const WideProblem& problem, const CompileOptions& options);
/// The same for a problem that cannot be checked or reported on.
WideInput open_wide(const WideProblem& problem, const CompileOptions& options);

/// Is it --emit cpp:local?
bool emits_kernel(const Emission& output);

/// Writes the kernel to the destination.
void write_kernel(const WideInput& input, const Emission& output, const CompileOptions& options,
                  Destination& destination);

}  // namespace schedcc::cli
