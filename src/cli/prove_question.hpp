#pragma once

// From the options of `prove` to a question.

#include "cli/options.hpp"
#include "schedcc/prove.hpp"

namespace schedcc::cli {

/// The problem that the options state, or a file (of its schedule nothing is asked), and the
/// machine. Throws UsageError, and InputError where `prove` has no rules for it.
prover::Question question(const ProveOptions& options);

}  // namespace schedcc::cli
