// Reads a GOAL program as a schedule.
//
// Sends and receives are matched as LogGOPSim does: those of a pair of ranks with the same tag, in
// their order, for any sizes. A message without a partner, and a cycle of waiting operations even
// if messages are buffered, are errors; a cycle that occurs only under rendezvous is reported.
//
// GOAL does not state the content of a message. If comments do, as schedcc writes them, each rank's
// operations must keep the order of their steps (order.hpp), so that the program can execute only
// that schedule. Of other programs only the messages are known: message i carries chunk i of a
// custom collective, from the rank that has it to the one that wants it, in the first step in which
// its dependencies are met and both ranks are free.

#include "format/goal/reader.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <tuple>

#include <fmt/core.h>

#include "core/counted.hpp"
#include "core/scanner.hpp"
#include "format/goal/order.hpp"
#include "format/goal/program.hpp"
#include "format/goal/run.hpp"
#include "schedcc/named_machine.hpp"

namespace schedcc {

namespace {

class GoalReader {
 public:
  GoalReader(GoalProgram program, const std::string& file)
      : program_(std::move(program)), file_(file), all_(program_.operations) {}

  Source read() {
    match();
    GoalRun run(program_, partner_);
    if (const auto stuck = run.run(UINT64_MAX)) {
      fail(all_[stuck->operation],
           fmt::format("deadlock: rank {} waits here for an operation that never completes",
                       all_[stuck->operation].rank));
    }
    Source source = program_.header ? annotated() : plain(run);
    source.rendezvous_deadlock = rendezvous(run);
    return source;
  }

 private:
  [[noreturn]] void fail(const GoalProgram::Operation& o, const std::string& message) const {
    throw InputError({file_, o.line, 1}, message);
  }

  /// The operations of a kind by (sender, receiver, tag), in their order.
  std::vector<std::uint64_t> sorted(GoalProgram::Kind kind) const {
    std::vector<std::uint64_t> result;
    for (std::uint64_t i = 0; i < all_.size(); ++i) {
      if (all_[i].kind == kind) result.push_back(i);
    }
    std::ranges::stable_sort(result, {}, [&](std::uint64_t i) { return key(all_[i]); });
    return result;
  }
  static std::tuple<Rank, Rank, std::uint32_t> key(const GoalProgram::Operation& o) {
    return o.kind == GoalProgram::Kind::send ? std::tuple(o.rank, o.peer, o.tag)
                                             : std::tuple(o.peer, o.rank, o.tag);
  }

  /// Fills `partner_`.
  void match() {
    const auto sends = sorted(GoalProgram::Kind::send),
               receives = sorted(GoalProgram::Kind::receive);
    partner_.resize(all_.size());
    for (std::size_t i = 0; i < std::max(sends.size(), receives.size()); ++i) {
      if (i == receives.size() ||
          (i < sends.size() && key(all_[sends[i]]) < key(all_[receives[i]]))) {
        const GoalProgram::Operation& o = all_[sends[i]];
        fail(o, fmt::format("rank {} never receives this message of tag {}", o.peer, o.tag));
      }
      if (i == sends.size() || key(all_[receives[i]]) < key(all_[sends[i]])) {
        const GoalProgram::Operation& o = all_[receives[i]];
        fail(o, fmt::format("rank {} never sends this message of tag {}", o.peer, o.tag));
      }
      const GoalProgram::Operation &send = all_[sends[i]], &receive = all_[receives[i]];
      check_sizes(send, receive);
      partner_[sends[i]] = receives[i];
      partner_[receives[i]] = sends[i];
    }
  }

  /// Sizes may differ in other programs: in LogGOPSim a message has that of its send. But the size
  /// of each end decides whether that end is eager, so that both must agree.
  void check_sizes(const GoalProgram::Operation& send,
                   const GoalProgram::Operation& receive) const {
    if (send.bytes == receive.bytes) return;
    std::string message =
        fmt::format("the message has {} bytes here, and {} where it is sent, line {}",
                    receive.bytes, send.bytes, send.line);
    const bool across = (send.bytes > goal_eager_limit) != (receive.bytes > goal_eager_limit);
    if (across) {
      message += fmt::format(
          "; LogGOPSim would take one end for an eager message and the other for rendezvous (-S "
          "{})",
          goal_eager_limit);
    }
    if (across || program_.header) fail(receive, message);
  }

  /// The case of messages that are not buffered: the long ones of LogGOPSim, else all.
  std::optional<RendezvousDeadlock> rendezvous(GoalRun& run) const {
    const auto long_ones = run.run(goal_eager_limit);
    const auto stuck = long_ones ? long_ones : run.run(0);
    if (!stuck) return std::nullopt;
    const GoalProgram::Operation &here = all_[stuck->operation], &send = all_[stuck->waits_for];
    return RendezvousDeadlock{
        here.line, here.rank, long_ones.has_value(),
        fmt::format(
            "deadlock without buffering: rank {} waits here for its {} of line {}, which rank "
            "{} never matches; LogGOPSim buffers messages of up to {} bytes (-S){}",
            here.rank, send.kind == GoalProgram::Kind::send ? "send" : "receive", send.line,
            send.peer, goal_eager_limit, long_ones ? "; this file has longer ones" : "")};
  }

  /// The schedule in the comments, if the program can execute no other.
  Source annotated() {
    Source source = std::move(*program_.header);
    const Machine machine = named_machine(source);
    for (const GoalProgram::Operation& o : all_) {
      if (o.kind == GoalProgram::Kind::send) check_send(o);
    }
    GoalOrder(program_, partner_, machine, file_).check();
    check_pairs();
    const std::vector<std::uint64_t> sends = in_order();
    auto schedule = std::make_shared<Schedule>();
    for (std::size_t n = 0; n < sends.size(); ++n) {
      const GoalProgram::Operation& o = all_[sends[n]];
      if (n == 0 || all_[sends[n - 1]].step != o.step) schedule->begin_step(o.step);
      for (std::size_t c = o.carries_begin; c < o.carries_end; ++c) {
        schedule->add(program_.carried[c], o.line);
      }
    }
    source.open = [schedule] { return stream(std::shared_ptr<const Schedule>(schedule)); };
    return source;
  }

  /// The sends by their steps; within a step in an order that agrees with every rank's program. If
  /// there is none, in the order of the ranks.
  std::vector<std::uint64_t> in_order() const {
    constexpr std::uint64_t none = UINT64_MAX;
    std::vector<std::uint64_t> after_send(all_.size(), none), after_receive(all_.size(), none);
    std::vector<std::uint8_t> waits(all_.size(), 0);
    std::uint64_t last[] = {none, none};  // the rank's last send and receive, as sends
    std::vector<std::uint64_t> sends;
    for (std::uint64_t i = 0; i < all_.size(); ++i) {
      if (i > 0 && all_[i - 1].rank != all_[i].rank) last[0] = last[1] = none;
      if (all_[i].kind == GoalProgram::Kind::calculate) continue;
      const bool receive = all_[i].kind == GoalProgram::Kind::receive;
      const std::uint64_t send = receive ? partner_[i] : i;
      std::uint64_t& before = last[receive ? 1 : 0];
      if (before != none && all_[before].step == all_[send].step) {
        (receive ? after_receive : after_send)[before] = send;
        ++waits[send];
      }
      before = send;
      if (!receive) sends.push_back(i);
    }
    using Item = std::pair<std::uint32_t, std::uint64_t>;  // step, send
    std::priority_queue<Item, std::vector<Item>, std::greater<>> ready;
    for (const std::uint64_t i : sends) {
      if (waits[i] == 0) ready.emplace(all_[i].step, i);
    }
    std::vector<std::uint64_t> result;
    while (!ready.empty()) {
      const std::uint64_t i = ready.top().second;
      ready.pop();
      result.push_back(i);
      for (const std::uint64_t next : {after_send[i], after_receive[i]}) {
        if (next != none && --waits[next] == 0) ready.emplace(all_[next].step, next);
      }
    }
    if (result.size() == sends.size()) return result;
    std::ranges::stable_sort(sends, {}, [&](std::uint64_t i) { return all_[i].step; });
    return sends;
  }

  void check_send(const GoalProgram::Operation& o) {
    if (o.carries_begin == o.carries_end)
      fail(o, "missing the comment that says which chunks this send carries");
    std::uint64_t chunks = 0;
    for (std::size_t c = o.carries_begin; c < o.carries_end; ++c) {
      const Transfer& t = program_.carried[c];
      chunks += t.count;
      if (t.dst != o.peer) {
        fail(o,
             fmt::format("this send is to rank {}, but its comment says rank {}", o.peer, t.dst));
      }
    }
    if (o.tag != o.step) fail(o, fmt::format("the tag is {}, but the step is {}", o.tag, o.step));
    if (chunk_bytes_ == 0) chunk_bytes_ = std::max<std::uint64_t>(1, o.bytes / chunks);
    if (o.bytes % chunk_bytes_ != 0 || o.bytes / chunk_bytes_ != chunks) {
      fail(o, fmt::format("{} bytes are not {} chunk{} of {} byte{}", o.bytes, chunks,
                          chunks == 1 ? "" : "s", chunk_bytes_, chunk_bytes_ == 1 ? "" : "s"));
    }
  }

  /// In a step there is one message from a rank to another.
  void check_pairs() const {
    const auto sends = sorted(GoalProgram::Kind::send);
    for (std::size_t n = 1; n < sends.size(); ++n) {
      if (key(all_[sends[n - 1]]) == key(all_[sends[n]])) {
        fail(all_[sends[n]], fmt::format("this is the second message to rank {} in step {}",
                                         all_[sends[n]].peer, all_[sends[n]].step));
      }
    }
  }

  /// Message i carries chunk i.
  Source plain(const GoalRun& run) {
    std::vector<std::uint64_t> messages;  // by number
    std::vector<std::vector<Run>> wanted(program_.ranks);
    std::vector<Holding> pre, post;
    for (std::uint64_t i = 0; i < all_.size(); ++i) {
      if (all_[i].kind != GoalProgram::Kind::send) continue;
      const auto chunk = static_cast<Chunk>(messages.size());
      messages.push_back(i);
      if (pre.empty() || pre.back().rank != all_[i].rank) {
        pre.push_back({all_[i].rank, {{chunk, 0}}});
      }
      ++pre.back().runs.back().count;
      std::vector<Run>& runs = wanted[all_[i].peer];
      if (runs.empty() || runs.back().first + runs.back().count != chunk)
        runs.push_back({chunk, 0});
      ++runs.back().count;
    }
    for (Rank rank = 0; rank < program_.ranks; ++rank) {
      if (!wanted[rank].empty()) post.push_back({rank, std::move(wanted[rank])});
    }
    Source source;
    source.problem = custom_problem(
        program_.ranks, static_cast<std::uint32_t>(std::max<std::size_t>(1, messages.size())),
        std::move(pre), std::move(post), counted(messages.size(), "message"));
    source.problem.validate();
    std::vector<Chunk> order(messages.size());
    std::iota(order.begin(), order.end(), Chunk{0});
    std::ranges::stable_sort(order, {}, [&](Chunk chunk) { return run.step(messages[chunk]); });
    auto schedule = std::make_shared<Schedule>();
    for (std::size_t n = 0; n < order.size(); ++n) {
      const std::uint64_t i = messages[order[n]];
      if (n == 0 || run.step(messages[order[n - 1]]) != run.step(i))
        schedule->begin_step(run.step(i));
      schedule->add(copy(all_[i].rank, all_[i].peer, order[n]), all_[i].line);
    }
    source.open = [schedule] { return stream(std::shared_ptr<const Schedule>(schedule)); };
    return source;
  }

  GoalProgram program_;
  const std::string& file_;
  const std::vector<GoalProgram::Operation>& all_;
  std::vector<std::uint64_t> partner_;  ///< of a send its receive, and vice versa
  std::uint64_t chunk_bytes_ = 0;
};

}  // namespace

Source read_goal(const InputText& text, const std::string& file) {
  Source source = GoalReader(parse_goal(text.view(), file), file).read();
  source.file = file;
  source.name = source.title.empty() ? file : source.title;
  return source;
}

bool is_goal(std::string_view text) { return skip_comments(text).starts_with("num_ranks"); }

}  // namespace schedcc
