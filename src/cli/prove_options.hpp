#pragma once

// What both forms of `prove` make of their options.

#include "cli/options.hpp"
#include "schedcc/prove.hpp"

namespace schedcc::cli {

/// Throws UsageError if more than one of -o, --smt2 and --json would take standard output.
void check_outputs(const ProveOptions& options);

/// --timeout, counted from now, and Ctrl-C.
prover::Limits limits(const ProveOptions& options);

}  // namespace schedcc::cli
