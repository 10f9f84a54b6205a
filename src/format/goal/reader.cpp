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
#include <utility>

#include <fmt/core.h>

#include "core/counted.hpp"
#include "core/scanner.hpp"
#include "format/goal/match.hpp"
#include "format/goal/order.hpp"
#include "format/goal/program.hpp"
#include "format/goal/run.hpp"
#include "format/header.hpp"
#include "schedcc/named_machine.hpp"

namespace schedcc {

namespace {

class GoalReader {
 public:
  GoalReader(GoalProgram program, const std::string& file)
      : program_(std::move(program)), file_(file), all_(program_.operations) {}

  Source read() {
    resolve_wildcards(program_, file_);
    partner_ = match_goal(program_, file_);
    run_all();
    Source source = program_.header ? annotated() : plain();
    source.rendezvous_deadlock = std::move(rendezvous_deadlock_);
    return source;
  }

 private:
  void run_all() {
    GoalRun run(program_, partner_);
    if (const auto stuck = run.run(UINT64_MAX)) {
      fail(all_[stuck->operation],
           fmt::format("deadlock: rank {} waits here for an operation that never completes",
                       all_[stuck->operation].rank));
    }
    if (!program_.header) steps_ = run.steps();
    rendezvous_deadlock_ = rendezvous(run);
  }

  [[noreturn]] void fail(const GoalProgram::Operation& o, const std::string& message) const {
    throw InputError({file_, o.line, 1}, message);
  }

  /// The case of messages that are not buffered: the long ones of LogGOPSim, else all.
  std::optional<RendezvousDeadlock> rendezvous(GoalRun& run) const {
    const auto long_ones = run.max_bytes() > goal_eager_limit
                               ? run.run(goal_eager_limit)
                               : std::optional<GoalRun::BlockedOperation>();
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

  /// The machine that the comments name.
  static Machine stated_machine(const Source& source) {
    try {
      return named_machine(source);
    } catch (const InputError& error) {
      if (!error.location.file.empty()) throw;  // in the machine's own file
      throw InputError(source.machine_location, error.what());
    }
  }

  /// The schedule in the comments, if the program can execute no other.
  Source annotated() {
    Source source = std::move(*program_.header);
    const Machine machine = stated_machine(source);
    for (std::uint32_t i = 0; i < all_.size(); ++i) {
      if (all_[i].kind == GoalProgram::Kind::send) check_send(i);
    }
    GoalOrder(program_, partner_, machine, file_).check();
    check_pairs();
    const std::vector<std::uint32_t> sends = in_order();
    auto schedule = std::make_shared<Schedule>();
    for (std::size_t n = 0; n < sends.size(); ++n) {
      const GoalProgram::Operation& o = all_[sends[n]];
      if (n == 0 || all_[sends[n - 1]].step != o.step) schedule->begin_step(o.step);
      for (const Transfer& t : program_.carried_by(sends[n])) schedule->add(t, o.line);
    }
    source.open = [schedule] { return stream(std::shared_ptr<const Schedule>(schedule)); };
    return source;
  }

  /// The sends by their steps; within a step in an order that agrees with every rank's program. If
  /// there is none, in the order of the ranks.
  std::vector<std::uint32_t> in_order() const {
    constexpr std::uint32_t none = UINT32_MAX;
    std::vector<std::uint32_t> after_send(all_.size(), none), after_receive(all_.size(), none);
    std::vector<std::uint8_t> waits(all_.size(), 0);
    std::uint32_t last[] = {none, none};  // the rank's last send and receive, as sends
    std::vector<std::uint32_t> sends;
    for (std::uint32_t i = 0; i < all_.size(); ++i) {
      if (i > 0 && all_[i - 1].rank != all_[i].rank) last[0] = last[1] = none;
      if (all_[i].kind == GoalProgram::Kind::calculate) continue;
      const bool receive = all_[i].kind == GoalProgram::Kind::receive;
      const std::uint32_t send = receive ? partner_[i] : i;
      std::uint32_t& before = last[receive ? 1 : 0];
      if (before != none && all_[before].step == all_[send].step) {
        (receive ? after_receive : after_send)[before] = send;
        ++waits[send];
      }
      before = send;
      if (!receive) sends.push_back(i);
    }
    using Item = std::pair<std::uint32_t, std::uint32_t>;  // step, send
    std::priority_queue<Item, std::vector<Item>, std::greater<>> ready;
    for (const std::uint32_t i : sends) {
      if (waits[i] == 0) ready.emplace(all_[i].step, i);
    }
    std::vector<std::uint32_t> result;
    while (!ready.empty()) {
      const std::uint32_t i = ready.top().second;
      ready.pop();
      result.push_back(i);
      for (const std::uint32_t next : {after_send[i], after_receive[i]}) {
        if (next != none && --waits[next] == 0) ready.emplace(all_[next].step, next);
      }
    }
    if (result.size() == sends.size()) return result;
    std::ranges::stable_sort(sends, {}, [&](std::uint32_t i) { return all_[i].step; });
    return sends;
  }

  void check_send(std::uint32_t i) {
    const GoalProgram::Operation& o = all_[i];
    const auto carried = program_.carried_by(i);
    if (carried.empty()) fail(o, "missing the comment that says which chunks this send carries");
    std::uint64_t chunks = 0;
    for (const Transfer& t : carried) {
      chunks += t.count;
      if (t.dst != o.peer) {
        fail(o,
             fmt::format("this send is to rank {}, but its comment says rank {}", o.peer, t.dst));
      }
    }
    if (o.tag != o.step) fail(o, fmt::format("the tag is {}, but the step is {}", o.tag, o.step));
    if (chunk_bytes_ == 0) chunk_bytes_ = std::max<std::uint64_t>(1, o.bytes / chunks);
    if (o.bytes % chunk_bytes_ != 0 || o.bytes / chunk_bytes_ != chunks) {
      fail(o, fmt::format("{} bytes are not {} of {}", o.bytes, counted(chunks, "chunk"),
                          counted(chunk_bytes_, "byte")));
    }
  }

  /// In a step there is one message from a rank to another.
  void check_pairs() const {
    const auto sends = goal_ends(program_, GoalProgram::Kind::send).ends;
    for (std::size_t n = 1; n < sends.size(); ++n) {
      const GoalProgram::Operation &last = all_[sends[n - 1].operation],
                                   &o = all_[sends[n].operation];
      if (last.rank == o.rank && sends[n - 1].receiver_and_tag == sends[n].receiver_and_tag)
        fail(o, fmt::format("this is the second message to rank {} in step {}", o.peer, o.step));
    }
  }

  /// The sends to other ranks. What a rank sends to itself is in no step.
  std::vector<std::uint32_t> messages() const {
    std::vector<std::uint32_t> result;
    for (std::uint32_t i = 0; i < all_.size(); ++i) {
      if (all_[i].kind == GoalProgram::Kind::send && all_[i].peer != all_[i].rank)
        result.push_back(i);
    }
    return result;
  }

  /// Message i carries chunk i.
  Source plain() {
    const std::vector<std::uint32_t> sends = messages();
    Source source;
    source.problem = one_chunk_each(sends);
    source.problem.validate();
    auto schedule = std::make_shared<Schedule>();
    std::optional<std::uint32_t> step;
    for (const Chunk chunk : by_step(sends)) {
      const std::uint32_t i = sends[chunk];
      if (step != steps_[i]) schedule->begin_step(steps_[i]);
      step = steps_[i];
      schedule->add(copy(all_[i].rank, all_[i].peer, chunk), all_[i].line);
    }
    source.open = [schedule] { return stream(std::shared_ptr<const Schedule>(schedule)); };
    return source;
  }

  /// The problem of which each send has a chunk at its rank, for its receiver.
  Problem one_chunk_each(const std::vector<std::uint32_t>& sends) const {
    std::vector<std::vector<Run>> wanted(program_.ranks);
    std::vector<Holding> pre, post;
    for (Chunk chunk = 0; chunk < sends.size(); ++chunk) {
      const GoalProgram::Operation& o = all_[sends[chunk]];
      if (pre.empty() || pre.back().rank != o.rank) pre.push_back({o.rank, {{chunk, 0}}});
      ++pre.back().runs.back().count;
      std::vector<Run>& runs = wanted[o.peer];
      if (runs.empty() || runs.back().first + runs.back().count != chunk)
        runs.push_back({chunk, 0});
      ++runs.back().count;
    }
    for (Rank rank = 0; rank < program_.ranks; ++rank) {
      if (!wanted[rank].empty()) post.push_back({rank, std::move(wanted[rank])});
    }
    return custom_problem(program_.ranks,
                          static_cast<std::uint32_t>(std::max<std::size_t>(1, sends.size())),
                          std::move(pre), std::move(post), counted(sends.size(), "message"));
  }

  /// The numbers of the sends in the order of their steps.
  std::vector<Chunk> by_step(const std::vector<std::uint32_t>& sends) const {
    std::uint32_t last = 0;
    for (const std::uint32_t i : sends) last = std::max(last, steps_[i]);
    std::vector<std::uint32_t> first(std::size_t{last} + 2, 0);
    for (const std::uint32_t i : sends) ++first[std::size_t{steps_[i]} + 1];
    std::partial_sum(first.begin(), first.end(), first.begin());
    std::vector<Chunk> result(sends.size());
    for (Chunk chunk = 0; chunk < sends.size(); ++chunk)
      result[first[steps_[sends[chunk]]]++] = chunk;
    return result;
  }

  GoalProgram program_;
  const std::string& file_;
  const std::vector<GoalProgram::Operation>& all_;
  std::vector<std::uint32_t> partner_;  ///< of a send its receive, and vice versa
  std::vector<std::uint32_t> steps_;    ///< of sends, where no comments state them
  std::optional<RendezvousDeadlock> rendezvous_deadlock_;
  std::uint64_t chunk_bytes_ = 0;
};

}  // namespace

Source read_goal(const InputText& text, const std::string& file) {
  Source source = GoalReader(parse_goal(text.view(), file), file).read();
  set_file(source, file);
  return source;
}

bool is_goal(std::string_view text) { return skip_comments(text).starts_with("num_ranks"); }

}  // namespace schedcc
