#pragma once

// The canonical form of a step: a line for each message and mode, runs merged and ascending, in the
// order in which the messages begin. Every writer of schedules uses it. Steps without transfers are
// left out, but for those of several rounds: what is under way in them has need of those.

#include <span>
#include <vector>

#include "schedcc/problem.hpp"
#include "schedcc/schedule.hpp"

namespace schedcc {

/// The transfers of one (src, dst, copy | reduce) in a step.
struct WrittenMessage {
  Rank src, dst;
  bool reduce;
  std::vector<Run>
      runs;  ///< ascending; adjacent runs are joined, overlapping ones kept as they are
};

/// Does the canonical form have the step? Throws InputError for a number that no reader takes.
bool is_written(const Step& step);

/// The step's messages. Each transfer's chunks appear in exactly one of them. Throws InputError for
/// a transfer of no chunks, which no format has words for.
std::vector<WrittenMessage> canonical(const Step& step);

/// Is every transfer of the step a message of its own, with chunks, so that it can be written as it
/// stands? A cheap look that may answer no too often: it asks whether any two senders share a place
/// in a small table.
class SingleTransfers {
 public:
  bool operator()(const Step& step);

 private:
  std::vector<std::uint64_t> seen_;  ///< by rank modulo a power of two: the step that last used it
  std::uint64_t stamp_ = 0;
};

}  // namespace schedcc
