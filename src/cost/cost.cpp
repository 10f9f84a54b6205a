// The steps of a source are read once, by both clocks of the model.

#include "schedcc/cost.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "analysis/describe_source.hpp"
#include "core/names.hpp"
#include "cost/bounds.hpp"
#include "cost/clock.hpp"
#include "cost/step_reader.hpp"
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

CostReport cost(const Source& source, const Machine& machine, const CostModel& model,
                const CostOptions& options) {
  require_fit(model, machine);
  check_size(source.problem, options.bytes);
  CostReport report = describe_problem(source, machine, model, options.bytes);
  CostObserver watch(model, machine, options.critical_path, report);
  StepReader reader(source, machine, model, options.bytes, options.progress);
  while (reader.next()) watch.step(reader.step(), reader.messages());
  watch.finish();
  report.seconds = (model.synchronous() ? report.synchronous : report.asynchronous).value();
  report.bounds = time_bounds(source.problem, machine, model, options.bytes,
                              std::max<std::uint64_t>(report.width, 1));
  return report;
}

std::optional<std::string> reason_against(const CostModel& model, const Machine& machine) {
  return find_cost_model(model.name).reason(machine);
}

void require_fit(const CostModel& model, const Machine& machine) {
  if (const auto why = reason_against(model, machine)) {
    throw InputError(fmt::format("cost model '{}' does not fit machine '{}': {}", model.name,
                                 machine.spec(), *why));
  }
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
