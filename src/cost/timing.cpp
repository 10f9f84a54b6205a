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

namespace {

/// Where bounds for other sizes are kept, timing goes on beyond the limit, by this many times what
/// the limit is above known bounds: for the next size the limit is as far above its own.
constexpr double spare = 2;

/// Steps that are timed until a limit.
class StepTimer {
 public:
  StepTimer(double limit, const Problem& problem, const Machine& machine, const CostModel& model,
            std::uint64_t bytes, Outlook* outlook)
      : machine_(machine),
        clock_(own_clock(model, machine)),
        limit_(limit),
        outlook_(outlook),
        enough_(limit) {
    if (outlook == nullptr) return;
    if (clock_->least_so_far()) enough_ += spare * std::max(limit - outlook->known, 0.0);
    clock_->expect({&problem, problem.tokens() ? 0 : bytes / problem.chunks, outlook->width});
  }

  /// Does the next step end before what is enough?
  bool step(const Step& step, std::span<const SizedMessage> messages) {
    read(result_, step, messages, machine_);
    clock_->step(step.number, step.rounds, messages);
    return clock_->so_far() < enough_;
  }
  std::optional<Timing> finish() {
    result_.seconds = clock_->finish();
    keep_bound();
    return result_.seconds < limit_ ? std::optional(result_) : std::nullopt;
  }
  std::optional<Timing> abandon() {
    keep_bound();
    return std::nullopt;
  }

 private:
  void keep_bound() {
    if (outlook_ != nullptr) outlook_->least = clock_->least_so_far();
  }

  const Machine& machine_;
  std::unique_ptr<Clock> clock_;
  double limit_;
  Outlook* outlook_;
  double enough_;
  Timing result_;
};

}  // namespace

std::optional<Timing> time_below(double limit, const Source& source, const Machine& machine,
                                 const CostModel& model, std::uint64_t bytes,
                                 const std::function<void(std::uint64_t)>& progress,
                                 Outlook* outlook) {
  check_size(source.problem, bytes);
  StepTimer timer(limit, source.problem, machine, model, bytes, outlook);
  StepReader reader(source, machine, model, bytes, progress);
  while (reader.next()) {
    if (!timer.step(reader.step(), reader.messages())) return timer.abandon();
  }
  return timer.finish();
}

std::optional<Timing> time_below(double limit, const RepeatedSource& source, const Machine& machine,
                                 const CostModel& model, std::uint64_t bytes,
                                 const std::function<void(std::uint64_t)>& progress,
                                 Outlook* outlook) {
  const Problem& problem = source.problem;
  KeptMessages& kept = source.kept;
  check_size(problem, bytes);
  StepTimer timer(limit, problem, machine, model, bytes, outlook);
  const ChunkBytes sizes(problem.tokens() ? 0 : bytes, problem.chunks);
  for (std::size_t i = 0; i < kept.steps().size(); ++i) {
    Step step;
    step.number = kept.steps()[i].number;
    step.rounds = kept.steps()[i].rounds;
    if (!timer.step(step, kept.read(i, sizes))) return timer.abandon();
  }
  if (kept.ended()) return timer.finish();
  const std::uint64_t row = kept.row();
  StepReader reader(source.rest(row), machine, model, bytes, progress);
  bool keep = true;  // each step up to here
  while (reader.next()) {
    const Step& step = reader.step();
    const std::span<const SizedMessage> messages = reader.messages();
    keep = keep && source.memory.take_parts(step.transfers.size() + messages.size());
    if (keep) {
      kept.add(step, reader.reader(), messages);
      kept.read_to(row + reader.rows(), false);
    }
    if (!timer.step(step, messages)) return timer.abandon();
  }
  if (keep) kept.read_to(row + reader.rows(), true);
  return timer.finish();
}

}  // namespace schedcc
