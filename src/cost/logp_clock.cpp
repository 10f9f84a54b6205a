// LogP, asynchronous. Each rank is a program of calls, in the order of the steps: in a step first
// its sends, in the order of the schedule, then its receives. On a logp machine, whose steps are
// cycles, calls stand in the order of the cycles in which they begin there: a send of cycle t at t,
// its receive at t + o + L. A call begins as soon as the rank has ended the one before it, and
//
//   a send     at least max(g, o) + x after the rank's send before it began, x for that one's size;
//              occupies the processor for o; the last byte is at its receiver after o + x + L
//   a receive  not before its last byte is there, and at least max(g, o) + x after the rank's
//              receive before it, x for its own size; occupies the processor for o; then the data
//              are held
//
// The synchronous clock lets all ranks begin every step together, when all have ended the one
// before.
//
// Here x = (n - 1) max(g, o) for a LogP message of n packets, during which the processor is busy
// with the packets, and x = (b - 1) G for b bytes in LogGP, during which it is free.

#include "cost/logp_clock.hpp"

#include <algorithm>
#include <deque>
#include <utility>

#include "cost/path_log.hpp"

namespace schedcc {

namespace {

class LogpClock : public Clock {
 public:
  LogpClock(const CostModel& model, const Machine& machine, ExtraOf extra, bool record)
      : model_(model),
        extra_(extra),
        spacing_(std::max(model.g, model.o)),
        cycles_(machine.logp ? machine.logp->o + machine.logp->L : 0),
        log_(record) {}

  void step(std::uint64_t number, std::uint32_t, std::span<const SizedMessage> messages) override {
    receive_until(number);
    for (const SizedMessage& m : messages) send(number, m);
    if (cycles_ == 0) receive_until(number);
  }

  double so_far() const override { return last_.time; }
  double finish() override {
    receive_until(UINT64_MAX);
    return last_.time;
  }
  std::vector<TimedMessage> critical_path() const override { return log_.messages(last_.path); }

 private:
  struct State {
    Ready free;  ///< when the processor is
    double next_send = 0, last_receive = -1e300;
    std::uint32_t send_path = PathLog::none, receive_path = PathLog::none;
  };
  struct Flight {
    std::uint64_t due;  ///< the cycle in which its receive begins on a logp machine
    TimedMessage message;
    double arrival;
    std::uint32_t path;  ///< what its send waited for
  };

  void send(std::uint64_t number, const SizedMessage& m) {
    State& rank = ranks_[m.src];
    const Extra extra = extra_(model_, m.bytes);
    const bool by_gap = rank.next_send > rank.free.time;
    const double start = by_gap ? rank.next_send : rank.free.time;
    const std::uint32_t before = by_gap ? rank.send_path : rank.free.path;
    const double arrival = start + model_.o + extra.time + model_.L;
    const TimedMessage message{number, m.src, m.dst, m.bytes, start, arrival + model_.o};
    // The send is a link of the chain by itself: what the sender does next waits for it.
    const std::uint32_t path = log_.add(message, before);
    rank.free.time = start + model_.o + (extra.busy ? extra.time : 0);
    rank.next_send = start + spacing_ + extra.time;
    log_.assign(rank.free.path, path);
    log_.assign(rank.send_path, path);
    flights_.push_back({number + cycles_, message, arrival, path});
  }

  void receive_until(std::uint64_t cycle) {
    while (!flights_.empty() && flights_.front().due <= cycle) {
      receive(flights_.front());
      flights_.pop_front();
    }
  }

  void receive(const Flight& flight) {
    State& rank = ranks_[flight.message.dst];
    const Extra extra = extra_(model_, flight.message.bytes);
    double start = flight.arrival;
    std::uint32_t waited = flight.path;
    const auto wait = [&](double time, std::uint32_t path) {
      if (time <= start) return;
      start = time;
      waited = path;
    };
    wait(rank.free.time + (extra.busy ? extra.time : 0), rank.free.path);
    wait(rank.last_receive + spacing_ + extra.time, rank.receive_path);
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

  CostModel model_;
  ExtraOf extra_;
  double spacing_;
  std::uint64_t cycles_;
  PathLog log_;
  NodeArray<State> ranks_;
  std::deque<Flight> flights_;
  Ready last_;
};

/// Every step by itself, one after the other. On a logp machine there are no such steps.
class StepwiseClock : public Clock {
 public:
  StepwiseClock(CostModel model, Machine machine, ExtraOf extra)
      : model_(std::move(model)), machine_(std::move(machine)), extra_(extra) {}

  void step(std::uint64_t number, std::uint32_t rounds,
            std::span<const SizedMessage> messages) override {
    LogpClock clock(model_, machine_, extra_, false);
    clock.step(number, rounds, messages);
    time_ += clock.finish();
  }

  double so_far() const override { return time_; }
  double finish() override { return time_; }

 private:
  CostModel model_;
  Machine machine_;
  ExtraOf extra_;
  double time_ = 0;
};

}  // namespace

std::unique_ptr<Clock> logp_asynchronous(const CostModel& model, const Machine& machine,
                                         ExtraOf extra, bool record) {
  return std::make_unique<LogpClock>(model, machine, extra, record);
}

std::unique_ptr<Clock> logp_synchronous(const CostModel& model, const Machine& machine,
                                        ExtraOf extra) {
  if (machine.logp) return nullptr;
  return std::make_unique<StepwiseClock>(model, machine, extra);
}

std::vector<Parameter> logp_parameters(Parameter more) {
  const auto time = [](std::string_view name, std::string_view summary) {
    return Parameter{
        .name = name, .summary = summary, .kind = Parameter::Kind::time, .required = true};
  };
  return {time("L", "latency, a time"), time("o", "overhead of a send or a receive, a time"),
          time("g", "gap between two sends, or two receives, a time"), std::move(more)};
}

CostModel logp_model_of(const Parameters& parameters) {
  CostModel model;
  model.L = parameters.time("L");
  model.o = parameters.time("o");
  model.g = parameters.time("g");
  return model;
}

std::optional<std::string> refuse_links(const Machine& machine) {
  if (!machine.routed()) return std::nullopt;
  return "it knows processors, no links";
}

}  // namespace schedcc
