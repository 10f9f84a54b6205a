#include "analysis/compile_command.hpp"

#include <fmt/core.h>

#include "algorithm/own_algorithm.hpp"
#include "core/shell_word.hpp"

namespace schedcc {

namespace {

/// What names the algorithm: a word for the shell, and the option for the user's own.
std::string named(const std::string& spec) {
  if (names_own_algorithm(spec)) return own_algorithm()->options;
  if (!has_own_algorithm(spec)) return shell_word(spec);
  return fmt::format("{} {}", shell_word(spec), own_algorithm()->options);
}

}  // namespace

std::string compile_command(const std::string& spec, const WideProblem& problem,
                            const Machine& machine, const std::optional<std::string>& block_sizes) {
  std::string result = fmt::format("schedcc compile {} --collective {} --ranks {}", named(spec),
                                   info(problem.collective).name, problem.ranks);
  if (problem.rooted()) result += fmt::format(" --root {}", problem.root);
  result += block_sizes ? fmt::format(" --block-sizes {}", shell_word(*block_sizes))
                        : fmt::format(" --chunks {}", problem.chunks);
  if (problem.ordered) result += " --ordered";
  return result + fmt::format(" --machine {}", shell_word(machine.spec()));
}

}  // namespace schedcc
