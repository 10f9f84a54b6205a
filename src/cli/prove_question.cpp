#include "cli/prove_question.hpp"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "cli/output.hpp"
#include "cli/sources.hpp"
#include "cost/messages.hpp"
#include "model/block_sizes.hpp"
#include "prove/sat/decide.hpp"
#include "schedcc/error.hpp"
#include "schedcc/machine.hpp"
#include "schedcc/problem.hpp"

namespace schedcc::cli {

namespace {

using prover::Question;

/// The problem that --collective, --ranks, ... state.
Problem stated(const Options& options) {
  if (!options.collective) throw UsageError("prove needs --collective, or a FILE");
  if (!options.ranks) throw UsageError("prove needs --ranks");
  if (*options.ranks > UINT32_MAX) {
    throw UsageError(
        fmt::format("--ranks: '{}' is not a whole number in 1..{}; more ranks are for "
                    "--all-chunks",
                    *options.ranks, UINT32_MAX));
  }
  Problem problem;
  problem.collective = find_collective(*options.collective);
  if (problem.collective == Collective::custom) {
    throw UsageError("a custom collective is what a file says: prove FILE");
  }
  problem.ranks = static_cast<Rank>(*options.ranks);
  problem.root = static_cast<Rank>(options.root.value_or(0));
  problem.chunks = static_cast<std::uint32_t>(options.chunks.value_or(1));
  problem.ordered = options.ordered;
  problem.validate();
  if (options.root && !problem.rooted()) {
    throw UsageError(fmt::format("{} has no root", info(problem.collective).name));
  }
  if (!options.block_sizes) return problem;
  if (options.chunks) {
    throw UsageError("--block-sizes says how many chunks each block has, so --chunks cannot");
  }
  const std::uint64_t blocks = block_count(problem.collective, problem.ranks);
  if (blocks == 0) throw UsageError(fmt::format("{} has no blocks", info(problem.collective).name));
  return with_block_sizes(problem, read_block_sizes(*options.block_sizes, blocks));
}

/// The most chunks of a message of the source.
std::uint64_t widest(const Source& source) {
  std::uint64_t result = 0;
  MessageReader messages(Cut(1, 1), false);
  const auto stream = source.open();
  for (Step step; stream->next(step);) {
    for (const SizedMessage& m : messages.read(step)) result = std::max(result, m.chunks);
  }
  return result;
}

/// `prove` asks for messages of one chunk where the machine does not say how many there may be.
void note_width(const std::string& file, const Input& input) {
  const Machine& machine = input.machine;
  if (machine.width != 0 || !machine.ports) return;
  const std::uint64_t width = widest(input.source);
  if (width <= 1) return;
  complain(fmt::format(
      "schedcc: note: messages have one chunk here, those of {} up to {}: --machine {}{}width={}\n",
      file, width, machine.spec, machine.spec.find(':') == std::string::npos ? ":" : ",", width));
}

/// The problem and the machine that a file states.
Question stated_in(const std::string& file, const Options& options) {
  if (!options.from && !is_file(file)) {
    throw UsageError(
        fmt::format("'{}' is no file; the problem is in --collective, --ranks, ... or in a "
                    "FILE (an algorithm: with --all-chunks)",
                    file));
  }
  Input input = open_file(file, options);
  if (!options.quiet) note_width(file, input);
  Question result;
  result.problem = std::move(input.source.problem);
  result.machine = std::move(input.machine);
  if (result.problem.collective == Collective::custom && !result.problem.custom) {
    throw InputError({file, 0, 0}, "it does not say what its collective is");
  }
  return result;
}

void check_usage(const Question& question, const Options& options) {
  const std::string& machine = question.machine.spec;
  if (options.rounds && !question.machine.topology) {
    throw UsageError(
        fmt::format("--rounds is for topologies; a step of machine '{}' has one", machine));
  }
  if (options.no_wait && (options.rounds || options.pareto)) {
    throw UsageError("--no-wait is for steps of one round; no --rounds or --pareto beside it");
  }
  if (options.no_wait && !question.machine.network) {
    throw UsageError(fmt::format("--no-wait is for machines with routers; '{}' has none", machine));
  }
  if (options.pareto && question.problem.custom) {
    throw UsageError(
        "--pareto asks for 1, 2, ... chunks; custom collectives and irregular blocks have theirs");
  }
}

/// Are there rules for it? That there may be too many steps to write down is no matter: fewer may
/// do.
void check_rules(Question question) {
  try {
    make_instance(question, false);
  } catch (const prover::TooLarge&) {
    if (std::exchange(question.steps, 0) == 0) throw;
    make_instance(question, false);
  }
}

}  // namespace

Question question(const Options& options) {
  if (options.arguments.size() > 1) {
    throw UsageError(
        fmt::format("prove takes one FILE; '{}' is a second one", options.arguments[1]));
  }
  Question result;
  if (options.arguments.empty()) {
    if (options.from) throw UsageError("--from is the format of a FILE, and there is none");
    result.problem = stated(options);
    result.machine = make_machine(options.machine.value_or("duplex"), result.problem.ranks);
  } else {
    result = stated_in(options.arguments.front(), options);
  }
  result.machine = prover::with_width(result.machine, result.problem.ranks);
  check_usage(result, options);
  result.waiting = !options.no_wait;
  result.steps = options.steps.value_or(0);
  result.rounds = options.rounds;
  result.eager = options.check.eager;
  check_rules(result);
  return result;
}

}  // namespace schedcc::cli
