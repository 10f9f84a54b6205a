#pragma once

// The manifest of a certificate.

#include <string>
#include <string_view>

#include "cli/options.hpp"
#include "schedcc/prove.hpp"

namespace schedcc::cli {

/// The file of a certificate that states a custom problem.
constexpr std::string_view problem_name = "problem.sched";

/// Which file of a certificate refutes what, and how that is checked, in Markdown. All files are
/// named in it, between backquotes.
std::string manifest(const prover::Question& question, const prover::Outcome& outcome,
                     const ProveOptions& options);

}  // namespace schedcc::cli
