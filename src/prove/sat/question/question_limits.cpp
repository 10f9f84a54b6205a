#include "prove/sat/question/question_limits.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "core/counted.hpp"
#include "core/only_for.hpp"
#include "prove/sat/question/calls.hpp"
#include "schedcc/error.hpp"

namespace schedcc::prover {

namespace {

/// Larger questions have no clauses, and with one step nothing at all: they would not fit into
/// memory.
constexpr std::uint64_t max_nodes = 1024, max_sends = 40'000'000;

/// The approximate number of variables of a question: `each` for every possible send, and those for
/// counting the rounds of each step and for the order of messages.
double size(const Question& question, double nodes, double each) {
  const double steps = static_cast<double>(std::max<std::uint64_t>(question.steps, 1));
  const auto ranks = static_cast<double>(question.problem.ranks);
  const auto chunks = static_cast<double>(question.problem.total_chunks());
  // On a network a node has few neighbours.
  const double arcs = question.machine.network() && question.waiting ? 2 * nodes : nodes * nodes;
  double result = arcs * chunks * steps * each;
  const auto [extra, rounds] = useful_rounds(question, 1);
  result += static_cast<double>(extra) * steps * (nodes + static_cast<double>(rounds));
  if (question.machine.timing() && question.eager == 0) {
    result += arcs * steps * ranks * std::min(chunks, steps);
  }
  return result;
}

double node_count(const Question& question) {
  return static_cast<double>(question.machine.network() ? question.machine.network()->nodes()
                                                        : question.problem.ranks);
}

/// Why a question of this size is refused; none if it is not.
std::optional<std::string> size_refusal(const Question& question) {
  const double nodes = node_count(question);
  const auto fits = [&](double sends) {
    return nodes <= max_nodes && sends <= static_cast<double>(max_sends);
  };
  double sends = size(question, nodes, 1);
  if (fits(sends) && question.problem.reduction() && !dual(question.problem)) {
    sends = size(question, nodes,
                 question.problem.ranks);  // each with the contributions that it brings
  }
  if (fits(sends)) return std::nullopt;
  return fmt::format(
      "{} on {} is too large to be decided: {} nodes and about {:.1g} possible transfers{}; "
      "prove takes up to {} and {:.1g}",
      schedcc::describe(question.problem), question.machine.spec(), nodes, sends,
      question.problem.reduction() ? " of contributions" : "", max_nodes,
      static_cast<double>(max_sends));
}

/// Throws InstanceTooLarge where even one step is too large.
void check_step_size(Question question) {
  question.steps = 0;
  if (const auto why = size_refusal(question)) throw InstanceTooLarge(*why);
}

/// Throws InputError where `eager` is neither 0 nor enough.
void check_eager(const Question& question) {
  const LogP* model = question.machine.timing();
  if (!model) {
    throw InputError(fmt::format("{}; on '{}' the calls of a step complete together",
                                 only_for("--eager", "machine 'logp'"), question.machine.spec()));
  }
  if (const std::uint64_t enough = enough_buffers(*model); question.eager < enough) {
    throw InputError(
        fmt::format("on {} prove takes --eager 0 (rendezvous), or at least {}: with that "
                    "many buffered messages no send waits",
                    question.machine.spec(), enough));
  }
}

}  // namespace

std::string too_many_channel_uses(const Question& question) {
  return fmt::format(
      "{} on {} is too large to be decided: messages may take channels in more than {:.1g} "
      "ways, the limit",
      schedcc::describe(question.problem), question.machine.spec(),
      static_cast<double>(max_channel_uses));
}

std::optional<std::string> clauses_refusal(const Question& question, const Instance& instance) {
  if (auto why = size_refusal(question)) return why;
  Saturating uses = 0;
  for (const Arc& arc : instance.arcs) uses += arc.channels.size();
  if (uses * question.steps > max_channel_uses) return too_many_channel_uses(question);
  return std::nullopt;
}

double possible_transfers(const Question& question) {
  return size(question, node_count(question), 1);
}

std::pair<std::uint64_t, std::uint64_t> useful_rounds(const Question& question,
                                                      Saturating capacity) {
  const std::uint64_t extra = question.rounds ? *question.rounds - question.steps : 0;
  const std::uint64_t each = (question.problem.total_chunks() - 1) / capacity.value();
  return {std::min(Saturating(question.steps) * each, Saturating(extra)).value(),
          std::min(each, extra)};
}

void check_question(const Question& question) {
  const Machine& machine = question.machine;
  if (machine.in_network().any()) {
    throw InputError(
        fmt::format("prove does not support machine '{}', whose switches copy or combine messages",
                    machine.spec()));
  }
  if (machine.network() && machine.network()->restricted()) {
    throw InputError(
        fmt::format("prove does not support machine '{}', some of whose switches may not copy or "
                    "combine packets",
                    machine.spec()));
  }
  if (!question.waiting && (!machine.network() || question.rounds)) {
    throw InputError("packets that do not wait are for machines with routers, without rounds");
  }
  if (question.rounds && *question.rounds < question.steps) {
    throw InputError(fmt::format(
        "{} {} too few for {}: each takes at least one", counted(*question.rounds, "round"),
        *question.rounds == 1 ? "is" : "are", counted(question.steps, "step")));
  }
  check_step_size(question);
  if (question.eager > 0) check_eager(question);
}

}  // namespace schedcc::prover
