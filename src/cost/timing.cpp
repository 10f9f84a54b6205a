#include "cost/timing.hpp"

#include <algorithm>
#include <memory>
#include <span>

#include "cost/bounds.hpp"
#include "cost/clock.hpp"
#include "cost/step_reader.hpp"

namespace schedcc {

namespace {

/// By the model's own clock.
std::unique_ptr<Clock> own_clock(const CostModel& model, const Machine& machine) {
  const CostModelEntry& entry = find_cost_model(model.name);
  return model.synchronous() ? entry.synchronous(model, machine)
                             : entry.asynchronous(model, machine, false);
}

/// The figures that all clocks share.
void read(Timing& timing, const Step& step, std::span<const SizedMessage> messages,
          const Machine& machine) {
  for (const SizedMessage& m : messages) timing.width = std::max(timing.width, m.chunks);
  timing.steps = step.number + machine.latency();
}

}  // namespace

std::vector<Timing> times(const Source& source, const Machine& machine,
                          const std::vector<CostModel>& models, std::uint64_t bytes,
                          const std::function<void(std::uint64_t)>& progress) {
  check_size(source.problem, bytes);
  std::vector<std::unique_ptr<Clock>> clocks;
  clocks.reserve(models.size());
  for (const CostModel& model : models) clocks.push_back(own_clock(model, machine));
  Timing common;
  StepReader reader(source, machine, models.front(), bytes, progress);
  while (reader.next()) {
    const Step& step = reader.step();
    const std::span<const SizedMessage> messages = reader.messages();
    read(common, step, messages, machine);
    for (const auto& clock : clocks) clock->step(step.number, step.rounds, messages);
  }
  std::vector<Timing> result(models.size(), common);
  for (std::size_t i = 0; i < models.size(); ++i) result[i].seconds = clocks[i]->finish();
  return result;
}

bool has_profiles(const CostModel& model, const Machine& machine) {
  const auto profiles = find_cost_model(model.name).profiles;
  return profiles != nullptr && profiles(machine);
}

ProfiledTiming profiled(const Source& source, const Machine& machine, const CostModel& model,
                        const std::function<void(std::uint64_t)>& progress) {
  constexpr std::uint64_t unit = std::uint64_t{1} << 16;  // bytes of a chunk
  const auto clock = own_clock(model, machine);
  ProfiledTiming result;
  std::vector<LinkTime> lines;
  std::uint64_t busy = 0;
  StepReader reader(source, machine, model, source.problem.chunks * unit, progress);
  while (reader.next()) {
    const std::span<const SizedMessage> messages = reader.messages();
    read(result.timing, reader.step(), messages, machine);
    lines.clear();
    for (const auto& [alpha, beta] : clock->lines(messages)) lines.push_back({alpha, beta / unit});
    result.profile.add(lines);
    ++busy;
  }
  // An idle step takes the least start-up.
  const double idle = least_link(model, machine).alpha;
  if (result.timing.steps > busy)
    result.profile.add(static_cast<double>(result.timing.steps - busy) * idle);
  return result;
}

std::optional<Timing> time_below(double limit, const Source& source, const Machine& machine,
                                 const CostModel& model, std::uint64_t bytes,
                                 const std::function<void(std::uint64_t)>& progress) {
  const auto clock = own_clock(model, machine);
  check_size(source.problem, bytes);
  Timing result;
  StepReader reader(source, machine, model, bytes, progress);
  while (reader.next()) {
    const Step& step = reader.step();
    const std::span<const SizedMessage> messages = reader.messages();
    read(result, step, messages, machine);
    clock->step(step.number, step.rounds, messages);
    if (!(clock->so_far() < limit)) return std::nullopt;
  }
  result.seconds = clock->finish();
  return result.seconds < limit ? std::optional(result) : std::nullopt;
}

}  // namespace schedcc
