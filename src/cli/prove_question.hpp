#pragma once

// From the options of `prove` to a question.

#include "cli/options.hpp"
#include "schedcc/prove.hpp"

namespace schedcc::cli {

/// The problem that the options or a file state (a schedule in the file is ignored), and the
/// machine. Throws UsageError, and InputError if `prove` does not support it.
prover::Question question(const ProveOptions& options);

}  // namespace schedcc::cli
