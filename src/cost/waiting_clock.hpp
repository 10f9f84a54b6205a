#pragma once

// The asynchronous clock of ranks that wait in every step: "for each step in which I take part:
// start all its sends and receives, wait until all have ended". A message starts as soon as both
// its ranks have reached its step, and occupies both until it ends: what MPI_Isend, MPI_Irecv and
// MPI_Waitall do with messages that are not buffered. A message of several chunks arrives as a
// whole.

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "analysis/block_table.hpp"
#include "cost/clock.hpp"
#include "cost/path_log.hpp"

namespace schedcc {

/// `Times` has the model's times of messages: begin(messages) is called for each step, and then
/// end(i, start), the time at which message i of the step ends.
template <typename Times>
class WaitingClock : public Clock {
 public:
  /// `record`: keep the critical path.
  WaitingClock(Times times, bool record) : times_(std::move(times)), log_(record) {}

  void step(std::uint64_t number, std::uint32_t, std::span<const SizedMessage> messages) override {
    times_.begin(messages);
    sent_.clear();
    for (std::size_t i = 0; i < messages.size(); ++i) {  // all read the state before the step
      const SizedMessage& m = messages[i];
      const ReadyTime src = ready_[m.src];
      const ReadyTime dst = ready_[m.dst];
      const ReadyTime& later = src.time >= dst.time ? src : dst;
      const double end = times_.end(i, later.time);
      sent_.push_back(
          {end, log_.add({number, m.src, m.dst, m.bytes, later.time, end}, later.path)});
    }
    for (std::size_t i = 0; i < messages.size(); ++i) {
      wait(ready_[messages[i].src], sent_[i]);
      wait(ready_[messages[i].dst], sent_[i]);
      wait(last_, sent_[i]);
      log_.drop(sent_[i].path);
    }
  }

  double so_far() const override { return last_.time; }
  double finish() override { return last_.time; }
  std::vector<TimedMessage> critical_path() const override { return log_.messages(last_.path); }

 private:
  void wait(ReadyTime& rank, const ReadyTime& message) {
    if (message.time <= rank.time) return;
    rank.time = message.time;
    log_.assign(rank.path, message.path);
  }

  Times times_;
  PathLog log_;
  NodeArray<ReadyTime> ready_;
  ReadyTime last_;
  std::vector<ReadyTime> sent_;
};

}  // namespace schedcc
