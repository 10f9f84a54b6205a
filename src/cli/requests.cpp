#include "cli/requests.hpp"

#include <utility>

#include <fmt/core.h>

#include "cli/number_list.hpp"
#include "model/aliases.hpp"
#include "model/block_sizes.hpp"
#include "model/problem_text.hpp"
#include "schedcc/error.hpp"

namespace schedcc::cli {

WideProblem stated_problem(const ProblemOptions& options, std::optional<std::uint64_t> ranks,
                           std::optional<std::uint64_t> chunks, Collective fallback) {
  WideProblem problem;
  problem.collective = options.collective ? collective_of_user(*options.collective) : fallback;
  problem.ranks = ranks.value_or(1);
  problem.root = options.root.value_or(0);
  problem.chunks = chunks.value_or(1);
  problem.ordered = options.ordered;
  if (options.root && !problem.rooted()) {
    throw UsageError(has_no_root(problem.collective));
  }
  return problem;
}

std::uint32_t scheduled_number(std::string_view option, std::uint64_t value) {
  if (value <= UINT32_MAX) return static_cast<std::uint32_t>(value);
  throw UsageError(fmt::format(
      "{} {} is more than the 2^32 - 1 that a schedule can number; only formulas support "
      "more: compile --no-verify --emit cpp:local, prove --all-chunks",
      option, value));
}

Problem scheduled_problem(const WideProblem& wide) {
  Problem problem;
  problem.collective = wide.collective;
  problem.ranks = scheduled_number("--ranks", wide.ranks);
  problem.root = scheduled_number("--root", wide.root);
  problem.chunks = scheduled_number("--chunks", wide.chunks);
  problem.ordered = wide.ordered;
  problem.validate();
  return problem;
}

std::optional<BlockSizes> block_sizes(const SizeOptions& options, const Problem& problem) {
  if (!options.block_sizes) return std::nullopt;
  if (options.chunks) {
    throw UsageError("--block-sizes and --chunks exclude each other");
  }
  return read_block_sizes(*options.block_sizes, block_count(problem.collective, problem.ranks));
}

NamedAlgorithm::NamedAlgorithm(Spec named)
    : spec(std::move(named)),
      algorithm(named_algorithm(spec)),
      parameters(spec.check(algorithm->parameters, fmt::format("algorithm '{}'", spec.name))) {}

WideProblem NamedAlgorithm::problem(const ProblemOptions& options, const SizeOptions& sizes) const {
  if (!sizes.ranks) throw UsageError(fmt::format("algorithm '{}' needs --ranks", spec.name));
  return stated_problem(options, sizes.ranks, sizes.chunks, algorithm->collectives.front());
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
