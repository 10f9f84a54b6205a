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
//
// A rank that has sent, or received, some of the chunks that it must, as every schedule of the
// problem makes it (rank_demand.hpp), does so with the others from then on, of which a message
// carries w at most. Calls for messages of j chunks of c bytes are max(o, g + (j c - 1) G) apart,
// so that a chunk takes the least of max(o, g) / j and (g - G) / j + c G over 1 <= j <= w, or more:
// the first is least for j = w; the second as well if g >= G, and else for j = 1. So the start of
// pipelines, in which data comes to the last ranks, bounds the whole.

#include "cost/logp_processors.hpp"

#include <algorithm>

#include "cost/rank_demand.hpp"

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
  rank.sent += m.chunks;
  if (expected_) {
    still_to_come(start, earlier, rank_demand(expected_->problem, m.src).sends, rank.sent,
                  2 * model_.o + model_.L);
  }
  return {message, first, last, path, m.chunks, all};
}

void LogpProcessors::receive(const Flight& flight, FirstPart first) {
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
  const bool occupies = extra.busy || first == FirstPart::occupies;
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
  rank.received += flight.chunks;
  if (expected_) {
    still_to_come(start, contents, rank_demand(expected_->problem, flight.message.dst).receives,
                  rank.received, model_.o);
  }
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

void LogpProcessors::copy_first_to(Rank ranks) {
  if (ranks == 0) return;
  const State first = ranks_[0];
  for (Rank rank = 1; rank < ranks; ++rank) ranks_[rank] = first;
}

void LogpProcessors::expect(const Prospect& prospect) {
  const auto width = static_cast<double>(prospect.width);
  const double constant = model_.g - model_.G, call = std::max(model_.o, model_.g);
  LinkTime line{constant, model_.G};
  if (constant >= 0) line.alpha = prospect.width == 0 ? 0 : constant / width;
  const double by_bytes = line.alpha + line.beta * static_cast<double>(prospect.bytes);
  const double by_calls = prospect.width == 0 ? 0 : call / width;
  expected_ = Expected{*prospect.problem, line, std::max(by_bytes, by_calls)};
}

/// A call for a message begins at `start`, with which `done` of the chunks are sent, or received,
/// that this rank must; its last one ends at least `last` after its start.
void LogpProcessors::still_to_come(double start, const Contents& contents, std::uint64_t needed,
                                   std::uint64_t done, double last) {
  constexpr double rounding = 1e-10;  // more than the relative errors of sums
  if (done >= needed) return;
  const auto chunks = static_cast<double>(needed - done);
  const double time = (start + chunks * expected_->of_chunk + last) * (1 - rounding);
  if (time <= later_.time) return;
  const LinkTime& line = expected_->line;
  later_ = {time,
            {start - model_.G * contents.bytes + chunks * line.alpha + last - rounding * time,
             model_.G * contents.chunks + chunks * line.beta}};
}

LinkTime LogpProcessors::least_end() const {
  if (later_.time > last_.time) return later_.line;
  const double without_bytes = last_.time - model_.G * last_contents_.bytes;
  return {without_bytes - 1e-11 * last_.time, model_.G * last_contents_.chunks};  // rounded down
}

}  // namespace schedcc
