#include "simulator/deadlock.hpp"

#include <map>
#include <optional>
#include <set>
#include <utility>

namespace naive {

namespace {

class Execution {
 public:
  Execution(const std::vector<Sent>& sent, Rank ranks, const Model& model, const Options& options)
      : model_(model), options_(options), ranks_(ranks), messages_(messages(sent)) {
    for (Rank r = 0; r < ranks_; ++r) calls_[r] = calls_of(r);
  }

  /// Do all ranks complete?
  bool ends() {
    bool progress = true;
    while (progress) {
      progress = false;
      for (Rank r = 0; r < ranks_; ++r) progress |= advance(r);
    }
    for (Rank r = 0; r < ranks_; ++r) {
      if (next_[r] < calls_[r].size()) return false;
    }
    return true;
  }

 private:
  struct Operation {
    bool is_send;
    std::size_t message;  // index in file order
    bool done = false;
  };
  struct Call {
    std::vector<Operation> operations;
  };
  struct TimedMessage {  // one message
    std::uint64_t send_time, receive_time;
    Rank src, dst;
    bool buffered = false;
  };

  std::vector<TimedMessage> messages(const std::vector<Sent>& sent) const {
    std::vector<TimedMessage> result;
    std::set<std::pair<std::uint64_t, Message>> seen;
    const std::uint64_t delay = model_.logp ? model_.logp->o + model_.logp->L : 0;
    for (const auto& [step, t] : sent) {
      if (seen.insert({step, {t.src, t.dst}}).second) {
        result.push_back({step, step + delay, t.src, t.dst});
      }
    }
    return result;
  }

  /// Where an operation stands among those that start at the same time.
  int phase(bool is_send) const {
    switch (options_.blocking) {
      case Blocking::send_first:
        return is_send ? 0 : 1;
      case Blocking::recv_first:
        return is_send ? 1 : 0;
      default:
        return 0;
    }
  }

  /// The calls of one rank, in order.
  std::vector<Call> calls_of(Rank rank) const {
    using Key = std::pair<std::uint64_t, std::pair<int, std::size_t>>;  // time, phase, file order
    std::map<Key, Operation> order;
    for (std::size_t m = 0; m < messages_.size(); ++m) {
      const TimedMessage& k = messages_[m];
      if (k.src == rank) order[{k.send_time, {phase(true), m}}] = {true, m};
      if (k.dst == rank) order[{k.receive_time, {phase(false), m}}] = {false, m};
    }
    std::vector<Call> calls;
    std::optional<std::uint64_t> last;
    for (const auto& [key, operation] : order) {
      const bool together = options_.blocking == Blocking::sendrecv && last == key.first;
      if (!together) calls.emplace_back();
      calls.back().operations.push_back(operation);
      last = key.first;
    }
    return calls;
  }

  Call* current(Rank rank) {
    return next_[rank] < calls_[rank].size() ? &calls_[rank][next_[rank]] : nullptr;
  }

  /// Whatever of the rank's current call can happen now.
  bool advance(Rank rank) {
    Call* call = current(rank);
    if (call == nullptr) return false;
    bool progress = false;
    for (Operation& op : call->operations) {
      if (!op.done && (op.is_send ? try_send(op) : try_receive(op))) progress = op.done = true;
    }
    for (const Operation& op : call->operations) {
      if (!op.done) return progress;
    }
    ++next_[rank];
    return true;
  }

  bool try_send(const Operation& op) {
    TimedMessage& k = messages_[op.message];
    std::uint64_t& used = buffers_[{k.src, k.dst}];
    if (used < options_.eager) {
      ++used;
      k.buffered = true;
      return true;
    }
    return options_.eager == 0 && meet(k.dst, op.message);
  }

  /// Rendezvous: the receiver waits for this very message.
  bool meet(Rank receiver, std::size_t message) {
    Call* call = current(receiver);
    if (call == nullptr) return false;
    for (Operation& op : call->operations) {
      if (op.is_send || op.message != message || op.done) continue;
      op.done = true;
      return true;
    }
    return false;
  }

  bool try_receive(const Operation& op) {
    TimedMessage& k = messages_[op.message];
    if (!k.buffered) return false;
    k.buffered = false;
    --buffers_[{k.src, k.dst}];
    return true;
  }

  const Model& model_;
  const Options& options_;
  Rank ranks_;
  std::vector<TimedMessage> messages_;
  std::map<Rank, std::vector<Call>> calls_;
  std::map<Rank, std::size_t> next_;
  std::map<Message, std::uint64_t> buffers_;
};

}  // namespace

bool deadlocks(const std::vector<Sent>& sent, Rank ranks, const Model& model,
               const Options& options) {
  return !Execution(sent, ranks, model, options).ends();
}

}  // namespace naive
