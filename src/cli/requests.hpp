#pragma once

// From options to what is asked of an algorithm, the tuner or the prover: the problem, the
// algorithm with its parameters, the machine and the sizes of blocks.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options.hpp"
#include "model/wide_problem.hpp"
#include "schedcc/algorithm.hpp"
#include "schedcc/problem.hpp"
#include "schedcc/spec.hpp"

namespace schedcc::cli {

/// The problem that options state: of one rank and one chunk where they do not say, and of the
/// collective `fallback` where they name none. Throws UsageError for a root that the collective
/// does not have, InputError for an unknown collective.
WideProblem stated_problem(const ProblemOptions& options, std::optional<std::uint64_t> ranks,
                           std::optional<std::uint64_t> chunks, Collective fallback);

/// The same problem, for a schedule. Throws UsageError where it has numbers from 2^32 on,
/// InputError where it is not valid.
Problem scheduled_problem(const WideProblem& problem);

/// The value of an option, for a schedule. Throws UsageError from 2^32 on.
std::uint32_t scheduled_number(std::string_view option, std::uint64_t value);

/// The file of --block-sizes for the blocks of a problem, none if there is none. Throws UsageError
/// where --chunks is given, too.
std::optional<BlockSizes> block_sizes(const SizeOptions& options, const Problem& problem);

/// An algorithm as the command line names it: NAME[:key=value,...].
struct NamedAlgorithm {
  /// Throws InputError for a name or a parameter that does not exist.
  explicit NamedAlgorithm(Spec named);
  explicit NamedAlgorithm(const std::string& text) : NamedAlgorithm(Spec::parse(text)) {}

  /// The problem that options state of it. Throws UsageError where --ranks is missing.
  WideProblem problem(const ProblemOptions& options, const SizeOptions& sizes) const;
  /// --machine, else the first machine that it was made for.
  std::string machine(const std::optional<std::string>& asked) const;

  Spec spec;
  const Algorithm* algorithm;
  Parameters parameters;
};

/// The algorithms that a list names, each with its parameters; "all": those of the registry. A
/// comma ends an algorithm or a parameter: what has a '=' before any ':' is a further parameter.
std::vector<Spec> algorithm_specs(const std::string& text);

}  // namespace schedcc::cli
