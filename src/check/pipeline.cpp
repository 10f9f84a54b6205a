#include "check/pipeline.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include "core/start_threads.hpp"

namespace schedcc {

Pipeline::Pipeline(Fill fill, std::size_t slots, std::uint64_t most)
    : fill_(std::move(fill)), most_(most), stages_(1) {
  blocks_.reserve(slots);  // threads do not allocate
  for (Slot slot = slots; slot-- > 0;) free_.push_back(slot);
}

std::size_t Pipeline::add(Visit visit, std::vector<std::size_t> after) {
  after.push_back(0);
  stages_.push_back({std::move(visit), std::move(after)});
  return stages_.size() - 1;
}

void Pipeline::run(std::size_t threads, const std::function<void()>& between) {
  ahead_ = threads + 2;
  auto others = start_threads(std::min(threads, stages_.size()) - 1, [this] { work([] {}); });
  work(between);
  for (std::thread& thread : others) thread.join();
  if (error_) std::rethrow_exception(error_);
}

void Pipeline::work(const std::function<void()>& between) {
  Lock lock(mutex_);
  while (!finished()) {
    if (const auto stage = ready()) {
      visit(*stage, lock);
    } else {
      changed_.wait(lock);
    }
    unlocked(lock, between);
  }
}

void Pipeline::visit(std::size_t stage, Lock& lock) {
  Stage& it = stages_[stage];
  it.busy = true;
  if (stage == 0) {
    fill(lock);
  } else {
    const Slot slot = blocks_[it.visited - retired_].slot;
    unlocked(lock, [&] { it.visit(slot); });
    ++it.visited;
  }
  it.busy = false;
  retire();
  changed_.notify_all();
}

void Pipeline::fill(Lock& lock) {
  const Slot slot = free_.back();
  free_.pop_back();
  std::uint64_t weight = 0;
  unlocked(lock, [&] { weight = fill_(slot); });
  if (weight == 0) {
    ended_ = true;
    return;
  }
  blocks_.push_back({slot, weight});
  weight_ += weight;
  ++stages_[0].visited;
}

template <typename F>
void Pipeline::unlocked(Lock& lock, F f) {
  lock.unlock();
  std::exception_ptr error;
  try {
    f();
  } catch (...) {
    error = std::current_exception();
  }
  lock.lock();
  if (!error || error_) return;
  error_ = error;
  changed_.notify_all();
}

std::optional<std::size_t> Pipeline::ready() const {
  if (blocks_.size() < ahead_ && is_ready(0)) return 0;
  std::optional<std::size_t> furthest;
  for (std::size_t s = 0; s < stages_.size(); ++s) {
    const bool behind = !furthest || stages_[s].visited < stages_[*furthest].visited;
    if (behind && is_ready(s)) furthest = s;
  }
  return furthest;
}

bool Pipeline::is_ready(std::size_t stage) const {
  const Stage& it = stages_[stage];
  if (it.busy) return false;
  if (stage == 0) return may_fill();
  return std::ranges::all_of(
      it.after, [&](std::size_t other) { return it.visited < stages_[other].visited; });
}

bool Pipeline::may_fill() const {
  return !ended_ && !free_.empty() && (blocks_.size() < 2 || weight_ < most_);
}

void Pipeline::retire() {
  std::uint64_t least = stages_[0].visited;
  for (const Stage& stage : stages_) least = std::min(least, stage.visited);
  const auto visited = blocks_.begin() + static_cast<std::ptrdiff_t>(least - retired_);
  for (auto block = blocks_.begin(); block != visited; ++block) {
    free_.push_back(block->slot);
    weight_ -= block->weight;
  }
  blocks_.erase(blocks_.begin(), visited);
  retired_ = least;
}

}  // namespace schedcc
