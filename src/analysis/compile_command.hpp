#pragma once

// The command that makes a schedule, as reports and files cite it.

#include <optional>
#include <string>

#include "model/wide_problem.hpp"
#include "schedcc/machine.hpp"

namespace schedcc {

/// The command that makes an algorithm's schedule, in its full form: "schedcc compile chain
/// --collective broadcast ...". `block_sizes`: as --block-sizes states them, instead of chunks.
std::string compile_command(const std::string& spec, const WideProblem& problem,
                            const Machine& machine,
                            const std::optional<std::string>& block_sizes = std::nullopt);

}  // namespace schedcc
