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
//
// The order of a rank's calls does not depend on the sizes of messages, so that every time is the
// longest of some paths of waits, each of them a sum. In LogGP the sum of a path grows by G for
// every byte of its messages. The path that is the longest for one size is as long as its sum says
// for any other, where another path may be longer: a lower bound, and a straight line.

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
  const Contents earlier = by_gap ? rank.send_contents : rank.free_contents;
  const Contents all = earlier.with(m.chunks, m.bytes);
  const double start = by_gap ? rank.next_send : rank.free.time;
  const std::uint32_t before = by_gap ? rank.send_path : rank.free.path;
  const double first = start + model_.o + model_.L, last = first + extra.time;
  const TimedMessage message{step, m.src, m.dst, m.bytes, start, last + model_.o};
  // The send is an entry of the path by itself: the sender's next call waits for it.
  const std::uint32_t path = log_.add(message, before);
  rank.free.time = start + model_.o + (extra.busy ? extra.time : 0);
  rank.next_send = start + model_.g + extra.time;
  rank.free_contents = extra.busy ? all : earlier;
  rank.send_contents = all;
  log_.assign(rank.free.path, path);
  log_.assign(rank.send_path, path);
  return {message, first, last, path, m.chunks, all};
}

void LogpProcessors::receive(const Flight& flight, bool occupied) {
  State& rank = ranks_[flight.message.dst];
  const ExtraTime extra = extra_(model_, flight.message.bytes);
  double start = flight.last;
  std::uint32_t waited = flight.path;
  Contents contents = flight.contents;
  const auto wait = [&](double time, std::uint32_t path, const Contents& of) {
    if (time <= start) return;
    start = time;
    waited = path;
    contents = of;
  };
  const auto with_message = [&](const Contents& of) {
    return of.with(flight.chunks, flight.message.bytes);
  };
  const bool occupies = extra.busy || occupied;
  wait(rank.free.time + (occupies ? extra.time : 0), rank.free.path,
       occupies ? with_message(rank.free_contents) : rank.free_contents);
  wait(rank.last_receive + model_.g + extra.time, rank.receive_path,
       with_message(rank.receive_contents));
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
  rank.free_contents = rank.receive_contents = contents;
  log_.assign(rank.free.path, path);
  log_.assign(rank.receive_path, path);
  if (rank.free.time > last_.time) {
    last_.time = rank.free.time;
    last_contents_ = contents;
    log_.assign(last_.path, path);
  }
  log_.drop(path);
  log_.drop(flight.path);
}

LinkTime LogpProcessors::least_end() const {
  const double without_bytes = last_.time - model_.G * last_contents_.bytes;
  return {without_bytes - 1e-11 * last_.time, model_.G * last_contents_.chunks};  // rounded down
}

}  // namespace schedcc
