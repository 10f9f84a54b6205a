#include "prove/sat/encoding.hpp"

#include <map>

#include "prove/sat/contributions.hpp"
#include "prove/sat/copies.hpp"

namespace schedcc::prover {

namespace {

/// The schedule with time and direction reversed: a transfer of `latency` steps that starts in t
/// begins `latency` steps before the image of step t.
std::shared_ptr<const Schedule> reversed(const Schedule& schedule, const Instance& turned) {
  const ArcNumbers number = arc_numbers(turned.arcs);
  std::map<std::uint64_t, std::vector<Transfer>> steps;
  std::map<std::uint64_t, std::uint32_t> rounds;
  for (std::uint64_t row = 0; row < schedule.size(); ++row) {
    const Step step = schedule[row];
    rounds[turned.steps - 1 - step.number] = step.rounds;
    for (Transfer t : step.transfers) {
      const Arc& arc = turned.arcs[number.at({t.src, t.dst})];
      const std::uint64_t begin = turned.steps - step.number - arc.latency;
      std::swap(t.src, t.dst);
      t.reduce = 1;
      steps[begin].push_back(t);
    }
  }
  auto result = std::make_shared<Schedule>();
  for (const auto& [step, count] : rounds) {
    result->begin_step(step, count);
    for (const Transfer& t : steps[step]) result->add(t);
  }
  return result;
}

}  // namespace

Encoding encode(const Question& question, const Hints& hints, const PollLimits& poll_limits) {
  const Instance instance = make_instance(question, false);
  if (!question.problem.reduction()) {
    return encode_copies(instance, deliveries(question.problem), hints, poll_limits);
  }
  if (const auto chunks = hints.dual ? dual(question.problem) : std::nullopt) {
    const Instance turned = make_instance(question, true);
    Encoding encoding = encode_copies(turned, *chunks, hints, poll_limits);
    encoding.schedule = [copies = std::move(encoding.schedule),
                         turned](const std::vector<bool>& model) {
      return reversed(*copies(model), turned);
    };
    return encoding;
  }
  return encode_contributions(instance, question.problem, hints, poll_limits);
}

}  // namespace schedcc::prover
