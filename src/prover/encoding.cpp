#include "prover/encoding.hpp"

#include "prover/contributions.hpp"
#include "prover/copies.hpp"
#include "schedcc/error.hpp"

namespace schedcc::prover {

namespace {

/// The collective whose schedules, run backwards on a machine whose arcs are turned round, are
/// exactly those of a reduction in any order.
std::optional<Collective> dual(const Problem& problem) {
  if (problem.ordered) return std::nullopt;
  if (problem.collective == Collective::reduce) return Collective::broadcast;
  if (problem.collective == Collective::reduce_scatter) return Collective::allgather;
  return std::nullopt;
}

std::shared_ptr<const Schedule> reversed(const Schedule& schedule, std::uint64_t steps) {
  auto result = std::make_shared<Schedule>();
  for (std::uint64_t row = schedule.size(); row-- > 0;) {
    const Step step = schedule[row];
    result->begin_step(steps - 1 - step.number, step.rounds);
    for (Transfer t : step.transfers) {
      std::swap(t.src, t.dst);
      t.reduce = 1;
      result->add(t);
    }
  }
  return result;
}

}  // namespace

Encoding encode(const Question& question, const Hints& hints) {
  if (question.machine.logp && question.problem.reduction()) {
    throw InputError("prove has no rules for reductions on machine 'logp'");
  }
  if (const auto other = hints.dual ? dual(question.problem) : std::nullopt) {
    Problem problem = question.problem;
    problem.collective = *other;
    Encoding encoding =
        encode_copies(make_instance(question, true), deliveries(problem), hints);
    encoding.schedule = [forward = std::move(encoding.schedule),
                         steps = question.steps](const std::vector<bool>& model) {
      return reversed(*forward(model), steps);
    };
    return encoding;
  }
  const Instance instance = make_instance(question, false);
  if (question.problem.reduction()) return encode_contributions(instance, question.problem, hints);
  return encode_copies(instance, deliveries(question.problem), hints);
}

}  // namespace schedcc::prover
