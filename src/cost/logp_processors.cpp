// The rules of LogP and LogGP for one processor. With x for the time of a message beyond that of
// one packet or one byte,
//
//   a send     begins when the processor is free, and at least g + x after the rank's send before
//              it began, x for that one's size; occupies the processor for o
//   a receive  begins when its last part has arrived, and at least g + x after the rank's receive
//              before it began, x for its own size; occupies the processor for o
//
// In LogP the processor is busy with the packets for x more, so that sends are at least max(g, o) +
// x apart. In LogGP it is free while bytes follow: max(o, g + x).

#include "cost/logp_processors.hpp"

#include <algorithm>

namespace schedcc {

double LogpProcessors::sends_from(Rank rank) {
  const State& state = ranks_[rank];
  return std::max(state.next_send, state.free.time);
}

double LogpProcessors::receives_from(Rank rank) {
  const State& state = ranks_[rank];
  return std::max(state.last_receive + model_.g, state.free.time);
}

LogpProcessors::Flight LogpProcessors::send(std::uint64_t step, const SizedMessage& m) {
  State& rank = ranks_[m.src];
  const ExtraTime extra = extra_(model_, m.bytes);
  const bool by_gap = rank.next_send > rank.free.time;
  const double start = by_gap ? rank.next_send : rank.free.time;
  const std::uint32_t before = by_gap ? rank.send_path : rank.free.path;
  const double first = start + model_.o + model_.L, last = first + extra.time;
  const TimedMessage message{step, m.src, m.dst, m.bytes, start, last + model_.o};
  // The send is an entry of the path by itself: the sender's next call waits for it.
  const std::uint32_t path = log_.add(message, before);
  rank.free.time = start + model_.o + (extra.busy ? extra.time : 0);
  rank.next_send = start + model_.g + extra.time;
  log_.assign(rank.free.path, path);
  log_.assign(rank.send_path, path);
  return {message, first, last, path};
}

void LogpProcessors::receive(const Flight& flight, bool occupied) {
  State& rank = ranks_[flight.message.dst];
  const ExtraTime extra = extra_(model_, flight.message.bytes);
  double start = flight.last;
  std::uint32_t waited = flight.path;
  const auto wait = [&](double time, std::uint32_t path) {
    if (time <= start) return;
    start = time;
    waited = path;
  };
  wait(rank.free.time + (extra.busy || occupied ? extra.time : 0), rank.free.path);
  wait(rank.last_receive + model_.g + extra.time, rank.receive_path);
  std::uint32_t path = flight.path;
  if (waited == flight.path) {
    log_.keep(path);
  } else {  // the message waited for its receiver, not the receiver for the message
    TimedMessage late = flight.message;
    late.start = start;
    late.end = start + model_.o;
    path = log_.add(late, waited);
  }
  rank.free.time = start + model_.o;
  rank.last_receive = start;
  log_.assign(rank.free.path, path);
  log_.assign(rank.receive_path, path);
  if (rank.free.time > last_.time) {
    last_.time = rank.free.time;
    log_.assign(last_.path, path);
  }
  log_.drop(path);
  log_.drop(flight.path);
}

}  // namespace schedcc
