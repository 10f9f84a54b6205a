#include "prove/sat/bounds/copy_question.hpp"

#include <cstdint>
#include <map>
#include <utility>

#include "prove/sat/question/question_limits.hpp"

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
  return backwards() ? reversed(*copies, instance) : std::move(copies);
}

const std::optional<RefutingPrices>& CopyQuestion::prices(const PollLimits& poll_limits) const {
  if (prices_) return *prices_;
  prices_.emplace(refuting_prices(instance, chunks, poll_limits));
  if (!*prices_) prices_.emplace(refuting_message_prices(instance, chunks, poll_limits));
  return *prices_;
}

std::shared_ptr<const CopyQuestion> copy_question(const Question& question) {
  if (!question.problem.reduction()) {
    return std::make_shared<CopyQuestion>(make_instance(question), deliveries(question.problem),
                                          Direction::forwards);
  }
  auto chunks = dual(question.problem);
  if (!chunks) return nullptr;
  return std::make_shared<CopyQuestion>(make_instance(question, Direction::backwards),
                                        std::move(*chunks), Direction::backwards);
}

std::optional<std::string> PreparedQuestion::clauses_refusal() const {
  return prover::clauses_refusal(question, copies ? copies->instance : make_instance(question));
}

}  // namespace schedcc::prover
