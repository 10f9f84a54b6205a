// deadlock: if every rank makes its calls one after the other, do all of them complete?
//
// A schedule's steps are not synchronised when it runs: each rank executes its own calls in order.
// Under rendezvous a send and its receive complete together, when both ranks have reached them;
// with eager messages a send completes alone while fewer than N messages of its pair are
// unreceived.
//
// On machines with steps it is enough to consider each step by itself: calls of step t wait only
// for calls of steps up to t, so that by induction everything before has completed; and so no
// message is buffered from one step to the next. Theorem: with `sendrecv`, where a rank's calls of
// a step are posted together, the calls of step t then complete at once, so that the check can fail
// only for the other semantics. On LogP a send and its receive are calls at different times, and
// what a rank does in all cycles is one sequence.

#include <deque>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "check/blocking_calls.hpp"
#include "check/checks.hpp"

namespace schedcc {

namespace {

class DeadlockCheck : public Check {
 public:
  using Check::Check;

  void endpoint(const Step& step, const Digest& digest) override {
    if (found_) return;
    if (!timed_ && context.options.blocking == Blocking::sendrecv) return;
    receive_before(step.number);
    if (context.options.blocking == Blocking::recv_first) {
      receives_first(step, digest);
    } else {
      in_order(step, digest);
    }
    if (!timed_) end();
  }

  void finish(const Holdings*) override {
    if (!found_) end();
  }

 private:
  using Call = BlockingCalls::Call;

  /// The calls of a time in the order of their messages, or, if the sends come first, all sends.
  void in_order(const Step& step, const Digest& digest) {
    const bool sends_first = context.options.blocking == Blocking::send_first;
    for (const Message& m : digest.messages()) {
      if (!sends_first) receive_before(step.number + 1);
      calls_.make(add(step, m));
    }
  }

  void receives_first(const Step& step, const Digest& digest) {
    sends_.clear();
    for (const Message& m : digest.messages()) sends_.push_back(add(step, m));
    receive_before(step.number + 1);
    for (const BlockingCalls::Id send : sends_) calls_.make(send);
  }

  /// Returns its send. Its receive is made when it is due.
  BlockingCalls::Id add(const Step& step, const Message& m) {
    const std::uint32_t line = step.lines.empty() ? 0 : step.lines[m.first];
    const std::uint64_t due = step.number + context.machine.receive_delay();
    const auto [send, receive] =
        calls_.add({m.src, m.dst, step.number, line, true}, {m.dst, m.src, due, line, false});
    receives_.push_back(receive);
    return send;
  }

  /// Makes the receives of the times before this one, which are in the order of their sends.
  void receive_before(std::uint64_t time) {
    for (; !receives_.empty() && calls_.time(receives_.front()) < time; receives_.pop_front())
      calls_.make(receives_.front());
  }

  /// After the last call, or, without times, after those of a step.
  void end() {
    for (; !receives_.empty(); receives_.pop_front()) calls_.make(receives_.front());
    if (calls_.done()) return;
    const std::vector<Call> cycle = calls_.cycle();
    found_ = true;
    context.reporter.error("deadlock", [&] {
      Finding finding;
      finding.step = cycle.front().time;
      finding.rank = cycle.front().rank;
      finding.line = cycle.front().line;
      finding.src = cycle.front().send ? cycle.front().rank : cycle.front().peer;
      finding.dst = cycle.front().send ? cycle.front().peer : cycle.front().rank;
      finding.message = text(cycle);
      return finding;
    });
  }

  static std::string text(const std::vector<Call>& cycle) {
    std::string result = "these calls wait for one another:";
    constexpr std::size_t shown = 16;
    for (std::size_t i = 0; i < cycle.size() && i < shown; ++i) {
      const Call& c = cycle[i];
      result += fmt::format("{} rank {} {} rank {} (step {})", i == 0 ? "" : ",", c.rank,
                            c.send ? "sends to" : "receives from", c.peer, c.time);
    }
    if (cycle.size() > shown) result += fmt::format(", and {} more", cycle.size() - shown);
    return result;
  }

  const bool timed_ = context.machine.timing() != nullptr;
  BlockingCalls calls_{context.options.blocking == Blocking::sendrecv, context.options.eager};
  std::deque<BlockingCalls::Id> receives_;  ///< of messages whose sends were made
  std::vector<BlockingCalls::Id> sends_;    ///< of a step
  bool found_ = false;                      ///< after a deadlock no further step runs
};

}  // namespace

extern const CheckEntry deadlock_check;
const CheckEntry deadlock_check{
    .name = "deadlock",
    .summary = "every rank's sequence of blocking calls completes",
    .by_step = true,
    .applies = [](const Context& c) { return !c.hop_level; },
    .make = make_check<DeadlockCheck>,
};

}  // namespace schedcc
