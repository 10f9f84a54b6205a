// Broadcasts by one port whose root sends packet t in step t:
//
//     message(u, v, t)  u sends to v in step t
//     gets(v, p, t)     v receives packet p in step t
//     has(v, p, t)      v holds it when step t begins
//
// A message and its packet are two variables, instead of one for each sender, receiver and packet.
// A rank lacks no more packets than there are steps left, and little can be lost
// (broadcast_slack.cpp), or, where that is more than half as much as there are ranks,
// holder_numbers.cpp bounds how many ranks hold each packet: the clauses say so, since solvers do
// not count. Where only short messages are sought they say the first alone: with more, some
// schedules take several times as long to find.
//
// In T = K - 1 + q steps, with q = ceil(log2 P), every schedule is one of these, if packets are
// numbered as the root sends them first. For the ranks that have a packet at most double in a step,
// so that one that the root first sends with fewer than q steps left does not reach all. So the
// root sends a new packet in each of the steps 0 to K - 1. If packets are single chunks the formula
// of all messages decides the question.
//
// Where each channel carries one message, these are walks from channel to channel instead
// (channel_walks.cpp).
//
// Short messages. On a ring of one-port ranks whose every rank sends and receives in a step, no
// rank is passed by more than one message: one that sends and receives in the same direction uses
// the channels of that direction on both sides, and one that turns leaves those behind it idle. So
// messages take two channels on average at most, and where a long one passes, all others are short.
// Messages of a few channels leave a smaller formula: trees that double in each step need few
// longer ones. Messages without channels that limit them, as on other machines, are short, too.
//
// At the bound all ranks but the root receive in each step from step q on, and have one packet
// before. One that receives nothing in such a step has two before, which few ranks can have while
// the first packets double. That is a guess, with which messages on rings of 33 to 40 ranks are
// found in 0.5 to 0.8 of the time. It excludes schedules, and all of 8 packets on a path of 19
// ranks; with a step more, where ports have some to spare, it hinders finding one on that path.

#include "prove/sat/clauses/broadcast_messages.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <utility>

#include "prove/sat/clauses/broadcast_slack.hpp"
#include "prove/sat/clauses/holder_numbers.hpp"
#include "prove/sat/clauses/repeated.hpp"
#include "prove/sat/clauses/step_messages.hpp"
#include "prove/sat/exchange/exchange_run.hpp"
#include "prove/sat/question/packets.hpp"

namespace schedcc::prover {

namespace {

class BroadcastMessages {
 public:
  /// `most_channels`: those that a message takes; none: any number.
  BroadcastMessages(Instance instance, Packets packets, std::optional<std::size_t> most_channels)
      : instance_(std::move(instance)),
        packets_(std::move(packets)),
        most_channels_(most_channels),
        root_(packets_.deliveries.front().sources.front()) {
    for (std::size_t a = 0; a < instance_.arcs.size(); ++a) {
      if (admits(instance_.arcs[a])) arcs_.push_back(a);
    }
  }

  std::uint64_t steps() const { return instance_.steps; }
  std::uint64_t messages() const { return arcs_.size() * steps(); }

  void encode(Formula& formula) {
    if (steps() < exchange_steps(instance_.ranks, count())) return formula.add({});  // the bound
    std::optional<HolderNumbers> numbers;
    std::optional<BroadcastSlack> slack;
    if (!most_channels_ && broadcast_slack(instance_.ranks) <= instance_.ranks / 2) {
      slack.emplace(root_, instance_.ranks, count(), formula);
    } else if (!most_channels_) {
      numbers.emplace(instance_.ranks, count(), steps());
    }
    message_arcs_.emplace(MessageArcs{instance_, arcs_});
    holds_.emplace_back(instance_.ranks, Literals(count(), Formula::no));
    holds_.front()[root_].assign(count(), Formula::yes);
    for (std::uint64_t t = 0; t < steps(); ++t) {
      gets_.emplace_back(instance_.ranks, Literals(count(), Formula::no));
      holds_.push_back(holds_.back());
      for (Rank v = 0; v < instance_.ranks; ++v) {
        if (v != root_) receive(v, t, formula);
      }
      step(t, formula);
      if (slack) slack->step(t, holds_[t], holds_[t + 1], gets_[t], messages_[t]);
      for (std::size_t p = 0; numbers && p < count(); ++p)
        hold(p, t + 1, numbers->of(p, t + 1), formula);
    }
  }

  std::shared_ptr<const Schedule> schedule(const Model& model) const {
    auto result = std::make_shared<Schedule>();
    for (std::uint64_t t = 0; t < steps(); ++t) {
      result->begin_step(t);
      for (const auto& [from, to] : messages_[t].ends(model)) add(t, from, to, model, *result);
    }
    return result;
  }

 private:
  std::size_t count() const { return packets_.chunks.size(); }
  bool admits(const Arc& arc) const {
    return arc.to != root_ && arc.channels.size() <= most_channels_.value_or(SIZE_MAX);
  }

  /// Is it guessed that all ranks but the root receive in step t?
  bool all_receive(std::uint64_t t) const {
    return most_channels_ && steps() == exchange_steps(instance_.ranks, count()) &&
           t + count() > steps();
  }

  /// The packet that rank v receives in step t, and those that it holds then.
  void receive(Rank v, std::uint64_t t, Formula& formula) {
    Literals lacks;
    for (std::size_t p = 0; p < count(); ++p) {
      Literal& held = holds_.back()[v][p];
      if (p <= t) {
        const Literal before = held, gets = formula.variable("gets", {v, p, t});
        held = t + 1 == steps() ? Formula::yes : formula.variable("has", {v, p, t + 1});
        formula.add({-held, before, gets});
        formula.add({-before, held});
        formula.add({-gets, held});
        formula.add({-gets, -before});
        gets_[t][v][p] = gets;
      }
      lacks.push_back(-held);
    }
    formula.at_most(gets_[t][v], 1);
    formula.at_most(lacks, steps() - 1 - t);
  }

  /// How many ranks but the root hold packet p when step t begins.
  void hold(std::size_t p, std::uint64_t t, HolderNumbers::Range number, Formula& formula) const {
    if (t <= p || t == steps() || (number.least == 0 && number.most + 1 == instance_.ranks)) return;
    Literals holders;
    for (Rank v = 0; v < instance_.ranks; ++v) {
      if (v != root_) holders.push_back(holds_[t][v][p]);
    }
    const Literals more = formula.counted_exactly(holders, number.most + 1);
    if (number.most < holders.size()) formula.add({-more[number.most]});
    if (number.least > 0) formula.add({more[number.least - 1]});
  }

  /// The messages of a step, with those of the packets that the root has sent so far.
  void step(std::uint64_t t, Formula& formula) {
    messages_.emplace_back(*message_arcs_, std::min<std::uint64_t>(count(), t + 1), t, formula);
    const StepMessages& messages = messages_.back();
    for (Rank v = 0; v < instance_.ranks; ++v) {
      const Literals sent = messages.sent(v), received = messages.received(v);
      formula.at_most(sent, 1);
      formula.at_most(received, 1);
      if (v == root_ && t < count()) formula.add(sent);
      if (v != root_ && all_receive(t)) formula.add(received);
      for (const Literal gets : gets_[t][v]) {
        if (gets != Formula::no) any_if(gets, received, formula);
      }
    }
    std::vector<Literals> holds = holds_[t];
    if (t < count()) {  // the root sends the new packet
      holds[root_].assign(count(), Formula::no);
      holds[root_][t] = Formula::yes;
    }
    messages.carry(holds, gets_[t], formula);
  }

  /// The packet of a message to rank `to`.
  void add(std::uint64_t t, Rank from, Rank to, const Model& model, Schedule& schedule) const {
    for (std::size_t p = 0; p < count(); ++p) {
      if (!is_true(gets_[t][to][p], model)) continue;
      for (const Chunk c : packets_.chunks[p]) schedule.add(copy(from, to, c));
    }
  }

  const Instance instance_;
  const Packets packets_;
  const std::optional<std::size_t> most_channels_;
  const Rank root_;
  std::vector<std::size_t> arcs_;             ///< those that are admitted
  std::optional<MessageArcs> message_arcs_;   ///< of these
  std::vector<std::vector<Literals>> holds_;  ///< by step, one more, and rank, then by packet
  std::vector<std::vector<Literals>> gets_;   ///< by step and rank, then by packet
  std::deque<StepMessages> messages_;         ///< by step
};

}  // namespace

bool sends_in_order(const Instance& instance, const std::vector<Delivery>& chunks) {
  return instance.ranks > 1 && !instance.channels.empty() && takes_one_port(instance) &&
         width(instance) == 1 && is_broadcast(instance, chunks) &&
         instance.steps == exchange_steps(instance.ranks, chunks.size());
}

bool decided_by_messages(const Instance& instance, const std::vector<Delivery>& chunks) {
  return sends_in_order(instance, chunks) &&
         Saturating(instance.arcs.size()) * instance.steps <= most_rule_messages;
}

Encoding encode_messages(const Instance& instance, const std::vector<Delivery>& chunks,
                         const PollLimits& poll_limits) {
  return encode_by(std::make_shared<BroadcastMessages>(instance, packets(chunks, 1), std::nullopt),
                   poll_limits);
}

Encoding encode_short_messages(const Instance& instance, const std::vector<Delivery>& chunks,
                               std::size_t most_channels, const PollLimits& poll_limits) {
  Encoding result =
      encode_repeated<BroadcastMessages>(instance, chunks, poll_limits, most_channels);
  result.formula.need_luck();
  return result;
}

}  // namespace schedcc::prover
