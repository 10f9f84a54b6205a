#include "cli/requests.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/core.h>

#include "algorithm/composition/composition.hpp"
#include "algorithm/own_algorithm.hpp"
#include "cli/number_list.hpp"
#include "cli/usage_error.hpp"
#include "core/printable.hpp"
#include "model/block_sizes.hpp"
#include "schedcc/error.hpp"

namespace schedcc::cli {

std::optional<std::uint64_t> stated_ranks(const std::optional<std::uint64_t>& ranks,
                                          const std::optional<std::string>& machine) {
  return ranks || !machine ? ranks : machine_ranks(*machine);
}

WideProblem stated_problem(const ProblemOptions& options, std::optional<std::uint64_t> ranks,
                           std::optional<std::uint64_t> chunks, Collective fallback) {
  return as_usage([&] {
    return schedcc::stated_problem(
        {options.collective, ranks, options.root, chunks, options.ordered, {}}, fallback);
  });
}

std::optional<BlockSizes> block_sizes(const SizeOptions& options, const Problem& problem) {
  if (!options.block_sizes) return std::nullopt;
  if (options.chunks) {
    throw UsageError("--block-sizes cannot be combined with --chunks");
  }
  return read_block_sizes(*options.block_sizes, block_count(problem.collective, problem.ranks));
}

namespace {

/// The specification of an algorithm. Throws UsageError for the name of a file without a folder
/// and a known extension, by which files are told from algorithms.
Spec spec_of(const std::string& text) {
  Spec result = algorithm_spec(text);
  if (names_own_algorithm(text) || is_composition(text)) return result;
  std::error_code ignored;
  const bool known = std::ranges::any_of(
      algorithms(), [&](const Algorithm* algorithm) { return algorithm->name == result.name; });
  if (!known && std::filesystem::exists(text, ignored)) {
    const bool folder = std::filesystem::is_directory(text, ignored);
    throw UsageError(fmt::format("unknown algorithm '{0}'; the {1} of this name is './{0}'",
                                 printable(text), folder ? "folder" : "file"));
  }
  return result;
}

}  // namespace

NamedAlgorithm::NamedAlgorithm(const std::string& text) : NamedAlgorithm(spec_of(text)) {}

NamedAlgorithm::NamedAlgorithm(Spec named)
    : spec(std::move(named)),
      algorithm(named_algorithm(spec)),
      parameters(spec.check(algorithm->parameters, fmt::format("algorithm '{}'", spec.name))) {}

WideProblem NamedAlgorithm::problem(const ProblemOptions& options, const SizeOptions& sizes) const {
  const auto ranks = stated_ranks(sizes.ranks, options.machine);
  if (!ranks) throw UsageError(fmt::format("algorithm '{}' needs --ranks", spec.name));
  return stated_problem(options, ranks, sizes.chunks, algorithm->collectives.front());
}

std::string NamedAlgorithm::machine(const std::optional<std::string>& asked) const {
  return asked ? *asked : std::string(algorithm->machines_for(parameters).front());
}

namespace {

/// The parts of a list between its commas, apart from those in parentheses.
std::vector<std::string> split_outside(const std::string& text) {
  std::vector<std::string> result{""};
  int level = 0;
  for (const char c : text) {
    level += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == ',' && level == 0) {
      result.emplace_back();
    } else {
      result.back() += c;
    }
  }
  return result;
}

/// Without white space around it.
std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\n");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\n") - first + 1);
}

}  // namespace

std::vector<Spec> algorithm_specs(const std::string& text) {
  std::vector<Spec> result;
  if (text == "all") {
    for (const Algorithm* a : algorithms()) result.push_back({std::string(a->name), {}});
    return result;
  }
  std::vector<std::string> texts;
  for (const std::string& part : split_outside(text)) {
    const bool parameter = part.find('=') < part.find(':');
    if (parameter && !texts.empty()) {
      texts.back() += "," + part;
    } else {
      texts.push_back(part);
    }
  }
  for (const std::string& one : texts) result.push_back(algorithm_spec(trimmed(one)));
  return result;
}

}  // namespace schedcc::cli
