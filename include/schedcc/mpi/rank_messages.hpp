#pragma once

// A rank's operations prepared for execution: messages with their places in memory, and their
// dependencies.
//
// Sends start in the order of the table, and so do receives; but the two only wait for each other
// if they touch the same chunks. The dependencies of an operation are two counts: the numbers of
// sends and of receives, starting with the first, that must be done.
//
// - A send waits for the receives before it that bring one of its chunks.
// - A copy is received in place, if no earlier send still needs that place. If such a send
//   starts no earlier than the message received, the waits could form a cycle: then it is received
//   in a separate buffer, and so are reductions. It is put in place when the earlier sends are
//   done.
//
// Errors of a table that a single rank can detect are refused here, before any message is sent:
// descending steps, a receive before a send of its step, a peer or a chunk that does not exist, a
// duplicate chunk in a message, a copy that arrives in the same step as another transfer of its
// chunk. For any operations, memory is accessed only within the rank's buffer.
//
// A table does not deadlock if every rank's operations pass, and every message sent in a step is
// received in that step (on LogP: o + L cycles later), with as many elements. Proof: order all
// events by the step of their message's send, and, within a step, starts of sends and receives
// before their ends, and these before messages are put in place. Each event waits only for earlier
// ones: for sends and receives of previous steps, or, if it is a message's end, for its start at
// the other end; and the ports are at least as many as the messages of a step. (On LogP, a message
// sent at t is put in place at t + o + L, and waits only for sends before that cycle.) The first
// condition is examined here; of the second, the Executor compares sums, and a time limit must find
// the rest.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "schedcc/mpi/layout.hpp"

namespace schedcc::mpi {

/// When a rank continues: as soon as the data allow it, or when all messages of the previous step
/// are done (the asynchronous clock of `schedcc cost`). LogP tables support only the first.
enum class StepOrder : std::uint8_t { free, step };

/// The options of an execution.
struct ExecutionMode {
  StepOrder pace = StepOrder::free;
  /// A send is under way until its receive has begun, even if MPI would buffer it and complete the
  /// send. Then a rank never has more messages in the network than its ports allow, as cost models
  /// assume; small messages are slower.
  bool synchronous = false;
};

/// A run of chunks within a message.
struct Piece {
  Run chunks;
  std::uint64_t place, elements;
  bool combined;  ///< combined with the chunk there (receives only)
};

/// All transfers from one rank to another in a step.
struct Message {
  std::uint64_t step;
  std::uint32_t peer;
  int tag;
  std::uint64_t order;  ///< among all messages of the rank
  std::vector<Piece> pieces;
  std::uint64_t elements = 0;
  bool buffered = false;  ///< a receive that arrives in a separate buffer
  std::uint64_t sends_before = 0, receives_before = 0;  ///< done before it starts
  std::uint64_t sends_before_end = 0;                   ///< done before the message is put in place

  /// "step 3, a message to rank 5: "
  std::string place(const char* direction) const {
    return "step " + std::to_string(step) + ", a message " + direction + " rank " +
           std::to_string(peer) + ": ";
  }
};

/// A rank's operations, ready to be started.
struct RankMessages {
  Ports ports{};
  std::vector<Message> sends, receives;

  /// Must any received chunk be combined?
  bool combines() const {
    return std::any_of(receives.begin(), receives.end(), [](const Message& m) {
      return std::any_of(m.pieces.begin(), m.pieces.end(),
                         [](const Piece& piece) { return piece.combined; });
    });
  }
};

/// Makes the messages of a rank, without MPI. Throws Error, with the step, if the program is wrong.
class MessageBuilder {
 public:
  MessageBuilder(const Table& table, const RankContext& context, const Layout& layout,
                 const std::vector<Operation>& program, StepOrder pace)
      : context_(context),
        layout_(layout),
        held_(layout.kept()),
        copied_(layout.kept()),
        last_send_(layout.kept()),
        last_receive_(layout.kept()) {
    const Problem& problem = table.problem;
    if (problem.collective == "custom" && problem.pre.empty() && !program.empty()) {
      throw Error("missing table.problem.pre: what the ranks start with");
    }
    messages_.ports = ports_of(table.machine, busiest(program));
    for (const Run& run : starts(table.problem, context.rank)) {
      each(run, [&](auto i) { held_[i] = true; });
    }
    for (std::size_t i = 0; i < program.size();) {
      const std::size_t end = end_of_message(program, i);
      add(program.data() + i, program.data() + end, end);
      i = end;
    }
    if (pace == StepOrder::step && messages_.ports.delay == 0) wait_for_steps();
  }

  RankMessages take() { return std::move(messages_); }

 private:
  static std::size_t end_of_message(const std::vector<Operation>& program, std::size_t i) {
    const Operation& o = program[i];
    while (i < program.size() && program[i].step == o.step && program[i].kind == o.kind &&
           program[i].peer == o.peer) {
      ++i;
    }
    return i;
  }

  /// The most messages that are sent, received, or both, in one step.
  static Ports busiest(const std::vector<Operation>& program) {
    Ports most{0, 0, 0, 0}, now{0, 0, 0, 0};
    for (std::size_t i = 0; i < program.size(); i = end_of_message(program, i)) {
      if (i == 0 || program[i].step != program[i - 1].step) now = {0, 0, 0, 0};
      ++(program[i].kind == send ? now.send : now.receive);
      ++now.both;
      most = {std::max(most.send, now.send), std::max(most.receive, now.receive),
              std::max(most.both, now.both), 0};
    }
    return most;
  }

  /// Calls `visit` with the index of every chunk of a run.
  template <typename Visit>
  void each(const Run& run, Visit visit) const {
    if (run.count == 0) return;
    const std::uint64_t first = layout_.index(run.first);
    for (std::uint64_t i = first; i < first + run.count; ++i) visit(i);
  }

  void add(const Operation* begin, const Operation* end, std::uint64_t order) {
    const Operation& o = *begin;
    expect_order(o);
    if (o.peer >= context_.size || o.peer == context_.rank) {
      refuse(o.step, rank(o.peer) + " cannot be its peer");
    }
    const std::uint64_t delay = o.kind == receive ? std::min(messages_.ports.delay, o.step) : 0;
    Message m{o.step, o.peer, context_.tag(o.step - delay), order, {}, 0, false, 0, 0, 0};
    std::uint64_t receives = 0;  // up to the last one before it that brings one of its chunks
    for (; begin != end; ++begin) {
      const Run run{begin->first, begin->count};
      if (run.count == 0) refuse(o.step, "an operation has no chunks");
      m.elements += layout_.size(run);
      o.kind == send ? add_sent(run, m) : add_received(run, begin->mode, m, receives);
    }
    o.kind == send ? messages_.sends.push_back(std::move(m)) : add_receive(std::move(m), receives);
  }

  /// Steps ascend, and in each the sends come first; on LogP, where the two have different steps,
  /// a send may need what arrives in the cycle in which it starts.
  void expect_order(const Operation& o) {
    const bool late = o.step == last_step_ && messages_.ports.delay == 0 && o.kind == send &&
                      !messages_.receives.empty() && messages_.receives.back().step == o.step;
    if (o.step < last_step_ || late) {
      refuse(o.step, "an operation is too late in the table");
    }
    last_step_ = o.step;
  }

  [[noreturn]] static void refuse(std::uint64_t step, const std::string& what) {
    throw Error("step " + std::to_string(step) + ": " + what);
  }
  static std::string rank(std::uint32_t number) { return "rank " + std::to_string(number); }
  /// The i-th chunk of those that `run` begins with.
  std::string chunk(const Run& run, std::uint64_t i) const {
    return "chunk " + std::to_string(run.first + (i - layout_.index(run.first)));
  }

  /// A chunk that is combined with nothing is copied: a run is split into parts that are held, or
  /// not.
  void split(const Run& run, bool combined, std::vector<Piece>& pieces) {
    std::uint64_t begin = run.first;
    while (begin < run.end()) {
      const std::uint64_t index = layout_.index(static_cast<std::uint32_t>(begin));
      const bool held = combined && held_[index];
      std::uint64_t count = 1;
      while (begin + count < run.end() && (combined && held_[index + count]) == held) ++count;
      const Run part{static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(count)};
      pieces.push_back({part, layout_.place(part.first), layout_.size(part), held});
      begin += count;
    }
    each(run, [&](auto i) { held_[i] = true; });
  }

  /// Adds a run to `m`, the next send.
  void add_sent(const Run& run, Message& m) {
    const std::uint64_t number = messages_.sends.size() + 1;
    each(run, [&](auto i) {
      if (last_send_[i] == number) {
        refuse(m.step, chunk(run, i) + " is twice in the message to " + rank(m.peer));
      }
      m.receives_before = std::max(m.receives_before, last_receive_[i]);
      last_send_[i] = number;
    });
    m.pieces.push_back({run, layout_.place(run.first), layout_.size(run), false});
  }

  /// Adds a run to `m`, the next receive. `receives`: the last one before it that brings one of its
  /// chunks.
  void add_received(const Run& run, Mode mode, Message& m, std::uint64_t& receives) {
    const std::uint64_t number = messages_.receives.size() + 1;
    each(run, [&](auto i) {
      const std::uint64_t last = last_receive_[i];
      if (last == number) {
        refuse(m.step, chunk(run, i) + " is twice in the message from " + rank(m.peer));
      }
      if (last != 0 && messages_.receives[last - 1].step == m.step &&
          (mode == copy || copied_[i])) {
        refuse(m.step, chunk(run, i) + " comes from " + rank(messages_.receives[last - 1].peer) +
                           " and from " + rank(m.peer) + ", and not both are combined");
      }
      m.sends_before_end = std::max(m.sends_before_end, last_send_[i]);
      receives = std::max(receives, last);
      last_receive_[i] = number;
      copied_[i] = mode == copy;
    });
    split(run, mode == reduce, m.pieces);
  }

  void add_receive(Message m, std::uint64_t receives) {
    m.buffered = std::any_of(m.pieces.begin(), m.pieces.end(),
                             [](const Piece& piece) { return piece.combined; });
    // The message may wait only for sends and receives of previous steps.
    const auto earlier = [&](const std::vector<Message>& messages, std::uint64_t count) {
      return count == 0 || (messages_.ports.delay == 0 && messages[count - 1].step < m.step);
    };
    m.buffered = m.buffered || !earlier(messages_.sends, m.sends_before_end) ||
                 !earlier(messages_.receives, receives);
    if (!m.buffered) {
      m.sends_before = m.sends_before_end;
      m.receives_before = receives;
    }
    messages_.receives.push_back(std::move(m));
  }

  void wait_for_steps() {
    const auto before = [](const std::vector<Message>& messages, std::uint64_t step) {
      return static_cast<std::uint64_t>(
          std::lower_bound(messages.begin(), messages.end(), step,
                           [](const Message& m, std::uint64_t s) { return m.step < s; }) -
          messages.begin());
    };
    for (std::vector<Message>* messages : {&messages_.sends, &messages_.receives}) {
      for (Message& m : *messages) {
        m.sends_before = before(messages_.sends, m.step);
        m.receives_before = before(messages_.receives, m.step);
      }
    }
  }

  RankContext context_;
  const Layout& layout_;
  RankMessages messages_;
  std::vector<bool> held_;
  std::vector<bool> copied_;  ///< by chunk: did the last receive of it copy?
  /// By chunk: the number of sends, or receives, up to the last one that touches it.
  std::vector<std::uint64_t> last_send_, last_receive_;
  std::uint64_t last_step_ = 0;
};

}  // namespace schedcc::mpi
