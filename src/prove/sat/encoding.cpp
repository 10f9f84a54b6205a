#include "prove/sat/encoding.hpp"

#include <map>
#include <utility>

#include "prove/sat/contributions.hpp"
#include "prove/sat/copies.hpp"
#include "prove/sat/periodic_exchange.hpp"
#include "prove/sat/pipeline.hpp"

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

std::shared_ptr<const Schedule> CopyQuestion::schedule(
    std::shared_ptr<const Schedule> copies) const {
  return reversed ? prover::reversed(*copies, instance) : std::move(copies);
}

std::optional<CopyQuestion> copy_question(const Question& question, bool dual) {
  if (!question.problem.reduction()) {
    return CopyQuestion{make_instance(question, false), deliveries(question.problem)};
  }
  auto chunks = dual ? prover::dual(question.problem) : std::nullopt;
  if (!chunks) return std::nullopt;
  return CopyQuestion{make_instance(question, true), std::move(*chunks), true};
}

Encoding encode(const Question& question, const Hints& hints, const PollLimits& poll_limits) {
  const auto copies = copy_question(question, hints.dual);
  if (!copies) {
    return encode_contributions(make_instance(question, false), question.problem, hints,
                                poll_limits);
  }
  Encoding encoding =
      hints.exchanges ? encode_exchanges(copies->instance, copies->chunks, poll_limits)
      : hints.pipeline
          ? encode_pipeline(copies->instance, copies->chunks, *hints.pipeline, poll_limits)
          : encode_copies(copies->instance, copies->chunks, hints, poll_limits);
  if (copies->reversed) {
    encoding.schedule = [found = std::move(encoding.schedule),
                         copies](const std::vector<bool>& model) {
      return copies->schedule(found(model));
    };
  }
  return encoding;
}

}  // namespace schedcc::prover
