#include "format/goal/run.hpp"

#include <algorithm>
#include <numeric>

namespace schedcc {

GoalRun::GoalRun(const GoalProgram& program, std::span<const std::uint64_t> partners)
    : program_(program), partners_(partners), order_(program.dependencies.size()) {
  const auto before = [&](std::uint64_t d) { return program_.dependencies[d].before; };
  std::iota(order_.begin(), order_.end(), std::uint64_t{0});
  std::ranges::stable_sort(order_, {}, before);
  first_.assign(program_.operations.size() + 1, 0);
  for (const auto& d : program_.dependencies) ++first_[d.before + 1];
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
}

void GoalRun::reset() {
  const std::size_t size = program_.operations.size();
  waits_.assign(size, 0);
  for (const auto& d : program_.dependencies) ++waits_[d.after];
  ready_.assign(size, 0);
  step_.assign(size, 0);
  started_.assign(size, false);
  ended_.assign(size, false);
  next_send_.assign(program_.ranks, 0);
  next_receive_.assign(program_.ranks, 0);
  queue_.clear();
}

std::optional<GoalRun::Stuck> GoalRun::run(std::uint64_t eager) {
  reset();
  for (std::uint64_t i = 0; i < waits_.size(); ++i) {
    if (waits_[i] == 0) queue_.push_back(i);
  }
  for (std::size_t next = 0; next < queue_.size();) start(queue_[next++], eager);
  const auto waiting = std::ranges::find(started_, false);
  if (waiting == started_.end()) return std::nullopt;
  std::optional<Stuck> first;
  for (const auto& d : program_.dependencies) {
    const bool under_way = !started_[d.after] && started_[d.before] && !ended_[d.before];
    if (under_way && !d.on_start && (!first || d.after < first->operation))
      first = {d.after, d.before};
  }
  const auto itself = static_cast<std::uint64_t>(waiting - started_.begin());
  return first.value_or(Stuck{itself, itself});
}

void GoalRun::start(std::uint64_t i, std::uint64_t eager) {
  const GoalProgram::Operation& o = program_.operations[i];
  started_[i] = true;
  release(i, true, ready_[i]);
  if (o.kind == Kind::calculate) return end(i, ready_[i]);
  const std::uint64_t partner = partners_[i];
  const std::uint64_t send = o.kind == Kind::send ? i : partner, receive = partners_[send];
  if (i == send) {
    const std::uint64_t step = std::max({ready_[i], next_send_[o.rank], next_receive_[o.peer]});
    next_send_[o.rank] = next_receive_[o.peer] = step + 1;
    step_[i] = step;
  }
  const bool buffered = std::max(o.bytes, program_.operations[partner].bytes) <= eager;
  if (i == send && buffered) end(send, step_[send] + 1);
  if (!started_[send] || !started_[receive]) return;
  const std::uint64_t time = std::max(ready_[receive], step_[send] + 1);
  if (!buffered) end(send, time);
  end(receive, time);
}

void GoalRun::end(std::uint64_t i, std::uint64_t time) {
  ended_[i] = true;
  release(i, false, time);
}

/// Releases the operations that wait for the start (`on_start`) or the end of operation i.
void GoalRun::release(std::uint64_t i, bool on_start, std::uint64_t time) {
  for (std::uint64_t n = first_[i]; n < first_[i + 1]; ++n) {
    const auto& dependency = program_.dependencies[order_[n]];
    if (dependency.on_start != on_start) continue;
    ready_[dependency.after] = std::max(ready_[dependency.after], time);
    if (--waits_[dependency.after] == 0) queue_.push_back(dependency.after);
  }
}

}  // namespace schedcc
