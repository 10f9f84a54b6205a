#pragma once

// The manifest of a certificate.

#include <string>
#include <string_view>

#include "cli/options.hpp"
#include "schedcc/prove.hpp"

namespace schedcc::cli {

/// The file of a certificate that states a custom problem.
constexpr std::string_view problem_name = "problem.sched";
/// Does the certificate have it?
bool states_problem(const prover::Question& question);

/// The files of a certificate, the question that each refutes, and how to check it, in Markdown.
/// Every file is named in it, between backquotes.
std::string manifest(const prover::Question& question, const prover::Outcome& outcome,
                     const ProveOptions& options);

}  // namespace schedcc::cli
