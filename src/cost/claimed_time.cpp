// A step takes a start-up, and beta for every byte of its largest message: so steps (t + k/s) where
// every message is one of s packets, and steps t + volume k else, the volume counted in messages or
// blocks. On the links of a routed machine chunks travel in parallel, and each step has one.
//
// In the BSP model that holds where a rank sends one message a step and receives one; with several,
// their sum counts.

#include "cost/claimed_time.hpp"

#include <fmt/core.h>

namespace schedcc {

namespace {

std::string factor(std::string_view formula) {
  const bool sum = formula.find(' ') != std::string_view::npos;
  return sum ? fmt::format("({})", formula) : std::string(formula);
}

}  // namespace

bool one_message_each(const Algorithm& algorithm, const Request& request) {
  if (request.machine.ports() && request.machine.ports()->send == 1) return true;
  Request duplex = request;
  duplex.machine = Machine();
  // With more ports the schedule may differ.
  return algorithm.made_for(duplex) && !algorithm.reason(duplex) &&
         algorithm.claim(duplex).steps == algorithm.claim(request).steps;
}

bool steps_determine_time(const Algorithm& algorithm, const Request& request,
                          const CostClaim& claim, const CostModel& model) {
  const Machine& machine = request.machine;
  if (!model.linear()) return false;
  if (machine.routed()) return true;
  return claim.width == 1 && !claim.idle &&
         (model.step_time == StepTime::message || one_message_each(algorithm, request));
}

std::optional<TimeFormula> claimed_time(const Algorithm& algorithm, const Request& request,
                                        const CostModel& model, double bytes) {
  const Machine& machine = request.machine;
  if (!model.linear() || !algorithm.meets_claim(request)) return std::nullopt;
  if (!machine.routed() && model.step_time == StepTime::rank &&
      !one_message_each(algorithm, request))
    return std::nullopt;
  const CostClaim claim = algorithm.claim(request);
  if (claim.steps_formula.empty()) return std::nullopt;
  const bool single_chunks = claim.width == 1 || machine.routed();
  if (!single_chunks && claim.volume == 0) return std::nullopt;
  const auto volume = static_cast<double>(single_chunks ? claim.steps : claim.volume);
  const std::string time = single_chunks ? fmt::format("{} (t + k/s)", factor(claim.steps_formula))
                                         : fmt::format("{} t + {} k", factor(claim.steps_formula),
                                                       factor(claim.volume_formula));
  const bool at_most = !claim.exact || (claim.width == 1 && claim.idle);
  return TimeFormula{time + (at_most ? ", at most" : ""), std::string(algorithm.source),
                     static_cast<double>(claim.steps) * model.alpha +
                         volume * bytes / request.problem.chunks * model.beta};
}

}  // namespace schedcc
