#include "cost/timing.hpp"

#include <algorithm>
#include <memory>
#include <span>

#include <fmt/core.h>

#include "cost/clock.hpp"
#include "cost/step_reader.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

namespace {

/// The figures that all clocks share.
void read(Timing& timing, const Step& step, std::span<const SizedMessage> messages,
          const Machine& machine) {
  for (const SizedMessage& m : messages) timing.width = std::max(timing.width, m.chunks);
  timing.steps = step.number + machine.latency();
}

}  // namespace

std::unique_ptr<Clock> own_clock(const CostModel& model, const Machine& machine) {
  const CostModelEntry& entry = find_cost_model(model.name);
  return model.synchronous() ? entry.synchronous(model, machine)
                             : entry.asynchronous(model, machine, false);
}

std::unique_ptr<LinearClock> linear_clock(const CostModel& model, const Machine& machine) {
  auto clock = own_clock(model, machine);
  auto* const linear = dynamic_cast<LinearClock*>(clock.get());
  if (linear == nullptr)
    throw InternalError(fmt::format("the clock of the linear model '{}' is none", model.name));
  static_cast<void>(clock.release());
  return std::unique_ptr<LinearClock>(linear);
}

bool has_profiles(const CostModel& model, const Machine& machine) {
  const auto profiles = find_cost_model(model.name).profiles;
  return profiles != nullptr && profiles(machine);
}

std::optional<Timing> time_below(double limit, const Source& source, const Machine& machine,
                                 const CostModel& model, std::uint64_t bytes,
                                 const std::function<void(std::uint64_t)>& progress,
                                 std::optional<LinkTime>* least) {
  const auto clock = own_clock(model, machine);
  check_size(source.problem, bytes);
  Timing result;
  StepReader reader(source, machine, model, bytes, progress);
  // A bound that is just above the limit is below that of the next size.
  const double enough = least != nullptr && clock->least_so_far() ? 2 * limit : limit;
  const auto keep_bound = [&] {
    if (least != nullptr) *least = clock->least_so_far();
  };
  while (reader.next()) {
    const Step& step = reader.step();
    const std::span<const SizedMessage> messages = reader.messages();
    read(result, step, messages, machine);
    clock->step(step.number, step.rounds, messages);
    if (clock->so_far() < enough) continue;
    keep_bound();
    return std::nullopt;
  }
  result.seconds = clock->finish();
  keep_bound();
  return result.seconds < limit ? std::optional(result) : std::nullopt;
}

}  // namespace schedcc
