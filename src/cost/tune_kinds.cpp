// The kinds of compositions that `tune` searches, each with tuners for its parts; those by levels
// are in tune_levels.cpp.
//
// X then Y, for every rule of the collective: their times add.
//
// reverse(X), of algorithms that serve the collective backwards, but not itself.
//
// split(n, X), with n = 2, 4, 8, ... and one instance for each port: X is for 1/n of the bytes, on
// a machine with 1/n of the ports. Where a step takes what its largest message takes, n instances
// together take as long as one, or longer, since what two of them send from one rank to another in
// a step is one message. Elsewhere they share links: the model then says what a step takes in which
// every rank sends to the n ranks after it. It is not tried so on machines with nodes: there
// levels(m, X, Y) uses all links, and instances of one algorithm have never been found to be
// faster.
//
// Both have one part. Its time is near that of the whole, but not always the same, and the whole
// may fail a check that the part passes: so the algorithms are tried from the fastest on, until the
// part alone takes longer than the best whole.

#include <algorithm>

#include <fmt/core.h>

#include "cost/step_model.hpp"
#include "cost/tuner.hpp"
#include "schedcc/algorithm.hpp"

namespace schedcc {

namespace {

/// The most instances at once that are tried.
constexpr std::uint64_t max_instances = 64;

/// How many instances are tried on ranks with so many ports.
std::vector<std::uint64_t> numbers_of_instances(std::uint64_t ports) {
  std::vector<std::uint64_t> result;
  const std::uint64_t most = std::min(ports, max_instances);
  for (std::uint64_t n = 2; n < most; n *= 2) result.push_back(n);
  if (most >= 2) result.push_back(most);
  return result;
}

}  // namespace

TuneRequest request_of_part(const TuneRequest& whole, Problem problem) {
  TuneRequest result = whole;
  result.compositions = false;
  result.chunks = std::nullopt;
  result.problem = std::move(problem);
  std::erase_if(result.algorithms, [](const Spec& spec) { return is_composition(spec.name); });
  return result;
}

void Tuner::Impl::enter(Combination combination, std::vector<Combination>& combinations) {
  const bool served = std::ranges::all_of(
      combination.parts, [](const Part& part) { return !part.tuner->candidates_.empty(); });
  if (served) combinations.push_back(std::move(combination));
}

void Tuner::Impl::enter_sequences() {
  for (const CompositionRule& rule : composition_rules()) {
    if (rule.whole != request_.problem.collective) continue;
    const auto name = [](Collective c) { return info(c).name; };
    Combination combination{.name = fmt::format("{} then {}", name(rule.first), name(rule.second)),
                            .parts = {},
                            .text =
                                [rule, name](const std::vector<std::string>& specs) {
                                  return fmt::format("{} as {} then {} as {}", specs[0],
                                                     name(rule.first), specs[1], name(rule.second));
                                },
                            .exact = request_.model.synchronous(),
                            .only_if_better = !request_.model.synchronous()};
    for (const Collective collective : {rule.first, rule.second}) {
      const Problem problem = part_problem(request_.problem, collective);
      combination.parts.emplace_back(
          std::make_unique<Impl>(request_of_part(request_, problem), memory_),
          blocks_of(request_.problem), blocks_of(problem));
    }
    enter(std::move(combination), combinations_);
  }
}

void Tuner::Impl::enter_reverse() {
  const Collective collective = request_.problem.collective;
  const auto backwards = reversed(collective);
  if (!backwards) return;
  TuneRequest request = request_of_part(request_, part_problem(request_.problem, *backwards));
  request.chunks = request_.chunks;
  std::erase_if(request.algorithms,
                [&](const Spec& spec) { return named_algorithm(spec)->serves(collective); });
  Combination combination{.name = "reverse(X)",
                          .parts = {},
                          .text =
                              [](const std::vector<std::string>& specs) {
                                return fmt::format("reverse({})", specs[0]);
                              },
                          .exact = request_.model.linear(),
                          .one_part = true,
                          .only_if_better = true};
  combination.parts.emplace_back(std::make_unique<Impl>(std::move(request), memory_), 1, 1);
  enter(std::move(combination), combinations_);
}

void Tuner::Impl::enter_splits() {
  const CostModel& model = request_.model;
  if (!request_.machine || model.step_time == StepTime::rank) return;
  if (request_.problem.collective == Collective::barrier) return;  // there are no bytes to divide
  const Rank P = request_.problem.ranks;
  const Machine& machine = memory_->machine(*request_.machine, P);
  const PortLimits* const ports = machine.ports();
  if (ports == nullptr || machine.simplex() || reason_against(model, machine)) return;
  if (machine.levels() != nullptr && model.step_time != StepTime::message) return;
  const std::uint64_t all = std::min(ports->send, ports->receive);
  for (const std::uint64_t n : numbers_of_instances(all)) {
    TuneRequest request = request_of_part(request_, request_.problem);
    if (request_.chunks) request.chunks = ceil_div(*request_.chunks, n);
    request.machine = fmt::format("kport:k={}", all / n);
    if (model.step_time != StepTime::message)
      request.model = model_of_step(ring_messages(P, P, 1, 1, n), machine, model);
    Combination combination{.name = fmt::format("split({}, X)", n),
                            .parts = {},
                            .text =
                                [n](const std::vector<std::string>& specs) {
                                  return fmt::format("split({}, {})", n, specs[0]);
                                },
                            .exact = model.step_time == StepTime::message,
                            .one_part = true,
                            .only_if_better = true};
    combination.parts.emplace_back(std::make_unique<Impl>(std::move(request), memory_), 1, n);
    enter(std::move(combination), combinations_);
  }
}

}  // namespace schedcc
