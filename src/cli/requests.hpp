#pragma once

// From options to a request for an algorithm, the tuner or the prover: the problem, the algorithm
// with its parameters, the machine and the sizes of blocks.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "format/requested_problem.hpp"
#include "schedcc/algorithm.hpp"
#include "schedcc/problem.hpp"
#include "schedcc/spec.hpp"

namespace schedcc::cli {

/// --ranks, else the number of ranks that --machine states, if it does.
std::optional<std::uint64_t> stated_ranks(const std::optional<std::uint64_t>& ranks,
                                          const std::optional<std::string>& machine);

/// The problem that options state: by default of one rank and one chunk, and without --collective
/// of the collective `fallback`. Throws UsageError for an unknown collective, and for a root that
/// the collective does not have.
WideProblem stated_problem(const ProblemOptions& options, std::optional<std::uint64_t> ranks,
                           std::optional<std::uint64_t> chunks, Collective fallback = {});

/// The file of --block-sizes for the blocks of a problem, if given. Throws UsageError if --chunks
/// is given, too.
std::optional<BlockSizes> block_sizes(const SizeOptions& options, const Problem& problem);

/// An algorithm as the command line names it: NAME[:key=value,...], or a composition.
struct NamedAlgorithm {
  /// Throws InputError for a name or a parameter that does not exist.
  explicit NamedAlgorithm(Spec named);
  /// Throws UsageError if the name is that of a file.
  explicit NamedAlgorithm(const std::string& text);

  /// The problem that the options state for it. Throws UsageError if neither --ranks nor
  /// --machine states a number of ranks.
  WideProblem problem(const ProblemOptions& options, const SizeOptions& sizes) const;
  /// --machine, else the first machine that it was made for.
  std::string machine(const std::optional<std::string>& asked) const;

  Spec spec;
  std::shared_ptr<const Algorithm> algorithm;
  Parameters parameters;
};

/// The algorithms that a list names, each with its parameters; "all": those of the registry. A
/// comma outside of parentheses ends an algorithm or a parameter: an item with a '=' before any ':'
/// is a further parameter.
std::vector<Spec> algorithm_specs(const std::string& text);

}  // namespace schedcc::cli
