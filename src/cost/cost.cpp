// The steps of a source are read once, by both clocks of the model.

#include "schedcc/cost.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "analysis/describe_source.hpp"
#include "core/names.hpp"
#include "cost/bounds.hpp"
#include "cost/clock.hpp"
#include "cost/timing.hpp"
#include "machine/lowering.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

namespace {

CostReport describe_problem(const Source& source, const Machine& machine, const CostModel& model,
                            std::uint64_t bytes) {
  CostReport report;
  describe_source(source, source.problem, report);
  report.machine = machine.spec();
  report.model = model.spec;
  report.bytes = bytes;
  return report;
}

/// No message is larger than all blocks together, which must have fewer than 2^64 bytes.
void check_size(const Problem& problem, std::uint64_t bytes) {
  for (int i = 0; i < info(problem.collective).blocks; ++i) {
    if (__builtin_mul_overflow(bytes, problem.ranks, &bytes)) refuse_size();
  }
}

/// The observers of the steps: the figures, and the model's clocks for the machine.
class CostObserver {
 public:
  CostObserver(const CostModel& model, const Machine& machine, bool record, CostReport& report)
      : report_(report), cycles_(machine.latency()), record_(record) {
    const CostModelEntry& entry = find_cost_model(model.name);
    if (entry.synchronous != nullptr) synchronous_ = entry.synchronous(model, machine);
    if (entry.asynchronous != nullptr) asynchronous_ = entry.asynchronous(model, machine, record);
  }

  void step(const Step& step, std::span<const SizedMessage> messages) {
    std::uint64_t largest = 0;
    for (const SizedMessage& m : messages) {
      largest = std::max(largest, m.bytes);
      add_bytes(report_.bytes_moved, m.bytes);
      report_.width = std::max(report_.width, m.chunks);
    }
    report_.steps = step.number + cycles_;
    report_.messages += messages.size();
    add_bytes(report_.volume_bytes, largest);
    for (Clock* clock : {synchronous_.get(), asynchronous_.get()}) {
      if (clock != nullptr) clock->step(step.number, step.rounds, messages);
    }
  }

  void finish() {
    if (synchronous_) report_.synchronous = synchronous_->finish();
    if (asynchronous_) {
      report_.asynchronous = asynchronous_->finish();
      if (record_) report_.critical_path = asynchronous_->critical_path();
    }
  }

 private:
  CostReport& report_;
  std::uint64_t cycles_;
  bool record_;
  std::unique_ptr<Clock> synchronous_, asynchronous_;
};

/// Calls f(step, messages) for all steps, on a routed machine those of the hop level, until it
/// returns false; returns the last answer.
template <typename F>
bool each_step(const Source& source, const Machine& machine, const CostModel& model,
               std::uint64_t bytes, const std::function<void(std::uint64_t)>& progress, F f) {
  constexpr std::uint64_t tick_interval = 1 << 18;
  std::uint64_t seen = 0, next_tick = tick_interval;
  const bool routed = machine.routed();
  if (source.problem.tokens()) bytes = 0;
  // Without link times, a link carries its chunks in parallel.
  MessageReader reader(ChunkBytes(bytes, source.problem.chunks), routed && !model.of_machine);
  reader.group_by_switches(machine.in_network(), source.problem);
  const auto stream = (routed ? lower(source, machine) : source).open();
  for (Step step; stream->next(step);) {
    if (step.transfers.empty()) continue;
    if (!machine.has_rounds()) step.rounds = 1;
    const std::span<const SizedMessage> messages = reader.read(step);
    if (!f(step, messages)) return false;
    seen += messages.size();
    if (progress && seen >= next_tick) {
      progress(seen);
      next_tick = seen + tick_interval;
    }
  }
  return true;
}

}  // namespace

std::string_view name(BoundedSchedules schedules) {
  switch (schedules) {
    case BoundedSchedules::synchronous:
      return "synchronous steps";
    case BoundedSchedules::one_packet_size:
      return "packets of one size";
    case BoundedSchedules::any:
      break;
  }
  return "any schedule";
}

const TimeBound* CostReport::bound() const {
  const TimeBound* best = nullptr;
  for (const TimeBound& b : bounds) {
    if (b.holds_for == BoundedSchedules::one_packet_size) continue;
    if (best == nullptr || b.seconds > best->seconds) best = &b;
  }
  return best;
}

CostModel make_cost_model(std::string_view text) {
  const Spec spec = Spec::parse(text);
  const CostModelEntry& entry = find_cost_model(spec.name);
  const Parameters parameters =
      spec.check(entry.parameters, fmt::format("cost model '{}'", spec.name));
  CostModel model = entry.make(parameters);
  model.name = entry.name;
  model.spec = spec.text();
  return model;
}

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
  each_step(source, machine, models.front(), bytes, progress,
            [&](const Step& step, std::span<const SizedMessage> messages) {
              read(common, step, messages, machine);
              for (const auto& clock : clocks) clock->step(step.number, step.rounds, messages);
              return true;
            });
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
  const auto empty = own_clock(model, machine), full = own_clock(model, machine);
  ProfiledTiming result;
  std::vector<SizedMessage> without_bytes;
  std::vector<LinkTime> lines;
  std::uint64_t busy = 0;
  each_step(source, machine, model, source.problem.chunks * unit, progress,
            [&](const Step& step, std::span<const SizedMessage> messages) {
              read(result.timing, step, messages, machine);
              without_bytes.assign(messages.begin(), messages.end());
              for (SizedMessage& m : without_bytes) m.bytes = 0;
              empty->step(step.number, step.rounds, without_bytes);
              full->step(step.number, step.rounds, messages);
              lines.clear();
              for (std::size_t i = 0; i < messages.size(); ++i) {
                const double start = empty->durations()[i];
                lines.push_back({start, (full->durations()[i] - start) / unit});
              }
              result.profile.add(lines);
              ++busy;
              return true;
            });
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
  const auto add_step = [&](const Step& step, std::span<const SizedMessage> messages) {
    read(result, step, messages, machine);
    clock->step(step.number, step.rounds, messages);
    return clock->so_far() < limit;
  };
  if (!each_step(source, machine, model, bytes, progress, add_step)) return std::nullopt;
  result.seconds = clock->finish();
  return result.seconds < limit ? std::optional(result) : std::nullopt;
}

CostReport cost(const Source& source, const Machine& machine, const CostModel& model,
                const CostOptions& options) {
  if (const auto why = reason_against(model, machine)) {
    throw InputError(fmt::format("cost model '{}' does not fit machine '{}': {}", model.name,
                                 machine.spec(), *why));
  }
  check_size(source.problem, options.bytes);
  CostReport report = describe_problem(source, machine, model, options.bytes);
  CostObserver watch(model, machine, options.critical_path, report);
  each_step(source, machine, model, options.bytes, options.progress,
            [&](const Step& step, std::span<const SizedMessage> messages) {
              watch.step(step, messages);
              return true;
            });
  watch.finish();
  report.seconds = (model.synchronous() ? report.synchronous : report.asynchronous).value();
  report.bounds = time_bounds(source.problem, machine, model, options.bytes,
                              std::max<std::uint64_t>(report.width, 1));
  return report;
}

std::optional<std::string> reason_against(const CostModel& model, const Machine& machine) {
  return find_cost_model(model.name).reason(machine);
}

bool has_critical_path(const CostModel& model, const Machine& machine) {
  const CostModelEntry& entry = find_cost_model(model.name);
  return entry.keeps_path && entry.asynchronous != nullptr && !reason_against(model, machine) &&
         entry.asynchronous(model, machine, false) != nullptr;
}

std::vector<CostModelInfo> cost_models() {
  std::vector<CostModelInfo> result;
  for (const CostModelEntry* entry : cost_model_entries())
    result.push_back({entry->name, entry->summary, entry->source, entry->parameters});
  return result;
}

const CostModelEntry& find_cost_model(std::string_view name) {
  return find_named(cost_model_entries(), "cost model", name);
}

}  // namespace schedcc
