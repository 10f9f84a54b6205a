#include "cost/timing.hpp"

#include <algorithm>
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

/// Times permutations; true if all of them end soon enough, none if the clock needs messages.
std::optional<bool> time_again(StepTimer& timer, const KeptPermutations& kept,
                               const ChunkBytes& sizes) {
  for (const KeptPermutations::Kept& step : kept.steps) {
    const auto soon = timer.permutation(step.number, {step.chunks, sizes.bytes(0, step.chunks)});
    if (!soon || !*soon) return soon;
  }
  return true;
}

/// Times kept messages from a step on. Do all end soon enough?
bool time_again(StepTimer& timer, KeptMessages& kept, std::size_t first, const ChunkBytes& sizes) {
  for (std::size_t i = first; i < kept.steps().size(); ++i) {
    Step step;
    step.number = kept.steps()[i].number;
    step.rounds = kept.steps()[i].rounds;
    if (!timer.step(step, kept.read(i, sizes))) return false;
  }
  return true;
}

/// Times the rest of a schedule that is timed for several sizes, of which it keeps more.
class RestTimer {
 public:
  RestTimer(const RepeatedSource& source, std::uint64_t row)
      : source_(source),
        row_(row),
        keeps_messages_(source.keeps_messages && source.kept.messages.row() == row),
        keeps_permutations_(source.kept.permutations.row == row) {}

  Timed time(StepTimer& timer, StepReader& reader) {
    while (reader.next()) {
      const std::span<const SizedMessage> messages = reader.messages();
      const bool soon = timer.step(reader.step(), messages);
      keep_permutation(timer, reader);
      keep_messages(reader, messages);
      if (!soon) return timer.abandon();
    }
    const std::uint64_t end = row_ + reader.rows();
    if (keeps_messages_) source_.kept.messages.read_to(end, true);
    if (keeps_permutations_) source_.kept.permutations.row = end;
    source_.kept.permutations.ended |= keeps_permutations_;
    return timer.finish();
  }

 private:
  void keep_permutation(const StepTimer& timer, const StepReader& reader) {
    keeps_permutations_ = keeps_permutations_ && timer.alike() && source_.memory.take_permutation();
    if (!keeps_permutations_) return;
    source_.kept.permutations.steps.push_back({reader.step().number, timer.permuted()});
    source_.kept.permutations.row = row_ + reader.rows();
  }
  /// Single chunks have one size, so that their permutations suffice.
  void keep_messages(StepReader& reader, std::span<const SizedMessage> messages) {
    const bool suffices = source_.problem.chunks == 1 && !source_.kept.permutations.steps.empty();
    keeps_messages_ = keeps_messages_ && !suffices &&
                      source_.memory.take_parts(reader.step().transfers.size() + messages.size());
    if (!keeps_messages_) return;
    source_.kept.messages.add(reader.step(), reader.reader(), messages);
    source_.kept.messages.read_to(row_ + reader.rows(), false);
  }

  const RepeatedSource& source_;
  std::uint64_t row_;
  bool keeps_messages_, keeps_permutations_;  ///< each step up to here
};

}  // namespace

Timed time_below(double limit, const Source& source, const Machine& machine, const CostModel& model,
                 std::uint64_t bytes, const std::function<void(std::uint64_t)>& progress,
                 Outlook* outlook) {
  const Problem& problem = source.problem;
  check_size(problem, bytes);
  const auto fresh = [&] { return StepTimer(limit, problem, machine, model, bytes, outlook); };
  const bool may_be_alike = outlook != nullptr && !machine.routed();  // else it is not opened twice
  const auto rows = may_be_alike ? source.open()->rows() : std::nullopt;
  if (rows && rows->rotated() != nullptr) {
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
  auto& [messages, permutations] = source.kept;
  check_size(problem, bytes);
  const auto fresh = [&](std::uint64_t size) {
    return StepTimer(limit, problem, machine, model, size, outlook);
  };
  const ChunkBytes sizes = chunk_sizes(problem, bytes);
  if (outlook != nullptr && !sizes.equal()) {
    // Every time is made of sums and maxima, and so are its rounding errors: it does not become
    // shorter with longer messages.
    const std::uint64_t smaller = bytes / problem.chunks * problem.chunks;
    StepTimer least = fresh(smaller);
    if (time_again(least, permutations, chunk_sizes(problem, smaller)) == false)
      return least.abandon();
    if (permutations.ended && !least.finish()) return std::nullopt;
  }
  StepTimer timer = fresh(bytes);
  const std::optional<bool> soon =
      sizes.equal() ? time_again(timer, permutations, sizes) : std::nullopt;
  if (soon == false) return timer.abandon();
  if (soon && permutations.ended) return timer.finish();
  const std::size_t timed = soon ? permutations.steps.size() : 0;
  if (!time_again(timer, messages, timed, sizes)) return timer.abandon();
  if (messages.ended()) return timer.finish();
  const std::uint64_t row = std::max(soon ? permutations.row : 0, messages.row());
  StepReader reader(source.rest(row), machine, model, bytes, progress);
  return RestTimer(source, row).time(timer, reader);
}

}  // namespace schedcc
