#pragma once

// The canonical form of a step: a line for each message and mode, runs merged and ascending, in the
// order in which the messages begin. Every writer of schedules uses it, for the steps that are
// written (written_steps.hpp).

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "analysis/block_table.hpp"
#include "analysis/message_groups.hpp"
#include "analysis/receivers.hpp"
#include "analysis/written_steps.hpp"
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

/// The step's messages. Each transfer's chunks appear in exactly one of them. Throws InputError for
/// a transfer of no chunks, which no format can express.
std::vector<WrittenMessage> canonical(const Step& step);

/// The same for many steps, one message after the other.
class CanonicalMessages {
 public:
  /// Calls `visit` with each message of the step, which is valid until the next one. Throws as
  /// canonical() does, before the first.
  template <typename Visit>
  void operator()(const Step& step, Visit visit) {
    if (!all_single(step)) return each_grouped(step, visit);
    message_.runs.resize(1);
    for (const Transfer& t : step.transfers) {
      message_.src = t.src;
      message_.dst = t.dst;
      message_.reduce = t.reduce != 0;
      message_.runs.front() = {t.first, t.count};
      visit(std::as_const(message_));
    }
  }

  /// Is every transfer of the step a message of its own? Throws as canonical() does.
  bool all_single(const Step& step);

  /// The same as operator(), for the step of the last all_single(), which was false.
  template <typename Visit>
  void each_grouped(const Step& step, Visit visit) {
    order_by_message(step.transfers.size());
    std::size_t at = 0;
    for (const std::size_t end : ends_) {
      visit(message_of(step.transfers, std::span(order_).subspan(at, end - at)));
      at = end;
    }
  }

 private:
  using Stamps = NodeArray<std::uint64_t>;

  bool all_differ(std::span<const Transfer> transfers, Rank Transfer::*end, Stamps& seen);
  void order_by_message(std::size_t transfers);
  const WrittenMessage& message_of(std::span<const Transfer> transfers,
                                   std::span<const std::uint32_t> members);

  std::uint64_t stamp_ = 0;
  Stamps sent_, received_;  ///< the stamp of the last step in which a rank did
  Receivers receivers_;
  MessageGroups groups_;
  std::vector<std::uint32_t> order_;  ///< the transfers, by message
  std::vector<std::size_t> ends_;     ///< of the messages in it
  WrittenMessage message_{};
};

/// Calls f(step, each_message) for the steps that are written; each_message(visit) calls
/// visit(message) for each message of the step, which may have more transfers than it shows. Throws
/// as is_written() and canonical() do.
template <typename F>
void for_each_written(const Source& source, F f) {
  CanonicalMessages messages;
  WrittenSteps steps(source);
  for (Step step; steps.next(step);) {
    f(std::as_const(step),
      [&](auto visit) { steps.each_part([&](const Step& part) { messages(part, visit); }); });
  }
}

}  // namespace schedcc
