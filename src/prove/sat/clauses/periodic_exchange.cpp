// Exchanges (exchange_run.cpp) whose messages are the same every q steps, so that q rounds describe
// all of them. A label is a packet; its class, its number modulo q, is enough: in round i the root
// sends the packet of class i, and the oldest label is that of class i as well, q steps before.
//
//     label(v, j, i)    when round i begins the label of rank v is of class j
//     message(u, v, i)  in round i rank u sends to v
//
// Every rank but the root receives one message in each round. It is from a rank with the oldest
// label to one with another, or the reverse; in the latter case the receiver takes the sender's
// label. It follows that there are 2^(a-1) labels of age a; clauses state it all the same, since
// solvers do not count.
// Channels limit the messages of each round.
//
// A model is a pipeline (pipeline.cpp) in which every packet has been everywhere after q + 1 steps.
// The formula has no variables for the classes that ranks have received, and models are often found
// sooner: on meshes.

#include "prove/sat/clauses/periodic_exchange.hpp"

#include <bit>
#include <memory>
#include <utility>

#include "prove/sat/clauses/repeated.hpp"
#include "prove/sat/exchange/exchange_run.hpp"
#include "prove/sat/question/packets.hpp"
#include "prove/sat/question/round_messages.hpp"

namespace schedcc::prover {

namespace {

class PeriodicExchange {
 public:
  PeriodicExchange(const Instance& instance, Packets packets)
      : instance_(instance),
        packets_(std::move(packets)),
        root_(packets_.deliveries.front().sources.front()),
        q_(static_cast<std::uint64_t>(std::bit_width(instance.ranks - 1))) {}

  std::uint64_t steps() const { return exchange_steps(instance_.ranks, packets_.chunks.size()); }
  std::uint64_t messages() const { return instance_.arcs.size() * q_; }

  void encode(Formula& formula) {
    labels_.assign(q_, std::vector<Literals>(instance_.ranks, Literals(q_, Formula::no)));
    for (std::uint64_t i = 0; i < q_; ++i) {
      for (Rank v = 0; v < instance_.ranks; ++v) {
        if (v == root_) continue;
        for (std::uint64_t j = 0; j < q_; ++j)
          label(v, j, i) = formula.variable("label", {v, j, i});
        exactly_one(labels_[i][v], formula);
      }
      for (std::uint64_t j = 0; j < q_; ++j) number(j, i, formula);
    }
    for (std::uint64_t i = 0; i < q_; ++i) round(i, formula);
  }

  std::shared_ptr<const Schedule> schedule(const Model& model) const {
    std::vector<std::uint64_t> ages(instance_.ranks);
    for (Rank v = 0; v < instance_.ranks; ++v) {
      for (std::uint64_t j = 0; j < q_; ++j) {
        if (v != root_ && is_true(labels_[0][v][j], model)) ages[v] = age(j, 0);
      }
    }
    ExchangeRun run(packets_, ages);
    for (std::uint64_t t = 0; !run.over(); ++t, run.advance()) {
      for (std::size_t a = 0; a < instance_.arcs.size(); ++a) {
        if (!is_true(messages_[t % q_][a], model)) continue;
        run.message(instance_.arcs[a].from, instance_.arcs[a].to);
      }
    }
    return run.schedule();
  }

 private:
  Literal& label(Rank v, std::uint64_t j, std::uint64_t i) { return labels_[i][v][j]; }
  /// Of the labels of class j when round i begins.
  std::uint64_t age(std::uint64_t j, std::uint64_t i) const { return q_ - (q_ + j - i) % q_; }

  /// The number of labels of class j when round i begins.
  void number(std::uint64_t j, std::uint64_t i, Formula& formula) const {
    Literals all;
    for (Rank v = 0; v < instance_.ranks; ++v) {
      if (v != root_) all.push_back(labels_[i][v][j]);
    }
    const std::uint64_t count = std::uint64_t{1} << (age(j, i) - 1);
    formula.at_most(all, count);
    if (i == j) formula.at_least(all, count);
  }

  void round(std::uint64_t i, Formula& formula) {
    RoundMessages messages(instance_);
    for (std::size_t a = 0; a < instance_.arcs.size(); ++a) {
      const Arc& arc = instance_.arcs[a];
      if (arc.to == root_) continue;
      const Literal message = messages.add(a, i, formula);
      pass(message, arc, i, formula);
    }
    for (Rank v = 0; v < instance_.ranks; ++v) {
      formula.at_most(messages.sent(v), 1);
      if (v == root_) continue;
      exactly_one(messages.received(v), formula);
      for (std::uint64_t j = 0; j < q_; ++j) {
        if (j != i) formula.add({-label(v, j, i), label(v, j, (i + 1) % q_)});
      }
    }
    formula.add(messages.sent(root_));
    messages.limit_channels(formula);
    messages_.push_back(std::move(messages).by_arc());
  }

  /// What a message of round i requires, and its receiver's label after it.
  void pass(Literal message, const Arc& arc, std::uint64_t i, Formula& formula) {
    const std::uint64_t next = (i + 1) % q_;
    const Literal to_oldest = label(arc.to, i, i);
    if (arc.from == root_) {
      formula.add({-message, to_oldest});
      formula.add({-message, label(arc.to, i, next)});
      return;
    }
    const Literal from_oldest = label(arc.from, i, i);
    formula.add({-message, from_oldest, to_oldest});
    formula.add({-message, -from_oldest, -to_oldest});
    for (std::uint64_t j = 0; j < q_; ++j) {
      if (j == i) continue;
      formula.add({-message, -label(arc.from, j, i), label(arc.to, j, next)});
      formula.add({-message, -to_oldest, -label(arc.to, j, next), label(arc.from, j, i)});
    }
  }

  const Instance instance_;
  const Packets packets_;
  Rank root_;
  std::uint64_t q_;
  std::vector<std::vector<Literals>> labels_;  ///< by round and rank, then by class
  std::vector<Literals> messages_;             ///< by round, then by arc
};

}  // namespace

Encoding encode_exchanges(const Instance& instance, const std::vector<Delivery>& chunks,
                          const PollLimits& poll_limits) {
  if (std::has_single_bit(instance.ranks))
    return encode_repeated<PeriodicExchange>(instance, chunks, poll_limits);
  return no_schedule(poll_limits);
}

}  // namespace schedcc::prover
