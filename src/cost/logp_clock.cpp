// LogP and LogGP, asynchronous. Each rank is a program of calls, in the order of the steps: in a
// step first its sends, in the order of the schedule, then its receives. On a logp machine, whose
// steps are cycles, calls are in the order of the cycles in which they begin there: a send of cycle
// t at t, its receive at t + o + L. A call begins as soon as the rank has ended the previous one
// and the rules of logp_processors.cpp allow it.
//
// As long as all ranks are in the same state (permutations.hpp), rank 0 is all of them.
//
// Under the synchronous clock all ranks begin every step together, when all have ended the previous
// one.

#include "cost/logp_clock.hpp"

#include <deque>
#include <utility>
#include <vector>

#include "cost/logp_processors.hpp"

namespace schedcc {

namespace {

class LogpClock : public Clock {
 public:
  LogpClock(CostModel model, const Machine& machine, ExtraOf extra, bool record)
      : model_(std::move(model)),
        cycles_(machine.receive_delay()),
        record_(record),
        processors_(model_, extra, record) {}

  void expect(const Prospect& prospect) override {
    processors_.expect(prospect);
    if (cycles_ == 0 && !record_) alike_ = prospect.problem->ranks;
  }
  bool permutation(std::uint64_t number, const MessageSize& size) override {
    if (alike_ == 0) return false;
    processors_.receive(processors_.send(number, {0, 0, size.chunks, size.bytes}));
    return true;
  }
  void step(std::uint64_t number, std::uint32_t, std::span<const SizedMessage> messages) override {
    processors_.copy_first_to(std::exchange(alike_, 0));
    if (cycles_ == 0) return exchange(number, messages);
    receive_until(number);
    for (const SizedMessage& m : messages) {
      flights_.push_back({number + cycles_, processors_.send(number, m)});
    }
  }

  double so_far() const override { return processors_.end_at_least(); }
  std::optional<LinkTime> least_so_far() const override {
    return model_.G > 0 ? std::optional(processors_.least_end()) : std::nullopt;
  }
  double finish() override {
    receive_until(UINT64_MAX);
    return processors_.end();
  }
  std::vector<TimedMessage> critical_path() const override { return processors_.critical_path(); }

 private:
  struct PendingReceive {
    std::uint64_t cycle;  ///< in which the receive begins on a logp machine
    LogpProcessors::Flight flight;
  };

  /// A step that receives what it sends.
  void exchange(std::uint64_t number, std::span<const SizedMessage> messages) {
    exchanged_.clear();
    for (const SizedMessage& m : messages) exchanged_.push_back(processors_.send(number, m));
    for (const LogpProcessors::Flight& flight : exchanged_) processors_.receive(flight);
  }
  void receive_until(std::uint64_t cycle) {
    while (!flights_.empty() && flights_.front().cycle <= cycle) {
      processors_.receive(flights_.front().flight);
      flights_.pop_front();
    }
  }

  CostModel model_;
  std::uint64_t cycles_;
  bool record_;
  Rank alike_ = 0;  ///< so many ranks, all of them, are in the state of rank 0
  LogpProcessors processors_;
  std::vector<LogpProcessors::Flight> exchanged_;  ///< of the last step
  std::deque<PendingReceive> flights_;             ///< on logp machines
};

/// Every step by itself, one after another. A logp machine has no such steps.
class StepwiseClock : public Clock {
 public:
  StepwiseClock(CostModel model, Machine machine, ExtraOf extra)
      : model_(std::move(model)), machine_(std::move(machine)), extra_(extra) {}

  void step(std::uint64_t number, std::uint32_t rounds,
            std::span<const SizedMessage> messages) override {
    const auto clock = logp_asynchronous(model_, machine_, extra_, false);
    clock->step(number, rounds, messages);
    time_ += clock->finish();
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
  if (model.receive == Receive::arrival) return logp_arrival(model, machine, extra, record);
  return std::make_unique<LogpClock>(model, machine, extra, record);
}

std::unique_ptr<Clock> logp_synchronous(const CostModel& model, const Machine& machine,
                                        ExtraOf extra) {
  if (machine.timing()) return nullptr;
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

std::optional<std::string> reason_against_links(const Machine& machine) {
  if (machine.routed()) return "it models processors, not links";
  return against_switches(machine);
}

}  // namespace schedcc
