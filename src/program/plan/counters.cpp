// Which signals (releases) must have been counted when a wait (an acquire) returns.
//
// In an invocation the n-th wait returns when n signals have arrived. Signal s is among them in
// every run if fewer than n could have arrived without it: all but s and those that are known to be
// sent after it, as by the same threadblock. (Earlier invocations leave none over, and later ones
// of the signalling GPU begin after all of this one.) If several threadblocks wait, a wait is only
// known to be the n-th or a later one. A semaphore's first value counts as that many releases.

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "core/counted.hpp"
#include "program/plan/trace.hpp"

namespace schedcc::program {

namespace {

using Use = PlanCounter::Use;

std::string describe(const PlanTrace& trace, const PlanCounter& counter) {
  const PlanGpu& gpu = trace.plan().gpus[counter.gpu];
  switch (counter.kind) {
    case PlanCounter::Kind::memory:
      return fmt::format("memory channel {} of GPU {} (from GPU {})", counter.number, counter.gpu,
                         gpu.memory[counter.number]);
    case PlanCounter::Kind::port:
      return fmt::format("port channel {} of GPU {} (from GPU {})", counter.number, counter.gpu,
                         gpu.port[counter.number]);
    case PlanCounter::Kind::semaphore:
      break;
  }
  return fmt::format("semaphore {} of GPU {}", counter.number, counter.gpu);
}

/// Is there an order of all of them?
bool all_ordered(const std::vector<Use>& uses, const PlanTrace::Ordered& ordered) {
  for (std::size_t i = 0; i < uses.size(); ++i) {
    for (std::size_t j = i + 1; j < uses.size(); ++j) {
      if (!ordered(uses[i].place, uses[j].place) && !ordered(uses[j].place, uses[i].place))
        return false;
    }
  }
  return true;
}

}  // namespace

/// The numbers of posts and waits of an invocation must be the same.
void PlanTrace::check_balance() {
  const std::size_t of_first_invocation = counters_.size() / std::max(1U, invocations_);
  for (std::size_t i = 0; i < of_first_invocation; ++i) {
    const PlanCounter& counter = counters_[i];
    const std::size_t posts = counter.posts.size(), waits = counter.waits.size();
    if (posts == waits) continue;
    const bool semaphore = counter.kind == PlanCounter::Kind::semaphore;
    const Use& at = posts > waits ? counter.posts.back() : counter.waits.back();
    const PlanAction& place = actions_[at.place];
    add_finding(
        "matching", place.owner, place.step,
        fmt::format("is the last of {} and {} in an invocation on {}: {}",
                    counted(posts, semaphore ? "release" : "signal"),
                    counted(waits, semaphore ? "acquire" : "wait"),
                    program::describe(*this, counter),
                    posts > waits ? "the excess is matched in the next invocation"
                                  : "there are not enough for the invocations that follow"));
  }
}

bool PlanTrace::match_counters(const Ordered& ordered) {
  const std::size_t before = edges_.size();
  shared_ = {};
  for (const PlanCounter& counter : counters_) {
    const auto& posts = counter.posts;
    const auto& waits = counter.waits;
    shared_.posts |= !all_ordered(posts, ordered);
    shared_.waits |= !all_ordered(waits, ordered);
    // How many posts follow each one, itself included.
    std::vector<std::size_t> after(posts.size(), 1);
    for (std::size_t i = 0; i < posts.size(); ++i) {
      for (std::size_t j = 0; j < posts.size(); ++j) {
        after[i] += i != j && ordered(posts[i].place, posts[j].place);
      }
    }
    for (std::size_t n = 0; n < waits.size(); ++n) {
      std::size_t rank = 1;
      for (std::size_t m = 0; m < waits.size(); ++m) {
        rank += n != m && ordered(waits[m].place, waits[n].place);
      }
      if (rank <= counter.start) continue;
      const std::size_t needed = rank - counter.start;
      const std::uint32_t slice = actions_[waits[n].place].slice;
      for (std::size_t i = 0; i < posts.size(); ++i) {
        if (posts.size() - after[i] >= needed) continue;
        edges_.push_back({posts[i].action, waits[n].action, PlanEdge::Kind::order});
        later_slice_ |= actions_[posts[i].place].slice > slice;
      }
    }
  }
  const std::size_t known = std::exchange(matches_, edges_.size() - before);
  if (matches_ > known) return true;
  edges_.resize(before);
  return false;
}

}  // namespace schedcc::program
