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
// only for the other semantics. On LogP a send and its receive are calls at different times; all
// are considered together, at the end.

#include <algorithm>
#include <map>

#include <fmt/core.h>

#include "check/checks.hpp"

namespace schedcc {

namespace {

struct Call {
  Rank rank, peer;
  std::uint64_t time;
  std::size_t order;  ///< among the calls of a rank at a time
  bool send;
  std::size_t message;  ///< 0, 1, ...
  std::uint32_t line;   ///< in the file; 0: none
};

/// The ranks with calls, each at a position in its sequence of groups; a group is posted together.
class PostedCalls {
 public:
  PostedCalls(std::vector<Call> calls, bool grouped, std::uint64_t eager)
      : calls_(std::move(calls)), grouped_(grouped), eager_(eager) {
    std::ranges::sort(calls_, {},
                      [](const Call& c) { return std::tuple(c.rank, c.time, c.order); });
    sequence_of_.resize(calls_.size());
    ends_.resize(calls_.size() / 2);
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      if (i == 0 || calls_[i].rank != calls_[i - 1].rank) sequences_.push_back({i, i, 0});
      sequences_.back().end = i + 1;
      sequence_of_[i] = sequences_.size() - 1;
      std::size_t& end =
          calls_[i].send ? ends_[calls_[i].message].first : ends_[calls_[i].message].second;
      end = i;
    }
    done_.resize(calls_.size());
  }

  /// Completes all calls that can complete; returns the calls of a cycle of waiting ranks, empty if
  /// everything completes.
  std::vector<Call> stuck() {
    std::vector<std::size_t> ready(sequences_.size());
    for (std::size_t p = 0; p < ready.size(); ++p) ready[p] = p;
    while (!ready.empty()) {
      const std::size_t p = ready.back();
      ready.pop_back();
      for (std::size_t i = sequences_[p].next; i < group_end(sequences_[p]); ++i) {
        if (!done_[i] && completes(i)) wake(i, ready);
      }
      if (advance(sequences_[p])) ready.push_back(p);
    }
    return cycle();
  }

 private:
  struct CallSequence {
    std::size_t next, end;  ///< its calls that are still to complete
    std::size_t visit;
  };

  std::size_t group_end(const CallSequence& place) const {
    std::size_t end = place.next;
    while (end < place.end &&
           (end == place.next || (grouped_ && calls_[end].time == calls_[place.next].time))) {
      ++end;
    }
    return end;
  }

  std::size_t other_end(std::size_t i) const {
    const auto [send, receive] = ends_[calls_[i].message];
    return i == send ? receive : send;
  }

  bool posted(std::size_t i) const {
    const CallSequence& place = sequences_[sequence_of_[i]];
    return place.next <= i && i < group_end(place);
  }

  /// Completes call i, and its other end if necessary, if that is possible now.
  bool completes(std::size_t i) {
    const auto [send, receive] = ends_[calls_[i].message];
    if (eager_ == 0) {
      if (!posted(other_end(i))) return false;
      done_[send] = done_[receive] = true;
      return true;
    }
    std::uint64_t& unreceived = buffered_[{calls_[send].rank, calls_[receive].rank}];
    if (i == send) {
      if (unreceived == eager_) return false;
      ++unreceived;
    } else {
      if (!done_[send]) return false;
      --unreceived;
    }
    done_[i] = true;
    return true;
  }

  /// Wakes the ranks at both ends of call i's message.
  void wake(std::size_t i, std::vector<std::size_t>& ready) {
    ready.push_back(sequence_of_[i]);
    ready.push_back(sequence_of_[other_end(i)]);
  }

  /// Steps over a completed group.
  bool advance(CallSequence& place) {
    const std::size_t end = group_end(place);
    for (std::size_t i = place.next; i < end; ++i) {
      if (!done_[i]) return false;
    }
    place.next = end;
    return end < place.end;
  }

  /// From any waiting rank to the rank that it waits for, until a rank is repeated.
  std::vector<Call> cycle() {
    const auto waiting =
        std::ranges::find_if(sequences_, [](const CallSequence& p) { return p.next < p.end; });
    if (waiting == sequences_.end()) return {};
    std::vector<Call> path;
    for (std::size_t p = static_cast<std::size_t>(waiting - sequences_.begin());;) {
      if (sequences_[p].visit != 0) {
        path.erase(path.begin(),
                   path.begin() + static_cast<std::ptrdiff_t>(sequences_[p].visit - 1));
        return path;
      }
      std::size_t i = sequences_[p].next;
      while (done_[i]) ++i;
      path.push_back(calls_[i]);
      sequences_[p].visit = path.size();
      p = sequence_of_[other_end(i)];
    }
  }

  std::vector<Call> calls_;
  bool grouped_;
  std::uint64_t eager_;
  std::vector<CallSequence> sequences_;
  std::vector<std::size_t> sequence_of_;                   ///< by call
  std::vector<std::pair<std::size_t, std::size_t>> ends_;  ///< by message: send, receive
  std::vector<bool> done_;
  std::map<std::pair<Rank, Rank>, std::uint64_t> buffered_;
};

class DeadlockCheck : public Check {
 public:
  using Check::Check;

  void endpoint(const Step& step, const Digest& digest) override {
    if (found_) return;
    const bool timed = context.machine.timing() != nullptr;
    if (!timed && context.options.blocking == Blocking::sendrecv) return;
    for (const Message& m : digest.messages()) {
      add(m, step.number, step.lines.empty() ? 0 : step.lines[m.first]);
    }
    if (!timed) run();
  }

  void finish(const Holdings*) override { run(); }

 private:
  void add(const Message& m, std::uint64_t time, std::uint32_t line) {
    const std::size_t message = calls_.size() / 2;
    calls_.push_back({m.src, m.dst, time, place(message, true), true, message, line});
    calls_.push_back({m.dst, m.src, time + context.machine.receive_delay(), place(message, false),
                      false, message, line});
  }

  /// The order of a call among its rank's calls of the same time.
  std::size_t place(std::size_t message, bool send) const {
    const std::size_t later = std::size_t{1} << 62;
    if (context.options.blocking == Blocking::send_first) return message + (send ? 0 : later);
    if (context.options.blocking == Blocking::recv_first) return message + (send ? later : 0);
    return message;
  }

  void run() {
    const bool grouped = context.options.blocking == Blocking::sendrecv;
    const std::vector<Call> cycle =
        PostedCalls(std::exchange(calls_, {}), grouped, context.options.eager).stuck();
    if (cycle.empty()) return;
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

  std::vector<Call> calls_;
  bool found_ = false;  ///< after a deadlock no further step runs
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
