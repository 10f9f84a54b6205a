// Exchanges of nested groups (nested_exchange.cpp) have groups of 2, 4, ..., 2^q roles. Here only
// pairs are groups: 2^(q-1) of them, two neighbours with a role each, or one rank with both.
//
// One rank of a pair leads. It has the pair's label, a packet of age q - 1 at most, and the other
// rank the packet of age q (the root, as if of age 0, leads its pair). In a step
//
// - the leader sends its label to another pair, where the other rank receives it. That is a label
//   of age q - 1 for a pair with a younger one, and a younger one for a pair whose label has this
//   age: there the other rank leads from now on;
// - the other rank sends its packet to the leader, so that both have it.
//
// Afterwards the ranks that do not lead have the packet that has age q now: what they received, or
// what they led with. So packets go from pair to pair as on 2^(q-1) ranks, and a step later
// everybody has them: K packets take K - 1 + q - 1 steps and, for what the ranks of a pair still
// owe each other, one more. The root takes nothing, and nobody has to send the packet of age q - 1
// to its pair if it is one rank.
//
// In the first steps pairs without labels receive the first one, at either rank. From step K on the
// last packet is the label in the place of all later ones, as in exchange_windows.cpp.
//
// The formula of all steps has the label of each pair, which of its ranks leads, and the messages
// between pairs as walks from channel to channel.
//
// Groups of 2^i neighbouring pairs may be mixed as nested groups are: one pair of each has a label
// younger than age q - i. That is a guess, with which models are found in a tenth of the time. The
// more levels of groups are mixed, and the sooner, the fewer models there are; on meshes of two
// rows and nearly 2^(q-1) columns there are none if groups of two pairs are mixed from step q on
// and those of four from step q + 2 on, and there are if they are from steps q + 3 and q + 4 on.

#include "prove/sat/clauses/pair_exchange.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <optional>
#include <utility>

#include "prove/sat/clauses/repeated.hpp"
#include "prove/sat/clauses/step_messages.hpp"
#include "prove/sat/exchange/exchange_run.hpp"
#include "prove/sat/question/packets.hpp"

namespace schedcc::prover {

namespace {

class PairExchange {
 public:
  PairExchange(Instance instance, Packets packets, std::vector<RankPair> pairs,
               MixedFrom mixed_from)
      : instance_(std::move(instance)),
        packets_(std::move(packets)),
        pairs_(std::move(pairs)),
        mixed_from_(std::move(mixed_from)),
        root_(packets_.deliveries.front().sources.front()),
        q_(static_cast<std::uint64_t>(std::bit_width(instance_.ranks - 1))) {
    for (std::size_t a = 0; a < instance_.arcs.size(); ++a) {
      if (instance_.arcs[a].to != root_) arcs_.push_back(a);
    }
  }

  std::uint64_t steps() const { return exchange_steps(instance_.ranks, count()); }
  std::uint64_t messages() const { return arcs_.size() * steps(); }

  void encode(Formula& formula) {
    message_arcs_.emplace(MessageArcs{instance_, arcs_});
    begin(formula);
    for (std::uint64_t t = 0; t + 1 < steps(); ++t) step(t, formula);
  }

  std::shared_ptr<const Schedule> schedule(const Model& model) const {
    ExchangeSteps result(packets_, instance_.ranks);
    for (std::uint64_t t = 0; t < steps(); ++t, result.advance()) {
      send_inside(t, model, result);
      if (t + 1 == steps()) continue;
      for (const auto& [from, to] : messages_[t].ends(model)) {
        const Literals& got = got_[t][pair_[to]];
        for (std::size_t p = 0; p < got.size(); ++p) {
          if (is_true(got[p], model))
            result.send(from, to, static_cast<std::int64_t>(oldest(t) + p));
        }
      }
    }
    return result.schedule();
  }

 private:
  std::size_t count() const { return packets_.chunks.size(); }
  bool single(std::size_t i) const { return pairs_[i].first == pairs_[i].second; }
  bool has_root(std::size_t i) const { return i == pair_[root_]; }
  /// Have all pairs labels when step t begins?
  bool all_have_labels(std::uint64_t t) const { return t + 1 >= q_; }
  /// The first and the last packet of the labels when step t begins, with the root's new one.
  std::uint64_t oldest(std::uint64_t t) const { return all_have_labels(t) ? t + 1 - q_ : 0; }
  std::uint64_t youngest(std::uint64_t t) const { return std::min<std::uint64_t>(t, count() - 1); }
  /// Has the pair the label of age q - 1 when step t begins?
  Literal has_oldest(std::size_t i, std::uint64_t t) const {
    return all_have_labels(t) ? labels_[t][i].front() : Formula::no;
  }
  Literal leads(Rank v, std::uint64_t t) const {
    const std::size_t i = pair_[v];
    if (single(i)) return Formula::yes;
    return v == pairs_[i].second ? second_leads_[t][i] : -second_leads_[t][i];
  }

  /// The labels when the first step begins: the root's alone.
  void begin(Formula& formula) {
    labels_.emplace_back();
    second_leads_.emplace_back();
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      labels_[0].push_back({has_root(i) ? Formula::yes : Formula::no});
      second_leads_[0].push_back(has_root(i) ? root_leads(i) : formula.variable("second", {i, 0}));
    }
  }
  Literal root_leads(std::size_t i) const {
    return pairs_[i].second == root_ ? Formula::yes : Formula::no;
  }

  void step(std::uint64_t t, Formula& formula) {
    const std::size_t packets = youngest(t) - oldest(t) + 1;
    got_.emplace_back(pairs_.size(), Literals(packets, Formula::no));
    labels_.emplace_back(pairs_.size(), Literals(youngest(t + 1) - oldest(t + 1) + 1, Formula::no));
    second_leads_.emplace_back(pairs_.size(), Formula::no);
    messages_.emplace_back(*message_arcs_, packets, t, formula);
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      if (has_root(i)) {
        take_with_root(i, t);
      } else {
        take(i, t, formula);
        lead(i, t, formula);
      }
      exchange(i, t, formula);
      if (t >= q_ && !single(i) && !has_root(i)) reserve_inside(pairs_[i], t, formula);
    }
    std::vector<Literals> holds, gets;
    for (Rank v = 0; v < instance_.ranks; ++v) {
      holds.push_back(labels_[t][pair_[v]]);
      gets.push_back(got_[t][pair_[v]]);
    }
    messages_[t].carry(holds, gets, formula);
    mix(t, formula);
  }

  /// The rank beside the root receives the packet of age q - 1 in each step.
  void take_with_root(std::size_t i, std::uint64_t t) {
    if (!single(i) && all_have_labels(t)) got_[t][i].front() = Formula::yes;
    labels_[t + 1][i].back() = Formula::yes;
    second_leads_[t + 1][i] = root_leads(i);
  }

  /// What a pair receives, and its next label: its label, unless that is the oldest, or what it
  /// gets in its place.
  void take(std::size_t i, std::uint64_t t, Formula& formula) {
    Literals one;
    for (std::uint64_t p = oldest(t); p <= youngest(t); ++p) {
      const Literal label = labels_[t][i][p - oldest(t)];
      Literal& got = got_[t][i][p - oldest(t)];
      if (p < oldest(t + 1)) {
        got = -label;
        continue;
      }
      got = formula.variable("got", {i, p, t});
      const Literal next = formula.variable("label", {i, p, t + 1});
      labels_[t + 1][i][p - oldest(t + 1)] = next;
      formula.add({-next, label, got});
      formula.add({-label, next});
      formula.add({-got, next});
      one.insert(one.end(), {label, got});
    }
    formula.at_most(one, 1);
    if (all_have_labels(t + 1)) formula.add(one);
  }

  /// Who leads next: the other rank, if the label was the oldest.
  void lead(std::size_t i, std::uint64_t t, Formula& formula) {
    if (single(i)) return;
    const Literal now = second_leads_[t][i], next = formula.variable("second", {i, t + 1});
    second_leads_[t + 1][i] = next;
    for (const Literal label : labels_[t][i])
      equal_if(label, now, label == has_oldest(i, t) ? -next : next, formula);
    for (const Rank v : {pairs_[i].first, pairs_[i].second}) {
      for (const Literal received : messages_[t].received(v))
        formula.add({-received, all_have_labels(t) ? -leads(v, t) : leads(v, t + 1)});
    }
  }

  /// Leaders send their labels, and what pairs get they receive.
  void exchange(std::size_t i, std::uint64_t t, Formula& formula) {
    Literals sent = messages_[t].sent(pairs_[i].first);
    Literals received = messages_[t].received(pairs_[i].first);
    if (!single(i)) {
      for (const Literal message : messages_[t].sent(pairs_[i].second)) sent.push_back(message);
      for (const Literal message : messages_[t].received(pairs_[i].second))
        received.push_back(message);
      for (const Rank v : {pairs_[i].first, pairs_[i].second}) {
        for (const Literal message : messages_[t].sent(v)) formula.add({-message, leads(v, t)});
      }
    }
    formula.at_most(sent, 1);
    formula.at_most(received, 1);
    for (const Literal label : labels_[t][i]) {
      if (label != has_oldest(i, t)) any_if(label, sent, formula);
    }
    for (const Literal got : got_[t][i]) any_if(got, received, formula);
  }

  /// The channels by which the other rank sends to the leader are not free.
  void reserve_inside(const RankPair& pair, std::uint64_t t, Formula& formula) const {
    for (const auto& [leader, other] : {RankPair{pair.second, pair.first}, pair}) {
      for (const std::size_t channel : instance_.arcs[arc_[other][leader]].channels) {
        for (const Literal message : messages_[t].over(channel))
          formula.add({-leads(leader, t), -message});
      }
    }
  }

  /// One pair of each mixed group has a label younger than all others.
  void mix(std::uint64_t t, Formula& formula) const {
    for (std::size_t i = 0; i < mixed_from_.size(); ++i) {
      const std::size_t size = std::size_t{2} << i;
      const std::uint64_t younger = i + 1;  // than the oldest label, by so many packets
      if (t < q_ + mixed_from_[i] || oldest(t) + younger >= count()) continue;
      for (std::size_t first = 0; first + size <= pairs_.size(); first += size) {
        Literals young;
        for (std::size_t pair = first; pair < first + size; ++pair) {
          const Literals& label = labels_[t][pair];
          young.insert(young.end(), label.begin() + static_cast<std::ptrdiff_t>(younger),
                       label.end());
        }
        exactly_one(young, formula);
      }
    }
  }

  /// What the ranks of pairs send each other in step t.
  void send_inside(std::uint64_t t, const Model& model, ExchangeSteps& steps) const {
    const auto now = static_cast<std::int64_t>(t);
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      if (single(i)) continue;
      auto [leader, other] = pairs_[i];
      if (is_true(second_leads_[t][i], model)) std::swap(leader, other);
      if (leader != root_) steps.send(other, leader, now - static_cast<std::int64_t>(q_));
      if (t + 1 == this->steps()) steps.send(leader, other, now);
    }
  }

  std::vector<std::size_t> pair_of_each() const {
    std::vector<std::size_t> result(instance_.ranks);
    for (std::size_t i = 0; i < pairs_.size(); ++i)
      result[pairs_[i].first] = result[pairs_[i].second] = i;
    return result;
  }

  const Instance instance_;
  const Packets packets_;
  const std::vector<RankPair> pairs_;
  const MixedFrom mixed_from_;
  const Rank root_;
  const std::uint64_t q_;
  const std::vector<std::size_t> pair_ = pair_of_each();  ///< by rank
  const std::vector<std::vector<std::size_t>> arc_ = arcs_by_ends(instance_);
  std::vector<std::size_t> arcs_;            ///< all but those to the root
  std::optional<MessageArcs> message_arcs_;  ///< of these
  // By step, then by pair; labels and what pairs get then by packet, the oldest first.
  std::vector<std::vector<Literals>> labels_, got_;
  std::vector<Literals> second_leads_;
  std::deque<StepMessages> messages_;  ///< by step
};

/// The ranks of a grid in pairs of neighbours, in order along its longer side; the last one may be
/// alone.
std::vector<RankPair> dominoes(const RankRows& grid) {
  const bool wide = grid.rows <= grid.columns;
  const std::uint64_t length = std::max(grid.rows, grid.columns);
  const std::uint64_t width = std::min(grid.rows, grid.columns);
  const auto rank = [&](std::uint64_t along, std::uint64_t across) {
    return static_cast<Rank>(wide ? across * grid.columns + along : along * grid.columns + across);
  };
  std::vector<RankPair> result;
  for (std::uint64_t i = 0; i < length; ++i) {
    for (std::uint64_t j = 0; j + 1 < width; j += 2) result.push_back({rank(i, j), rank(i, j + 1)});
    if (width % 2 == 0) continue;
    const bool last = i + 1 == length;
    if (i % 2 == 1) result.push_back({rank(i - 1, width - 1), rank(i, width - 1)});
    if (i % 2 == 0 && last) result.push_back({rank(i, width - 1), rank(i, width - 1)});
  }
  return result;
}

}  // namespace

std::vector<RankPair> rank_pairs(const RankRows& grid) {
  const std::uint64_t ranks = grid.rows * grid.columns;
  const std::vector<RankPair> all = dominoes(grid);
  const std::size_t pairs = ranks / 2;  // but a last rank that is alone
  const std::size_t cut = std::bit_ceil(ranks) / 2 - all.size();
  std::vector<RankPair> result;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto [first, second] = all[i];
    if (i < pairs && i * cut % pairs < cut) {
      result.push_back({first, first});
      result.push_back({second, second});
    } else {
      result.push_back(all[i]);
    }
  }
  return result;
}

Encoding encode_pair_exchange(const Instance& instance, const std::vector<Delivery>& chunks,
                              const RankRows& grid, const MixedFrom& mixed_from,
                              const PollLimits& poll_limits) {
  return encode_repeated<PairExchange>(instance, chunks, poll_limits, rank_pairs(grid), mixed_from);
}

}  // namespace schedcc::prover
