#include "format/goal/run.hpp"

#include <algorithm>
#include <numeric>

namespace schedcc {

GoalDependents::GoalDependents(const GoalProgram& program, bool on_start) {
  const auto& all = program.dependencies;
  const auto wanted = [&](const auto& d) { return d.on_start == on_start; };
  const auto number = static_cast<std::size_t>(std::ranges::count_if(all, wanted));
  if (number == 0) return;
  // Counted two places on, so that filling leaves each first one where it belongs.
  first_.assign(program.operations.size() + 2, 0);
  for (const auto& d : all) first_[std::size_t{d.before} + 2] += wanted(d) ? 1 : 0;
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  after_.resize(number);
  for (const auto& d : all) {
    if (wanted(d)) after_[first_[std::size_t{d.before} + 1]++] = d.after;
  }
}

GoalRun::GoalRun(const GoalProgram& program, std::span<const std::uint32_t> partners)
    : program_(program), partners_(partners), at_start_(program, true), at_end_(program, false) {
  for (const auto& o : program.operations) max_bytes_ = std::max(max_bytes_, o.bytes);
}

void GoalRun::reset() {
  states_.assign(program_.operations.size(), {});
  for (const auto* dependents : {&at_start_, &at_end_}) {
    for (const std::uint32_t after : dependents->all()) ++states_[after].waits;
  }
  next_send_.assign(program_.ranks, 0);
  next_receive_.assign(program_.ranks, 0);
  queue_.clear();
  queue_.reserve(states_.size());
}

/// Operations follow one another from rank to rank, so that each is far from the last in memory;
/// those soon to start are fetched ahead.
void GoalRun::prefetch(std::size_t place) const {
  constexpr std::size_t near = 6, far = 12;
  if (place + far >= queue_.size()) return;
  const std::uint32_t later = queue_[place + far], soon = queue_[place + near];
  __builtin_prefetch(&program_.operations[later]);
  __builtin_prefetch(&partners_[later]);
  __builtin_prefetch(&states_[later]);
  __builtin_prefetch(&states_[partners_[soon]]);
  at_end_.prefetch(later);
}

std::optional<GoalRun::BlockedOperation> GoalRun::run(std::uint64_t eager) {
  reset();
  for (std::uint32_t i = 0; i < states_.size(); ++i) {
    if (states_[i].waits == 0) queue_.push_back(i);
  }
  for (std::size_t next = 0; next < queue_.size(); ++next) {
    prefetch(next);
    start(queue_[next], eager);
  }
  if (queue_.size() == states_.size()) return std::nullopt;
  return first_blocked();
}

std::vector<std::uint32_t> GoalRun::steps() const {
  std::vector<std::uint32_t> result;
  result.reserve(states_.size());
  for (const State& state : states_) result.push_back(state.step);
  return result;
}

std::optional<GoalRun::BlockedOperation> GoalRun::first_blocked() const {
  std::optional<BlockedOperation> first;
  for (const auto& d : program_.dependencies) {
    const State &after = states_[d.after], &before = states_[d.before];
    const bool under_way = !after.started && before.started && !before.ended;
    if (under_way && !d.on_start && (!first || d.after < first->operation))
      first = {d.after, d.before};
  }
  const auto waiting = std::ranges::find(states_, false, &State::started);
  const auto itself = static_cast<std::uint32_t>(waiting - states_.begin());
  return first.value_or(BlockedOperation{itself, itself});
}

void GoalRun::start(std::uint32_t i, std::uint64_t eager) {
  const GoalProgram::Operation& o = program_.operations[i];
  State& state = states_[i];
  state.started = true;
  release(at_start_.of(i), state.ready);
  if (o.kind == Kind::calculate) return end(i, state.ready);
  const std::uint32_t partner = partners_[i];
  const bool sends = o.kind == Kind::send;
  const std::uint32_t takes = o.peer == o.rank ? 0 : 1;
  if (sends) {
    state.step = state.ready;
    if (takes != 0) {
      state.step = std::max({state.ready, next_send_[o.rank], next_receive_[o.peer]});
      next_send_[o.rank] = next_receive_[o.peer] = state.step + 1;
    }
  }
  const std::uint32_t send = sends ? i : partner, receive = sends ? partner : i;
  const bool buffered =
      max_bytes_ <= eager || (o.bytes <= eager && program_.operations[partner].bytes <= eager);
  if (sends && buffered) end(send, states_[send].step + takes);
  if (!states_[partner].started) return;
  const std::uint32_t time = std::max(states_[receive].ready, states_[send].step + takes);
  if (!buffered) end(send, time);
  end(receive, time);
}

void GoalRun::end(std::uint32_t i, std::uint32_t time) {
  states_[i].ended = true;
  release(at_end_.of(i), time);
}

void GoalRun::release(std::span<const std::uint32_t> operations, std::uint32_t time) {
  for (const std::uint32_t i : operations) {
    State& state = states_[i];
    state.ready = std::max(state.ready, time);
    if (--state.waits == 0) queue_.push_back(i);
  }
}

}  // namespace schedcc
