#pragma once

// Options that both forms of `prove` share.

#include "cli/options.hpp"
#include "schedcc/prove.hpp"

namespace schedcc::cli {

/// Throws UsageError if more than one of -o, --smt2 and --json would take standard output.
void check_outputs(const ProveOptions& options);

/// The deadline by --timeout, counted from now, the limit of --memory, and interruption by Ctrl-C.
prover::SolverLimits limits(const ProveOptions& options);

}  // namespace schedcc::cli
