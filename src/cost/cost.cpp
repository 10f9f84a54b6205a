// A source's steps go by once, and both clocks of the model watch.

#include "schedcc/cost.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "cost/clock.hpp"
#include "ir/lowering.hpp"
#include "schedcc/error.hpp"
#include "schedcc/registry.hpp"

namespace schedcc {

namespace {

CostReport describe_problem(const Source& source, const Machine& machine, const CostModel& model,
                            std::uint64_t bytes) {
  CostReport report;
  report.schedule = source.name;
  report.file = source.file;
  report.collective = info(source.problem.collective).name;
  report.machine = machine.spec;
  report.model = model.spec;
  report.ranks = source.problem.ranks;
  report.chunks = source.problem.chunks;
  report.bytes = bytes;
  if (source.problem.rooted()) report.root = source.problem.root;
  return report;
}

/// No message is larger than all blocks together.
void check_size(const Problem& problem, std::uint64_t bytes) {
  for (int i = 0; i < info(problem.collective).blocks; ++i) {
    if (__builtin_mul_overflow(bytes, problem.ranks, &bytes)) add_bytes(bytes = UINT64_MAX, 1);
  }
}

/// What watches the steps: the figures, and the clocks that the model has for the machine.
class Watch {
 public:
  Watch(const CostModel& model, const Machine& machine, bool record, CostReport& report)
      : report_(report), cycles_(machine.logp ? machine.logp->latency() : 1) {
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
      report_.critical_path = asynchronous_->critical_path();
    }
  }

 private:
  CostReport& report_;
  std::uint64_t cycles_;
  std::unique_ptr<Clock> synchronous_, asynchronous_;
};

}  // namespace

const TimeBound* CostReport::bound() const {
  const TimeBound* best = nullptr;
  for (const TimeBound& b : bounds) {
    if (b.holds_for == "packets of one size") continue;
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
  if (const auto why = find_cost_model(model.name).refuse(machine)) {
    throw InputError(fmt::format("cost model '{}' does not fit machine '{}': {}", model.name,
                                 machine.spec, *why));
  }
  check_size(source.problem, options.bytes);
  CostReport report = describe_problem(source, machine, model, options.bytes);
  const bool routed = machine.routed();
  const Source steps = routed ? lower(source, machine) : source;
  Watch watch(model, machine, options.critical_path, report);
  MessageReader reader(Cut(options.bytes, source.problem.chunks), routed);
  constexpr std::uint64_t often = 1 << 18;
  std::uint64_t next_tick = often;
  const auto stream = steps.open();
  for (Step step; stream->next(step);) {
    if (step.transfers.empty()) continue;
    watch.step(step, reader.read(step));
    if (options.progress && report.messages >= next_tick) {
      options.progress(report.messages);
      next_tick = report.messages + often;
    }
  }
  watch.finish();
  report.seconds = (model.linear ? report.synchronous : report.asynchronous).value();
  report.bounds = time_bounds(source.problem, machine, model, options.bytes,
                              std::max<std::uint64_t>(report.width, 1));
  return report;
}

}  // namespace schedcc
