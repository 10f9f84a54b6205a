// LogP and LogGP, asynchronous, with the overhead of a receive charged on arrival, as LogGOPSim
// does (Hoefler, Schneider, Lumsdaine, HPDC 2010), for messages below its eager limit.
//
// A rank posts the operations of a step together, sends before receives, when all of its previous
// step have ended; on a logp machine one by one, in the order in which they begin there. That is
// the program that `--emit goal` writes. A send ends when it has begun. A message occupies its
// receiver when its first part comes, before any other operation, for o + x with the x of
// logp_processors.hpp; its receive has ended when that has begun, or when it is posted, if that is
// later. Events at the same time are processed in the order in which they were posted.
//
// Times are counted in picoseconds: sums of whole numbers are exact, so that simultaneous events
// compare equal.

#include <algorithm>
#include <cmath>
#include <queue>
#include <tuple>
#include <utility>

#include "cost/logp_processors.hpp"
#include "model/step_order.hpp"

namespace schedcc {

namespace {

constexpr double ticks = 1e12;  // of a second

double in_ticks(double seconds) {
  const double value = seconds * ticks, whole = std::round(value);
  return std::abs(value - whole) <= 1e-9 * std::max(1.0, whole) ? whole : value;
}

CostModel in_ticks(CostModel model) {
  for (double* time : {&model.L, &model.o, &model.g, &model.G}) *time = in_ticks(*time);
  return model;
}

class ArrivalClock : public Clock {
 public:
  ArrivalClock(const CostModel& model, Machine machine, ExtraOf extra, bool record)
      : model_(in_ticks(model)), machine_(std::move(machine)), processors_(model_, extra, record) {}

  void step(std::uint64_t number, std::uint32_t, std::span<const SizedMessage> messages) override {
    for (const SizedMessage& m : messages) messages_.push_back({number, m, {}, 0, 0, false, false});
  }

  /// No lower bound is known before all messages are.
  double so_far() const override { return 0; }
  double finish() override {
    post_all();
    while (!events_.empty()) {
      const Event event = events_.top();
      events_.pop();
      handle(event);
    }
    return processors_.end() / ticks;
  }

  std::vector<TimedMessage> critical_path() const override {
    std::vector<TimedMessage> path = processors_.critical_path();
    for (TimedMessage& m : path) m.start /= ticks, m.end /= ticks;
    return path;
  }

 private:
  struct Message {
    std::uint64_t step;
    SizedMessage sized;
    LogpProcessors::Flight flight;
    std::size_t sender, receiver;  ///< in `programs_`
    bool posted, arrived;          ///< its receive, and the message itself
  };
  struct Operation {
    Rank rank;
    bool receive;
    std::uint64_t begin;  ///< its step; on a logp machine the cycle in which it begins
    std::size_t message;
  };
  /// The program of a rank: its operations up to `next` are posted, `open` of them have not ended.
  struct Program {
    std::size_t next, end;
    std::size_t open = 0, posted = 0;
  };
  enum class Kind : std::uint8_t { send, receive, message, barrier };
  struct Event {
    double time;
    std::uint64_t order;
    Kind kind;
    std::size_t index;  ///< of a message; of a barrier's program
    bool operator>(const Event& other) const {
      return std::tie(time, order) > std::tie(other.time, other.order);
    }
  };

  /// Sorts the operations by rank, as format/table.hpp does, and posts the first.
  void post_all() {
    const bool cycles = machine_.timing() != nullptr;
    const std::uint64_t delay = machine_.receive_delay();
    for (std::size_t i = 0; i < messages_.size(); ++i) {
      const Message& m = messages_[i];
      operations_.push_back({m.sized.src, false, m.step, i});
      operations_.push_back({m.sized.dst, true, m.step + delay, i});
    }
    std::ranges::stable_sort(operations_, {}, [&](const Operation& o) {
      return std::tuple(o.rank, o.begin, o.receive != cycles);
    });
    for (std::size_t i = 0; i < operations_.size(); ++i) {
      if (i == 0 || operations_[i - 1].rank != operations_[i].rank) programs_.push_back({i, i});
      programs_.back().end = i + 1;
      Message& m = messages_[operations_[i].message];
      (operations_[i].receive ? m.receiver : m.sender) = programs_.size() - 1;
    }
    for (std::size_t p = 0; p < programs_.size(); ++p) proceed(p);
  }

  void add(double time, Kind kind, std::size_t index) {
    events_.push({time, ++order_, kind, index});
  }

  std::size_t group_end(const Program& program) const {
    std::size_t end = program.next + (program.next < program.end ? 1 : 0);
    while (!machine_.timing() && end < program.end &&
           operations_[end].begin == operations_[program.next].begin) {
      ++end;
    }
    return end;
  }

  /// All operations that program p has posted have ended.
  void proceed(std::size_t p) {
    Program& program = programs_[p];
    const std::size_t group = group_end(program) - program.next;
    if (group == 0) return;
    if (through_barrier(std::exchange(program.posted, group), group)) {
      add(processors_.free_from(operations_[program.next].rank), Kind::barrier, p);
    } else {
      post(program);
    }
  }

  void post(Program& program) {
    const std::size_t end = group_end(program);
    program.open = end - program.next;
    for (; program.next < end; ++program.next) {
      const Operation& o = operations_[program.next];
      add(o.receive ? processors_.free_from(o.rank) : processors_.sends_from(o.rank),
          o.receive ? Kind::receive : Kind::send, o.message);
    }
  }

  void ended(std::size_t p) {
    if (--programs_[p].open == 0) proceed(p);
  }

  void handle(Event event) {
    const double from = possible(event);
    if (from > event.time) {
      event.time = from;
      events_.push(event);
      return;
    }
    if (event.kind == Kind::barrier) return post(programs_[event.index]);
    Message& m = messages_[event.index];
    if (event.kind == Kind::send) {
      m.flight = processors_.send(m.step, m.sized);
      add(m.flight.first, Kind::message, event.index);
      ended(m.sender);
      return;
    }
    if (event.kind == Kind::message)
      processors_.receive(m.flight, LogpProcessors::FirstPart::occupies);
    (event.kind == Kind::message ? m.arrived : m.posted) = true;
    if (m.arrived && m.posted) ended(m.receiver);
  }

  double possible(const Event& event) {
    switch (event.kind) {
      case Kind::send:
        return processors_.sends_from(messages_[event.index].sized.src);
      case Kind::message:
        return processors_.receives_from(messages_[event.index].sized.dst);
      case Kind::barrier:
        return processors_.free_from(operations_[programs_[event.index].next].rank);
      case Kind::receive:
        break;
    }
    return event.time;
  }

  CostModel model_;
  Machine machine_;
  LogpProcessors processors_;
  std::vector<Message> messages_;
  std::vector<Operation> operations_;
  std::vector<Program> programs_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::uint64_t order_ = 0;
};

}  // namespace

std::unique_ptr<Clock> logp_arrival(const CostModel& model, const Machine& machine, ExtraOf extra,
                                    bool record) {
  return std::make_unique<ArrivalClock>(model, machine, extra, record);
}

}  // namespace schedcc
