#include "check/blocking_calls.hpp"

#include <algorithm>

namespace schedcc {

BlockingCalls::Message BlockingCalls::add(const Call& send, const Call& receive) {
  const Message result{add(send), add(receive)};
  calls_[result.send].other = result.receive;
  calls_[result.receive].other = result.send;
  return result;
}

BlockingCalls::Id BlockingCalls::add(const Call& call) {
  ++left_;
  if (free_.empty()) {
    calls_.push_back({call, none});
    return calls_.size() - 1;
  }
  const Id place = free_.back();
  free_.pop_back();
  calls_[place] = {call, none};
  return place;
}

void BlockingCalls::make(Id call) {
  State& state = calls_[call];
  state.made = true;
  Sequence& sequence = sequences_[state.rank];
  (sequence.first == none ? sequence.first : calls_[sequence.last].next) = call;
  sequence.last = call;
  if (!posted(call)) return;
  ready_.push_back(call);
  complete_all();
}

bool BlockingCalls::posted(Id call) {
  const State& state = calls_[call];
  if (!state.made) return false;
  const Id first = sequences_[state.rank].first;
  return call == first || (grouped_ && state.time == calls_[first].time);
}

void BlockingCalls::complete_all() {
  while (!ready_.empty()) {
    const Id call = ready_.back();
    ready_.pop_back();
    if (calls_[call].done) continue;
    eager_ == 0 ? complete(call) : complete_eager(call);
  }
}

/// With its other end, if that is posted.
void BlockingCalls::complete(Id call) {
  const Id other = calls_[call].other;
  if (!posted(other)) return;
  calls_[call].done = calls_[other].done = true;
  end(call);
  end(other);
}

/// If it can.
void BlockingCalls::complete_eager(Id call) {
  State& state = calls_[call];
  std::uint64_t& messages = unreceived(state);
  if (state.send) {
    if (messages == eager_) return;
    ++messages;
    calls_[state.other].sent = true;
    if (posted(state.other)) ready_.push_back(state.other);
  } else {
    if (!state.sent) return;
    --messages;
    try_posted(state.peer);
  }
  state.done = true;
  end(call);
}

/// Leaves out the calls of its rank that have completed, up to the first that has not. If a group
/// has completed the next one is posted.
void BlockingCalls::end(Id call) {
  --left_;
  const auto [rank, time] = std::pair(calls_[call].rank, calls_[call].time);
  Sequence& sequence = sequences_[rank];
  if (!calls_[sequence.first].done) return;
  while (sequence.first != none && calls_[sequence.first].done) {
    free_.push_back(sequence.first);
    sequence.first = calls_[sequence.first].next;
  }
  if (sequence.first == none || (grouped_ && calls_[sequence.first].time == time)) return;
  try_posted(rank);
}

void BlockingCalls::try_posted(Rank rank) {
  for (Id call = sequences_[rank].first; call != none && posted(call); call = calls_[call].next) {
    if (!calls_[call].done) ready_.push_back(call);
  }
}

std::uint64_t& BlockingCalls::unreceived(const Call& call) {
  const Rank src = call.send ? call.rank : call.peer, dst = call.send ? call.peer : call.rank;
  return unreceived_[std::uint64_t{src} << 32 | dst];
}

std::vector<BlockingCalls::Call> BlockingCalls::cycle() {
  const State* first = nullptr;
  for (const State& state : calls_) {
    if (!state.done && (first == nullptr || state.rank < first->rank)) first = &state;
  }
  std::vector<Call> path;
  if (first == nullptr) return path;
  for (Rank rank = first->rank;; rank = path.back().peer) {
    Sequence& sequence = sequences_[rank];
    if (sequence.visit != 0) {
      path.erase(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(sequence.visit - 1));
      return path;
    }
    path.push_back(calls_[sequence.first]);
    sequence.visit = path.size();
  }
}

}  // namespace schedcc
