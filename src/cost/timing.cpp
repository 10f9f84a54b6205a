#include "cost/timing.hpp"

#include <memory>
#include <span>

#include <fmt/core.h>

#include "cost/clock.hpp"
#include "cost/step_reader.hpp"
#include "cost/step_timer.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

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

/// Times rows that are made as rotations, by their seeds; none if the clock needs their messages.
std::optional<Timed> timed_by_seeds(StepTimer timer, const Steps::Rotations& made,
                                    const ChunkBytes& sizes,
                                    const std::function<void(std::uint64_t)>& progress) {
  const auto seeds = stream(made.seeds);
  std::uint64_t seen = 0;
  for (Step step; seeds->next(step);) {
    if (step.transfers.empty()) continue;
    if (progress) progress(seen += step.transfers.size() * made.ranks);
    const auto size = size_of_rotations(step.transfers, made.ranks, sizes);
    const auto soon = size ? timer.permutation(step.number, *size) : std::nullopt;
    if (!soon) return std::nullopt;
    if (!*soon) return timer.abandon();
  }
  return timer.finish();
}

ChunkBytes chunk_sizes(const Problem& problem, std::uint64_t bytes) {
  return ChunkBytes(problem.tokens() ? 0 : bytes, problem.chunks);
}

/// Times a step again.
bool step_again(StepTimer& timer, KeptMessages& kept, std::size_t i, const ChunkBytes& sizes) {
  const KeptMessages::Kept& known = kept.steps()[i];
  if (known.permuted != 0 && sizes.equal()) {
    const MessageSize size{known.permuted, sizes.bytes(0, known.permuted)};
    if (const auto soon = timer.permutation(known.number, size)) return *soon;
  }
  Step step;
  step.number = known.number;
  step.rounds = known.rounds;
  return timer.step(step, kept.read(i, sizes));
}

/// Keeps a step that was timed, if there is memory for it.
bool keep_step(KeptMessages& kept, SearchMemory& memory, StepReader& reader,
               std::span<const SizedMessage> messages, const StepTimer& timer, bool one_size) {
  const Step& step = reader.step();
  if (timer.alike() && one_size) {
    if (!memory.take_parts(1)) return false;
    kept.add_permutation(step, timer.permuted());
    return true;
  }
  if (!memory.take_parts(step.transfers.size() + messages.size())) return false;
  kept.add(step, reader.reader(), messages, timer.permuted());
  return true;
}

/// A lower bound on the time of the permutations that the steps begin with: all chunks have the
/// smaller size. Every time is made of sums and maxima, and so are its rounding errors: it does not
/// become shorter with longer messages.
Timed timed_if_smaller(StepTimer timer, const KeptMessages& kept, const ChunkBytes& smaller) {
  for (const KeptMessages::Kept& step : kept.steps()) {
    if (step.permuted == 0) break;
    const auto soon =
        timer.permutation(step.number, {step.permuted, smaller.bytes(0, step.permuted)});
    if (!soon) break;
    if (!*soon) return timer.abandon();
  }
  return timer.finish();
}

}  // namespace

Timed time_below(double limit, const Source& source, const Machine& machine, const CostModel& model,
                 std::uint64_t bytes, const std::function<void(std::uint64_t)>& progress,
                 Outlook* outlook) {
  const Problem& problem = source.problem;
  check_size(problem, bytes);
  const auto fresh = [&] { return StepTimer(limit, problem, machine, model, bytes, outlook); };
  const auto rows = source.open()->rows();
  if (outlook != nullptr && rows && rows->rotated() != nullptr && !machine.routed()) {
    if (const auto timed =
            timed_by_seeds(fresh(), *rows->rotated(), chunk_sizes(problem, bytes), progress))
      return *timed;
  }
  StepTimer timer = fresh();
  StepReader reader(source, machine, model, bytes, progress);
  while (reader.next()) {
    if (!timer.step(reader.step(), reader.messages())) return timer.abandon();
  }
  return timer.finish();
}

Timed time_below(double limit, const RepeatedSource& source, const Machine& machine,
                 const CostModel& model, std::uint64_t bytes,
                 const std::function<void(std::uint64_t)>& progress, Outlook* outlook) {
  const Problem& problem = source.problem;
  KeptMessages& kept = source.kept;
  check_size(problem, bytes);
  StepTimer timer(limit, problem, machine, model, bytes, outlook);
  const ChunkBytes sizes = chunk_sizes(problem, bytes);
  if (outlook != nullptr && !sizes.equal()) {
    const std::uint64_t smaller = bytes / problem.chunks * problem.chunks;
    StepTimer least(limit, problem, machine, model, smaller, outlook);
    if (!timed_if_smaller(std::move(least), kept, chunk_sizes(problem, smaller)))
      return std::nullopt;
  }
  for (std::size_t i = 0; i < kept.steps().size(); ++i) {
    if (!step_again(timer, kept, i, sizes)) return timer.abandon();
  }
  if (kept.ended()) return timer.finish();
  const std::uint64_t row = kept.row();
  StepReader reader(source.rest(row), machine, model, bytes, progress);
  bool keep = true;  // each step up to here
  while (reader.next()) {
    const std::span<const SizedMessage> messages = reader.messages();
    const bool soon = timer.step(reader.step(), messages);
    keep = keep && keep_step(kept, source.memory, reader, messages, timer, problem.chunks == 1);
    if (keep) kept.read_to(row + reader.rows(), false);
    if (!soon) return timer.abandon();
  }
  if (keep) kept.read_to(row + reader.rows(), true);
  return timer.finish();
}

}  // namespace schedcc
