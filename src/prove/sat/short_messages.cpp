// Short messages. On a ring of one-port ranks whose every rank sends and receives in a step, no
// rank is passed by more than one message: one that sends and receives in the same direction uses
// the channels of that direction on both sides, and one that turns leaves those behind it idle. So
// messages take two channels on average at most, and where a long one passes, all others are short.
// Only messages of a few lengths, in channels, are therefore admitted, which leaves a small
// formula:
//
//     message(u, v, t)  u sends to v in step t
//     gets(v, p, t)     v receives packet p in step t
//     has(v, p, t)      v holds it when step t begins
//
// A message and its packet are two variables, instead of one for each sender, receiver and packet.
// Of the lengths that were tried 1, 2, 3 and 5 are the best: trees that double in each step need
// few longer ones. Messages without channels that limit them, as on other machines, are admitted,
// too.
//
// The root sends packet t in step t: in K - 1 + ceil(log2 P) steps it has to. A rank lacks no more
// packets than there are steps left: the clauses say so, since solvers do not count.

#include "prove/sat/short_messages.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "prove/sat/exchange_run.hpp"
#include "prove/sat/packets.hpp"
#include "prove/sat/repeated.hpp"

namespace schedcc::prover {

namespace {

/// The channels that messages take.
constexpr std::array<std::size_t, 5> lengths{0, 1, 2, 3, 5};

bool is_short(const Arc& arc) {
  return std::ranges::find(lengths, arc.channels.size()) != lengths.end();
}

class ShortMessages {
 public:
  ShortMessages(Instance instance, Packets packets)
      : instance_(std::move(instance)),
        packets_(std::move(packets)),
        root_(packets_.deliveries.front().sources.front()) {}

  std::uint64_t steps() const { return instance_.steps; }
  std::uint64_t messages() const {
    const auto admitted = std::ranges::count_if(instance_.arcs, is_short);
    return static_cast<std::uint64_t>(admitted) * steps();
  }

  void encode(Formula& formula) {
    if (steps() < exchange_steps(instance_.ranks, count())) return formula.add({});  // the bound
    holds_.emplace_back(instance_.ranks, Literals(count(), Formula::no));
    holds_.front()[root_].assign(count(), Formula::yes);
    for (std::uint64_t t = 0; t < steps(); ++t) {
      gets_.emplace_back(instance_.ranks, Literals(count(), Formula::no));
      holds_.push_back(holds_.back());
      for (Rank v = 0; v < instance_.ranks; ++v) {
        if (v != root_) receive(v, t, formula);
      }
      step(t, formula);
    }
  }

  std::shared_ptr<const Schedule> schedule(const std::vector<bool>& model) const {
    const auto is = [&](Literal l) { return model[static_cast<std::size_t>(l)]; };
    auto result = std::make_shared<Schedule>();
    for (std::uint64_t t = 0; t < steps(); ++t) {
      result->begin_step(t);
      for (std::size_t a = 0; a < instance_.arcs.size(); ++a) {
        if (messages_[t][a] == Formula::no || !is(messages_[t][a])) continue;
        const Arc& arc = instance_.arcs[a];
        for (std::size_t p = 0; p < count(); ++p) {
          const Literal gets = gets_[t][arc.to][p];
          if (gets == Formula::no || !is(gets)) continue;
          for (const Chunk c : packets_.chunks[p]) result->add(copy(arc.from, arc.to, c));
        }
      }
    }
    return result;
  }

 private:
  std::size_t count() const { return packets_.chunks.size(); }

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

  void step(std::uint64_t t, Formula& formula) {
    RoundMessages messages(instance_);
    for (std::size_t a = 0; a < instance_.arcs.size(); ++a) {
      const Arc& arc = instance_.arcs[a];
      if (arc.to == root_ || !is_short(arc)) continue;
      send(messages.add(a, t, formula), arc, t, formula);
    }
    for (Rank v = 0; v < instance_.ranks; ++v) {
      formula.at_most(messages.sent(v), 1);
      formula.at_most(messages.received(v), 1);
      for (const Literal gets : gets_[t][v]) {
        if (gets == Formula::no) continue;
        Literals from = messages.received(v);
        from.push_back(-gets);
        formula.add(from);
      }
    }
    if (t < count()) formula.add(messages.sent(root_));
    messages.limit_channels(formula);
    messages_.push_back(std::move(messages).by_arc());
  }

  /// A message has a packet, which its sender holds; the root's is the new one, if there is one.
  void send(Literal message, const Arc& arc, std::uint64_t t, Formula& formula) const {
    const Literals& gets = gets_[t][arc.to];
    Literals any = gets;
    any.push_back(-message);
    formula.add(any);
    for (std::size_t p = 0; p < count(); ++p) {
      if (gets[p] == Formula::no) continue;
      const bool old = arc.from == root_ && t < count() && p != t;
      formula.add({-message, -gets[p], old ? Formula::no : holds_[t][arc.from][p]});
    }
  }

  const Instance instance_;
  const Packets packets_;
  Rank root_;
  std::vector<std::vector<Literals>> holds_;  ///< by step, one more, and rank, then by packet
  std::vector<std::vector<Literals>> gets_;   ///< by step and rank, then by packet
  std::vector<Literals> messages_;            ///< by step, then by arc
};

}  // namespace

Encoding encode_short_messages(const Instance& instance, const std::vector<Delivery>& chunks,
                               const PollLimits& poll_limits) {
  return encode_repeated<ShortMessages>(instance, chunks, poll_limits);
}

}  // namespace schedcc::prover
