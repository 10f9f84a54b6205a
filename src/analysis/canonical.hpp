#pragma once

// The canonical form of a step: a line for each message and mode, runs merged and ascending, in the
// order in which the messages begin. Every writer of schedules uses it. Steps without transfers are
// left out, except those of several rounds, whose time messages in flight need.

#include <cstdint>
#include <utility>
#include <vector>

#include "schedcc/problem.hpp"
#include "schedcc/schedule.hpp"
#include "schedcc/source.hpp"

namespace schedcc {

/// The transfers of one (src, dst, copy | reduce) in a step.
struct WrittenMessage {
  Rank src, dst;
  bool reduce;
  std::vector<Run>
      runs;  ///< ascending; adjacent runs are joined, overlapping ones kept as they are
};

/// Does the canonical form have the step? Throws InputError for a step number that no reader
/// accepts.
bool is_written(const Step& step);

/// The step's messages. Each transfer's chunks appear in exactly one of them. Throws InputError for
/// a transfer of no chunks, which no format can express.
std::vector<WrittenMessage> canonical(const Step& step);

/// The same for many steps, without a vector of messages if each transfer is a message.
class CanonicalMessages {
 public:
  /// Calls `visit` with each message of the step. Throws as canonical() does.
  template <typename Visit>
  void operator()(const Step& step, Visit visit) {
    if (!all_single(step)) {
      for (const WrittenMessage& m : canonical(step)) visit(m);
      return;
    }
    for (const Transfer& t : step.transfers) {
      single_.src = t.src;
      single_.dst = t.dst;
      single_.reduce = t.reduce != 0;
      single_.runs.front() = {t.first, t.count};
      visit(std::as_const(single_));
    }
  }

  /// Is every transfer of the step a message of its own, with chunks? A cheap test with false
  /// negatives: whether they are sorted, or any two senders share a slot in a small table.
  bool all_single(const Step& step);

 private:
  std::vector<std::uint64_t> seen_;  ///< by rank modulo a power of two: the step that last used it
  std::uint64_t stamp_ = 0;
  WrittenMessage single_{0, 0, false, {Run{}}};
};

/// Calls f(step, each_message) for the steps of the canonical form; each_message(visit) calls
/// visit(message) for each message of the step. Throws as is_written() and canonical() do.
template <typename F>
void for_each_written(const Source& source, F f) {
  CanonicalMessages messages;
  const auto stream = source.open();
  stream->read_ahead(0);
  for (Step step; stream->next(step);) {
    if (is_written(step)) f(step, [&](auto visit) { messages(step, visit); });
  }
}

}  // namespace schedcc
