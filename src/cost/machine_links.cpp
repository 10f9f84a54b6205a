// The machine's own links: a message of b bytes takes the start-ups of the links of its route, and
//     the largest of min(n b, B) / bandwidth
// among them, n being the messages of its step that take the link, and B their bytes together: so
// messages that share a link share its bandwidth. Those of equal size end together; of a larger and
// smaller ones the larger ends when all bytes have passed, and the smaller ones, which have their
// share until then, after n b bytes.
//
// What switches copy or combine is one message on the links on which it counts as one.
//
// Where the machine states overheads, a rank is busy with its sends of a step, one after the other,
// that to the next rank first, and then with its receives, each when its message has arrived: its
// j-th send leaves j overheads after the start, and a message ends when its receive has ended. With
// several ports messages do not start together then, and a link takes them one after the other, in
// the order in which they leave.
//
// On a network that stores and forwards a message is one hop, over one link.
//
// Synchronous: a step takes as long as its slowest message; an idle step takes the least start-up.
// Asynchronous, on machines with ports: ranks wait for their messages in every step
// (waiting_clock.hpp); only messages of the same step share links. By induction over the steps no
// rank is later than the synchronous clock.
//
// Source: docs/cost.md, "Clocks".

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include <fmt/core.h>

#include "analysis/block_table.hpp"
#include "cost/clock.hpp"
#include "cost/send_order.hpp"
#include "cost/step_clock.hpp"
#include "cost/waiting_clock.hpp"
#include "machine/overheads.hpp"
#include "machine/step_routes.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

namespace {

bool one_send(const Machine& machine) {
  return machine.ports() != nullptr && machine.ports()->send == 1;
}

/// The clock of a machine with overheads: messages in the order in which ranks start them.
class InOrderOfSends : public Clock {
 public:
  explicit InOrderOfSends(std::unique_ptr<Clock> clock) : clock_(std::move(clock)) {}

  void step(std::uint64_t number, std::uint32_t rounds,
            std::span<const SizedMessage> messages) override {
    clock_->step(number, rounds, sorted(messages));
  }
  double so_far() const override { return clock_->so_far(); }
  double finish() override { return clock_->finish(); }
  std::vector<TimedMessage> critical_path() const override { return clock_->critical_path(); }
  std::span<const LinkTime> lines(std::span<const SizedMessage> messages) override {
    return clock_->lines(sorted(messages));
  }

 private:
  std::span<const SizedMessage> sorted(std::span<const SizedMessage> messages) {
    messages_ = in_order_of_sends(messages);
    return messages_;
  }

  std::unique_ptr<Clock> clock_;
  std::vector<SizedMessage> messages_;
};

std::unique_ptr<Clock> with_overheads(std::unique_ptr<Clock> clock, const Machine& machine) {
  if (!overheads_of(machine).any()) return clock;
  return std::make_unique<InOrderOfSends>(std::move(clock));
}

class SharedLinkTimes {
 public:
  explicit SharedLinkTimes(const Machine& machine)
      : machine_(machine),
        times_(*machine.link_times()),
        overheads_(overheads_of(machine)),
        in_order_(overheads_.any() && !one_send(machine)),
        loads_(times_.of.size()) {
    if (machine_.channels() != nullptr) routes_.emplace(*machine_.channels());
  }

  void begin(std::span<const SizedMessage> messages) {
    messages_ = messages;
    ++step_;
    if (overheads_.any()) count_sends();
    if (routes_) {
      routed_.clear();
      for (const SizedMessage& m : messages) routed_.push_back(m.routed());
      routes_->read(routed_);
    } else {
      hops_.clear();
      for (const SizedMessage& m : messages) hops_.push_back({link(m), 1});
    }
    for (std::size_t i = 0; i < messages.size(); ++i) {
      each_link(routes_ ? routes_->counted(i) : hop(i), [&](Load& load, std::uint64_t) {
        if (load.step != step_) load = {step_, 0, 0, 0};
        ++load.messages;
        load.bytes += static_cast<double>(messages[i].bytes);
      });
    }
  }

  /// Called once for each message, in their order.
  double end(std::size_t i, double start) {
    if (in_order_) return received(i, start, served_in_order(i, start), &Calls::received);
    const auto [startup, bytes] = under_way(i);
    return overheads_.any() ? received(i, start, startup + bytes, &Calls::received)
                            : start + (startup + bytes);
  }

  /// The same with a start at 0, without bytes and with all.
  LinkTime line(std::size_t i) {
    const LinkTime line = under_way(i);
    if (!overheads_.any()) return line;
    const Rank src = messages_[i].src;
    const double started = calls_[src].started;
    const double empty = received(i, 0, line.alpha, &Calls::received_empty);
    calls_[src].started = started;  // it is one send
    return {empty, received(i, 0, line.alpha + line.beta, &Calls::received) - empty};
  }

 private:
  struct Load {
    std::uint64_t step = 0, messages = 0;
    double bytes = 0;
    double free = 0;  ///< when it has taken the messages so far, if it takes them in order
  };
  /// The calls of a rank in a step: its sends, the overheads of those that have been started, and
  /// the end of its last receive, also of messages without bytes.
  struct Calls {
    double sends = 0, started = 0, received = 0, received_empty = 0;
  };

  void count_sends() {
    for (const SizedMessage& m : messages_) calls_[m.src] = calls_[m.dst] = {};
    for (const SizedMessage& m : messages_) ++calls_[m.src].sends;
  }

  /// The end of the receive of message i, whose step starts at `start`, and which is under way for
  /// so long; `last` is the end of the receive before it.
  double received(std::size_t i, double start, double under_way, double Calls::*last) {
    Calls& sender = calls_[messages_[i].src];
    sender.started += overheads_.send;
    const double arrival = start + sender.started + under_way;
    Calls& receiver = calls_[messages_[i].dst];
    const double sent = start + receiver.sends * overheads_.send;
    return receiver.*last = std::max({arrival, sent, receiver.*last}) + overheads_.receive;
  }

  /// After the end of its send: the start-ups, and what its bytes take.
  LinkTime under_way(std::size_t i) {
    const auto bytes = static_cast<double>(messages_[i].bytes);
    LinkTime result{0, 0};
    each_link(routes_ ? routes_->route(i) : hop(i), [&](const Load& load, std::uint64_t link) {
      const auto& [alpha, beta] = times_.of[link];
      result.alpha += alpha;
      const double shared = static_cast<double>(load.messages) * bytes;
      result.beta = std::max(result.beta, beta * std::min(shared, load.bytes));
    });
    return result;
  }

  /// The same from the end of its send, if links take their messages in order. Each link passes on
  /// what it has received so far, and is not held up by the others.
  double served_in_order(std::size_t i, double start) {
    const auto bytes = static_cast<double>(messages_[i].bytes);
    const double sent = start + calls_[messages_[i].src].started + overheads_.send;
    double last = sent, latencies = 0;
    each_link(routes_ ? routes_->route(i) : hop(i), [&](Load& load, std::uint64_t link) {
      const auto& [alpha, beta] = times_.of[link];
      latencies += alpha;
      load.free = std::max(load.free, sent) + beta * bytes;
      last = std::max(last, load.free);
    });
    return last + latencies - sent;
  }

  std::uint64_t link(const SizedMessage& m) const {
    const auto link = machine_.network()->link(m.src, m.dst);
    if (link) return link->index;
    throw InputError(fmt::format("there is no link from {} to {} on {}",
                                 machine_.network()->describe(m.src),
                                 machine_.network()->describe(m.dst), machine_.spec()));
  }
  std::span<const Channels::Run> hop(std::size_t i) const { return std::span(hops_).subspan(i, 1); }

  /// Calls f(load, link) for the links of these runs.
  template <typename F>
  void each_link(std::span<const Channels::Run> runs, F f) {
    for (const Channels::Run& run : runs) {
      for (std::uint64_t k = 0; k < run.count; ++k) f(loads_[run.first + k], run.first + k);
    }
  }

  Machine machine_;
  const LinkTimes& times_;
  Overheads overheads_;
  bool in_order_;            ///< do links take messages one after the other?
  NodeArray<Calls> calls_;   ///< by rank
  std::vector<Load> loads_;  ///< by link
  std::uint64_t step_ = 0;   ///< numbered 1, 2, ...
  std::span<const SizedMessage> messages_;
  std::vector<RoutedMessage> routed_;
  std::optional<StepRoutes> routes_;  ///< on machines with ports
  std::vector<Channels::Run> hops_;   ///< on others: the link of each message
};

}  // namespace

extern const CostModelEntry machine_model;
const CostModelEntry machine_model{
    .name = "machine",
    .summary =
        "the latency and bandwidth of the machine's own links; messages that share a link "
        "share its bandwidth",
    .source = "docs/cost.md",
    .parameters = {},
    .make =
        [](const Parameters&) {
          CostModel model;
          model.step_time = StepTime::links;
          model.of_machine = true;
          return model;
        },
    .reason = [](const Machine& machine) { return without_link_times(machine); },
    .synchronous = [](const CostModel&, const Machine& machine) -> std::unique_ptr<Clock> {
      return with_overheads(std::make_unique<StepClock<SharedLinkTimes>>(
                                SharedLinkTimes(machine), machine.link_times()->least.alpha),
                            machine);
    },
    .asynchronous = [](const CostModel&, const Machine& machine,
                       bool record) -> std::unique_ptr<Clock> {
      if (machine.routed()) return nullptr;  // their steps are a clock that all links share
      return with_overheads(
          std::make_unique<WaitingClock<SharedLinkTimes>>(SharedLinkTimes(machine), record),
          machine);
    },
    // With several receives a rank waits for the first or is busy with it, depending on x.
    .profiles =
        [](const Machine& machine) { return !overheads_of(machine).any() || one_send(machine); },
};

std::optional<std::string> against_switches(const Machine& machine) {
  if (!machine.in_network().any()) return std::nullopt;
  return "its messages have one source and one destination, but the machine's switches copy or "
         "combine messages; the models alpha-beta and machine can time these";
}

std::optional<std::string> without_link_times(const Machine& machine) {
  if (machine.link_times() != nullptr) return std::nullopt;
  return "its links have no latency and bandwidth; topologies of version 2 state them ('schedcc "
         "list machines --files'), and for others there are --alpha and --beta, or another --model";
}

}  // namespace schedcc
