// Pipelines. The steps of a broadcast from one rank, the root, are divided into phases of q =
// ceil(log2 P) rounds, which are all alike: the same messages, with packets that rise by q from
// phase to phase. A packet belongs to one of q classes, by its number modulo q. In round i of a
// phase the root sends the packet of class i of this phase; every other rank receives one packet in
// every round, one of every class in a phase, of this phase or of the one before. The classes of
// which it receives those of this phase are fresh at that rank, the same in every phase.
//
//     message(u, v, i)  in round i rank u sends to v
//     gets(v, j, i)     the packet that v receives in round i is of class j
//     fresh(v, j)       it is of the same phase; otherwise of the one before
//     got(v, j, i)      v has received that of class j before round i
//     new(v, j, i)      fresh and got
//     old(v, j, i)      fresh or got
//
// When a phase begins a rank has the packets of all earlier phases, but for those of the last one
// in classes that are not fresh at it. So in round i it can send the packets of this phase in the
// classes that are new, and those of the one before in the classes that are old. With that every
// phase begins like the first. The last phase begins with step K - 1, in which the
// root sends the last packet, K - 1. Packets with higher numbers are replaced by that one, and
// there are none below 0. Each rank has a fresh class, so that it gets packet K - 1, and has all
// others: after K - 1 + q steps, which is the bound for one port.
//
// The ranks at which a class is new double at most in each round after the root has sent it, which
// the clauses say although it follows from them. Channels limit the messages of each round.
// Messages may be restricted to the rows and columns of the machine: then a formula is smaller, and
// a model is found sooner, if there is one. In general the formula has P^2 q variables for
// messages, and P q^2 for classes, whatever the number of packets; the factors of a transfer are
// two variables. Without channels the circulant graphs of Träff (doi 10.1145/3735139) are models
// for every P.

#include "prove/sat/clauses/pipeline.hpp"

#include <algorithm>
#include <bit>
#include <memory>
#include <utility>

#include "prove/sat/clauses/repeated.hpp"
#include "prove/sat/question/packets.hpp"
#include "prove/sat/question/round_messages.hpp"

namespace schedcc::prover {

namespace {

class Pipeline {
 public:
  Pipeline(const Instance& instance, Packets packets, const PipelineLines& lines)
      : instance_(instance),
        packets_(std::move(packets)),
        lines_(lines),
        root_(packets_.deliveries.front().sources.front()),
        q_(static_cast<std::uint64_t>(std::bit_width(instance.ranks - 1))) {}

  std::uint64_t steps() const { return last() + q_; }
  std::uint64_t messages() const { return instance_.arcs.size() * q_; }

  void encode(Formula& formula) {
    const std::size_t places = instance_.ranks * q_;
    gets_.assign(places, Literals(q_, Formula::no));
    fresh_.assign(places, Formula::no);
    old_.assign(places, Literals(q_, Formula::no));
    new_.assign(places, Literals(q_, Formula::no));
    for (Rank v = 0; v < instance_.ranks; ++v) {
      if (v != root_) receive(v, formula);
    }
    for (std::uint64_t i = 0; i < q_; ++i) round(i, formula);
    for (std::uint64_t j = 0; j < q_; ++j) grow(j, formula);
  }

  std::shared_ptr<const Schedule> schedule(const Model& model) const {
    auto result = std::make_shared<Schedule>();
    std::vector<std::vector<bool>> holds(instance_.ranks,
                                         std::vector<bool>(packets_.chunks.size()));
    for (std::uint64_t t = 0; t < steps(); ++t) {
      result->begin_step(t);
      // The phase of the step began q_ - i rounds before the next one.
      const std::uint64_t i = (t + q_ * (last() / q_ + 1) - last()) % q_;
      for (std::size_t a = 0; a < instance_.arcs.size(); ++a) {
        const Arc& arc = instance_.arcs[a];
        if (!is_true(messages_[i][a], model)) continue;
        for (std::uint64_t j = 0; j < q_; ++j) {
          if (!is_true(gets(arc.to, j, i), model)) continue;
          const std::uint64_t before = i + (is_true(fresh(arc.to, j), model) ? 0 : q_);
          if (t + j < before) continue;  // there is no such packet
          const std::uint64_t packet = std::min(t + j - before, last());
          if (holds[arc.to][packet]) continue;
          holds[arc.to][packet] = true;
          for (const Chunk c : packets_.chunks[packet]) result->add(copy(arc.from, arc.to, c));
        }
      }
    }
    return result;
  }

 private:
  std::uint64_t last() const { return packets_.chunks.size() - 1; }
  std::size_t place(Rank v, std::uint64_t j) const { return v * q_ + j; }
  Literal gets(Rank v, std::uint64_t j, std::uint64_t i) const { return gets_[place(v, j)][i]; }
  Literal fresh(Rank v, std::uint64_t j) const { return fresh_[place(v, j)]; }

  /// The packets that rank v receives: one of each class, one in each round.
  void receive(Rank v, Formula& formula) {
    Literals classes;
    for (std::uint64_t j = 0; j < q_; ++j) {
      classes.push_back(fresh_[place(v, j)] = formula.variable("fresh", {v, j}));
      Literals& rounds = gets_[place(v, j)];
      for (std::uint64_t i = 0; i < q_; ++i) {
        rounds[i] = formula.variable("gets", {v, j, i});
        if (i < j) formula.add({-fresh(v, j), -rounds[i]});  // the root has not sent it yet
      }
      exactly_one(rounds, formula);
      hold(v, j, formula);
    }
    formula.add(classes);
    for (std::uint64_t i = 0; i < q_; ++i) {
      Literals received;
      for (std::uint64_t j = 0; j < q_; ++j) received.push_back(gets(v, j, i));
      exactly_one(received, formula);
    }
  }

  /// What rank v can send of a class, by round.
  void hold(Rank v, std::uint64_t j, Formula& formula) {
    Literal got = Formula::no;
    for (std::uint64_t i = 0; i < q_; ++i) {
      if (i > 0) got = either(got, gets(v, j, i - 1), formula);
      old_[place(v, j)][i] = either(got, fresh(v, j), formula);
      new_[place(v, j)][i] = -either(-got, -fresh(v, j), formula);
    }
  }

  /// A literal that is true exactly if one of the two is.
  static Literal either(Literal a, Literal b, Formula& formula) {
    if (a == Formula::no) return b;
    if (a == Formula::yes) return a;
    const Literal result = formula.fresh();
    formula.add({-a, result});
    formula.add({-b, result});
    formula.add({-result, a, b});
    return result;
  }

  /// The ranks at which class j is new, by round.
  void grow(std::uint64_t j, Formula& formula) const {
    std::uint64_t most = 1;
    for (std::uint64_t i = j + 1; i <= q_; ++i, most *= 2) {
      Literals ranks;
      for (Rank v = 0; v < instance_.ranks; ++v) {
        if (v != root_) ranks.push_back(i < q_ ? new_[place(v, j)][i] : fresh(v, j));
      }
      formula.at_most(ranks, most);
    }
  }

  /// The messages of a round, and what their senders need to have.
  void round(std::uint64_t i, Formula& formula) {
    RoundMessages messages(instance_);
    for (std::size_t a = 0; a < instance_.arcs.size(); ++a) {
      const Arc& arc = instance_.arcs[a];
      if (arc.to == root_ || !lines_.admit(arc, i)) continue;
      const Literal message = messages.add(a, i, formula);
      for (std::uint64_t j = 0; j < q_; ++j) send(message, arc, j, i, formula);
    }
    for (Rank v = 0; v < instance_.ranks; ++v) {
      formula.at_most(messages.sent(v), 1);
      if (v != root_) exactly_one(messages.received(v), formula);
    }
    formula.add(messages.sent(root_));
    messages.limit_channels(formula);
    messages_.push_back(std::move(messages).by_arc());
  }

  /// The sender of a message in round i, if that carries a packet of class j, has the packet.
  void send(Literal message, const Arc& arc, std::uint64_t j, std::uint64_t i, Formula& formula) {
    const Literal carries = gets(arc.to, j, i), is_fresh = fresh(arc.to, j);
    if (arc.from == root_) {
      formula.add({-message, -carries, i == j ? is_fresh : Formula::no});
      return;
    }
    formula.add({-message, -carries, old_[place(arc.from, j)][i]});
    formula.add({-message, -carries, -is_fresh, new_[place(arc.from, j)][i]});
  }

  const Instance instance_;
  const Packets packets_;
  const PipelineLines lines_;
  Rank root_;
  std::uint64_t q_;
  std::vector<Literals> gets_, old_, new_;  ///< by rank and class, then by round
  Literals fresh_;                          ///< by rank and class
  std::vector<Literals> messages_;          ///< by round, then by arc
};

}  // namespace

bool PipelineLines::admit(const Arc& arc, std::uint64_t round) const {
  const bool row = arc.from / columns == arc.to / columns;
  const bool column = arc.from % columns == arc.to % columns;
  switch (messages) {
    case Messages::rows_then_columns:
      return round < row_rounds ? row : column;
    case Messages::rows_or_columns:
      return row || column;
    case Messages::all:
      break;
  }
  return true;
}

Encoding encode_pipeline(const Instance& instance, const std::vector<Delivery>& chunks,
                         const PipelineLines& lines, const PollLimits& poll_limits) {
  return encode_repeated<Pipeline>(instance, chunks, poll_limits, lines);
}

}  // namespace schedcc::prover
