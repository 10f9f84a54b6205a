#pragma once

// The processors of a LogP or LogGP machine: when each is free, may send and may receive, and the
// messages that determine these times.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/block_table.hpp"
#include "cost/clock.hpp"
#include "cost/logp_clock.hpp"
#include "cost/path_log.hpp"
#include "schedcc/problem.hpp"

namespace schedcc {

class LogpProcessors {
 public:
  /// What the messages contain whose bytes are part of a time. Messages without bytes take no time
  /// for them, and are not counted.
  struct Contents {
    double chunks = 0, bytes = 0;

    Contents with(std::uint64_t more_chunks, std::uint64_t more_bytes) const {
      if (more_bytes == 0) return *this;
      return {chunks + static_cast<double>(more_chunks), bytes + static_cast<double>(more_bytes)};
    }
  };
  /// A message between its send and its receive.
  struct Flight {
    TimedMessage message;
    double first, last;  ///< when its first and its last part reach the receiver
    std::uint32_t path;  ///< the path that its send waited for
    std::uint64_t chunks;
    Contents contents;  ///< of what determines `last`
  };

  /// `model` must outlive this. `record`: keep the critical path.
  LogpProcessors(const CostModel& model, ExtraOf extra, bool record)
      : model_(model), extra_(extra), log_(record) {}

  /// When the rank's processor is free, when it can begin to send, and to receive the first part of
  /// a message.
  double free_from(Rank rank) { return ranks_[rank].free.time; }
  double sends_from(Rank rank);
  double receives_from(Rank rank);

  /// Sends as soon as the sender can.
  Flight send(std::uint64_t step, const SizedMessage& message);
  /// Does the first part of a message wait for the last, or occupy the receiver's processor as soon
  /// as it comes?
  enum class FirstPart : std::uint8_t { waits, occupies };

  /// Receives as soon as the receiver can.
  void receive(const Flight& flight, FirstPart first = FirstPart::waits);

  /// Ranks 1..ranks-1 get the state of rank 0.
  void copy_first_to(Rank ranks);

  /// Lower bounds count what ranks still have to send and to receive. Before the first message.
  void expect(const Prospect& prospect);

  /// When the last message so far is held.
  double end() const { return last_.time; }
  /// A lower bound on the end, for any further messages.
  double end_at_least() const { return std::max(last_.time, later_.time); }
  /// The same for other sizes, as Clock::least_so_far(); only of LogGP.
  LinkTime least_end() const;
  std::vector<TimedMessage> critical_path() const { return log_.messages(last_.path); }

 private:
  struct State {
    ReadyTime free;  ///< when the processor is free
    double next_send = 0;
    double last_receive = -1e300;  ///< when the last part of the previous message was received
    std::uint32_t send_path = PathLog::none, receive_path = PathLog::none;
    Contents free_contents, send_contents, receive_contents;  ///< of what determines these times
    std::uint64_t sent = 0, received = 0;                     ///< chunks
  };
  /// What is to come, and the least gaps between its calls for each of its chunks: `line` with
  /// chunks of any size, and `of_chunk` with those of this one.
  struct Expected {
    Problem problem;
    LinkTime line;
    double of_chunk;
  };
  /// A time and its line for other sizes, rounded down.
  struct Later {
    double time = 0;
    LinkTime line = {};
  };

  void still_to_come(double start, const Contents& contents, std::uint64_t needed,
                     std::uint64_t done, double last);

  const CostModel& model_;
  ExtraOf extra_;
  PathLog log_;
  NodeArray<State> ranks_;
  ReadyTime last_;
  Contents last_contents_;
  std::optional<Expected> expected_ = {};
  Later later_;  ///< the latest end that the calls to come of some rank make necessary
};

}  // namespace schedcc
