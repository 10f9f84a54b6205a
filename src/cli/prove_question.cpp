#include "cli/prove_question.hpp"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "algorithm/own_algorithm.hpp"
#include "cli/output.hpp"
#include "cli/requests.hpp"
#include "cli/sources.hpp"
#include "core/only_for.hpp"
#include "cost/messages.hpp"
#include "prove/sat/decide.hpp"
#include "schedcc/error.hpp"
#include "schedcc/machine.hpp"
#include "schedcc/problem.hpp"

namespace schedcc::cli {

namespace {

using prover::Question;

/// The problem that --collective, --ranks, ... state.
Problem stated(const ProveOptions& options) {
  if (!options.collective) throw UsageError("prove needs --collective, or a FILE");
  const auto ranks = stated_ranks(options.ranks, options.machine);
  if (!ranks) throw UsageError("prove needs --ranks");
  Problem problem = scheduled_problem(stated_problem(options, ranks, options.chunks));
  if (problem.declared()) {
    throw UsageError("a custom collective is stated in a file: prove FILE");
  }
  if (!options.block_sizes) return problem;
  if (!problem.in_blocks()) {
    throw UsageError(fmt::format("{} has no blocks", info(problem.collective).name));
  }
  return with_block_sizes(problem, *block_sizes(options, problem));
}

/// The most chunks of a message of the source.
std::uint64_t widest(const Source& source) {
  std::uint64_t result = 0;
  MessageReader messages(ChunkBytes(1, 1), false);
  const auto stream = source.open();
  for (Step step; stream->next(step);) {
    for (const SizedMessage& m : messages.read(step)) result = std::max(result, m.chunks);
  }
  return result;
}

/// Prints a note if messages of the file are wider than one chunk, which is the width that `prove`
/// assumes of a machine that states none.
void note_width(const std::string& file, const Input& input) {
  const Machine& machine = input.machine;
  if (machine.width() != 0 || !machine.ports()) return;
  const std::uint64_t width = widest(input.source);
  if (width <= 1) return;
  print_error(
      fmt::format("schedcc: note: prove assumes one chunk per message; messages of {} carry up to "
                  "{} (state it with --machine {}{}width={})\n",
                  file, width, machine.spec(),
                  machine.spec().find(':') == std::string::npos ? ":" : ",", width));
}

/// The problem and the machine that a file states.
Question stated_in(const std::string& file, const ProveOptions& options) {
  if (!is_file(file, options) && !names_own_algorithm(file)) {
    throw UsageError(
        fmt::format("'{}' is not a file; state the problem by --collective, --ranks, ... or in a "
                    "FILE (an algorithm: with --all-chunks)",
                    file));
  }
  Input input = open_input(file, options);
  input.source.open();  // throws if the file does not state its collective
  if (!options.quiet) note_width(file, input);
  Question result;
  result.problem = std::move(input.source.problem);
  result.machine = std::move(input.machine);
  return result;
}

void check_usage(const Question& question, const ProveOptions& options) {
  const std::string& machine = question.machine.spec();
  if (options.rounds && !question.machine.has_rounds()) {
    throw UsageError(fmt::format("{}; machine '{}' is not one",
                                 only_for("--rounds", "topologies without ports"), machine));
  }
  if (options.no_wait && (options.rounds || options.pareto)) {
    throw UsageError("--no-wait cannot be combined with --rounds or --pareto");
  }
  if (options.no_wait && !question.machine.network()) {
    throw UsageError(
        fmt::format("{}; '{}' has none", only_for("--no-wait", "machines with routers"), machine));
  }
  if (options.pareto && question.problem.declared()) {
    throw UsageError(
        "--pareto varies the number of chunks, which custom collectives and irregular blocks fix");
  }
}

}  // namespace

Question question(const ProveOptions& options) {
  if (options.arguments.size() > 1) {
    throw UsageError(
        fmt::format("unexpected argument '{}': prove takes one FILE", options.arguments[1]));
  }
  Question result;
  if (options.arguments.empty()) {
    for (const auto& [given, option] : {std::pair(options.from.has_value(), "--from"),
                                        std::pair(options.problem.has_value(), "--problem"),
                                        std::pair(options.strict_format, "--strict-format")}) {
      if (given) throw UsageError(fmt::format("{} requires a FILE", option));
    }
    result.problem = stated(options);
    result.machine = make_machine(options.machine.value_or("duplex"), result.problem.ranks);
  } else {
    result = stated_in(options.arguments.front(), options);
  }
  check_usage(result, options);
  result.waiting = !options.no_wait;
  result.steps = options.steps.value_or(0);
  result.rounds = options.rounds;
  result.eager = options.eager;
  return prover::normalized(std::move(result));
}

}  // namespace schedcc::cli
