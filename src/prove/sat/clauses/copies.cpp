// Collectives without reductions: the chunks of each node in each step.
//
//     has(c, v, t)      node v holds chunk c when step t begins; has(c, v, steps) at the end
//     send(c, u, v, t)  chunk c goes from u to v in step t
//
// By the definition of docs/semantics.md, "Schedules", for every chunk, node and step:
//
//     send(c, u, v, t) -> has(c, u, t)              causality
//     has(c, v, t+1) <-> has(c, v, t) or some send(c, u, v, t)
//     at most one send(c, u, v, t) for all u        shape: a copy arrives alone
//     has(c, v, steps) where v wants c              delivery
//     the limits of traffic.cpp on the send(., u, v, t)
//
// The rest are hints (docs/prover.md): some schedule satisfies each whenever there is one.

#include "prove/sat/clauses/copies.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "prove/sat/bounds/counting.hpp"
#include "prove/sat/clauses/relaxation.hpp"
#include "prove/sat/question/symmetry.hpp"
#include "prove/sat/question/traffic.hpp"

namespace schedcc::prover {

namespace {

/// One variable, at a time, for all places of an orbit.
class OrbitVariables {
 public:
  explicit OrbitVariables(std::size_t places = 0) : orbits_(places) {}
  void join(std::size_t a, std::size_t b) { orbits_.join(a, b); }
  template <typename Make>
  Literal find(std::size_t place, std::uint64_t t, const Make& make) {
    const auto [known, fresh] = variables_.try_emplace({orbits_[place], t}, Formula::no);
    if (fresh) known->second = make();
    return known->second;
  }

 private:
  Orbits orbits_;
  std::map<std::pair<std::size_t, std::uint64_t>, Literal> variables_;
};

class Copies {
 public:
  Copies(std::shared_ptr<const CopyQuestion> copies, Hints hints)
      : copies_(std::move(copies)),
        instance_(copies_->instance),
        chunks_(copies_->chunks),
        hints_(std::move(hints)),
        T_(instance_.steps) {}

  void encode(Formula& formula) {
    formula_ = &formula;
    traffic_.emplace(instance_, formula);
    if (hints_.pairings > 0) pair();
    const bool counted = hints_.counts && !hints_.argued;
    for (Chunk c = 0; c < chunks_.size(); ++c) holdings(c);
    if (counted) count(*copies_, has_, *traffic_, formula, false);
    if (formula.refuted()) return;  // no further clauses are needed
    sends_.assign(T_, std::vector<std::vector<ChunkSend>>(instance_.arcs.size()));
    for (std::uint64_t t = 1; t <= T_; ++t) {
      for (Chunk c = 0; c < chunks_.size(); ++c) {
        for (Rank v = 0; v < instance_.nodes; ++v) receive(c, v, t);
      }
    }
    traffic_->carry(sends_);
    if (instance_.rendezvous) calls();
    if (hints_.useful && instance_.slowest == 1) in_time();  // else a chunk may be under way
    if (hints_.argued) count(*copies_, has_, *traffic_, formula, true);
    if (hints_.order) order();
  }

  std::size_t pairings() const { return pairings_; }
  std::shared_ptr<const Schedule> schedule(const Model& model) const {
    const auto kept = needed(model);
    auto result = std::make_shared<Schedule>();
    for (std::uint64_t t = 0; t < T_; ++t) {
      result->begin_step(t, traffic_->rounds(t, model));
      for (std::size_t a = 0; a < instance_.arcs.size(); ++a) {
        for (const Chunk c : kept[t][a]) {
          result->add(copy(instance_.arcs[a].from, instance_.arcs[a].to, c));
        }
      }
    }
    return result;
  }

  std::optional<std::string> relaxation(const PollLimits& poll_limits) const {
    return prover::relaxation(instance_, copy_flows(chunks_), poll_limits);
  }

 private:
  Literal has(Chunk c, Rank v, std::uint64_t t) const { return has_[c][v][t]; }

  /// Finds what the pairings make of one another: chunks at nodes, and on arcs.
  void pair() {
    const std::vector<Symmetry> found =
        prover::pairings(instance_, chunks_, [this] { formula_->poll_limits(); });
    pairings_ = std::min(found.size(), hints_.pairings);
    const std::size_t arcs = instance_.arcs.size(), nodes = instance_.nodes;
    const ArcNumbers number = arc_numbers(instance_.arcs);
    held_ = OrbitVariables(chunks_.size() * nodes);
    sent_ = OrbitVariables(chunks_.size() * arcs);
    for (std::size_t i = 0; i < pairings_; ++i) {
      const auto& [node, chunk] = found[i];
      for (Chunk c = 0; c < chunks_.size(); ++c) {
        for (Rank v = 0; v < nodes; ++v) held_.join(place(c, v), place(chunk[c], node[v]));
        for (std::size_t a = 0; a < arcs; ++a) {
          const Arc& arc = instance_.arcs[a];
          sent_.join(c * arcs + a, chunk[c] * arcs + number.at({node[arc.from], node[arc.to]}));
        }
      }
    }
  }
  std::size_t place(Chunk c, Rank v) const { return c * instance_.nodes + v; }

  Literal holding(Chunk c, Rank v, std::uint64_t t) {
    const auto make = [&] { return formula_->variable("has", {c, v, t}); };
    return pairings_ == 0 ? make() : held_.find(place(c, v), t, make);
  }
  Literal sending(Chunk c, std::size_t a, std::uint64_t t) {
    const Arc& arc = instance_.arcs[a];
    const auto make = [&] { return formula_->variable("send", {c, arc.from, arc.to, t}); };
    return pairings_ == 0 ? make() : sent_.find(c * instance_.arcs.size() + a, t, make);
  }

  void holdings(Chunk c) {
    has_.emplace_back(instance_.nodes, Literals(T_ + 1, Formula::no));
    windows_.emplace_back();
    for (Rank v = 0; v < instance_.nodes; ++v) {
      Literals& has = has_[c][v];
      windows_[c].push_back(hints_.useful ? window(instance_, chunks_[c], v) : Window{1, T_});
      if (chunks_[c].starts_at(v)) {
        has.assign(T_ + 1, Formula::yes);
      } else {
        for (std::uint64_t t = 1; t <= T_; ++t) {
          if (windows_[c][v].contains(t)) {
            has[t] = holding(c, v, t);
          } else {
            has[t] = has[t - 1];
          }
          if (has[t] != has[t - 1]) formula_->add({-has[t - 1], has[t]});
        }
      }
      if (chunks_[c].wanted_by(v)) {
        formula_->add({has[T_]});
        if (has[T_] != Formula::no) has[T_] = Formula::yes;
      }
    }
  }

  /// The sends by which v holds c when step `arrival` begins.
  void receive(Chunk c, Rank v, std::uint64_t arrival) {
    const Literal before = has(c, v, arrival - 1), after = has(c, v, arrival);
    if (hints_.useful && (before == Formula::yes || !windows_[c][v].contains(arrival))) return;
    Literals reasons{-after, before}, arrivals;
    for (const std::size_t a : instance_.in[v]) {
      const Arc& arc = instance_.arcs[a];
      if (arc.latency > arrival) continue;
      const Rank u = arc.from;
      const std::uint64_t t = arrival - arc.latency;
      if (has(c, u, t) == Formula::no) continue;
      if (hints_.straight && !on_shortest_path(c, arc)) continue;
      const Literal send = sending(c, a, t);
      formula_->add({-send, has(c, u, t)});
      formula_->add({-send, after});
      if (hints_.guess && !on_shortest_path(c, arc)) formula_->guess(-send);
      if (hints_.useful) formula_->add({-send, -before});
      reasons.push_back(send);
      arrivals.push_back(send);
      sends_[t][a].push_back({c, send});
    }
    formula_->add(reasons);
    formula_->at_most(arrivals, 1);
  }

  /// LogP: the ranks' calls complete. Theorem: if every rank receives a single chunk once, they do,
  /// since each rank receives before it sends: along the tree, with ranks in the order in which
  /// they are sent to, no rank waits for a later one.
  void calls() {
    std::optional<std::uint64_t> most;  // without hints a chunk may arrive again
    if (hints_.useful) {
      if (chunks_.size() <= 1) return;
      most = 0;
      for (const Delivery& chunk : chunks_) *most += instance_.nodes - chunk.sources.size();
    }
    complete_calls(instance_, traffic_->messages(), most, *formula_);
  }

  /// Is the arc on a shortest path to a node that wants the chunk?
  bool on_shortest_path(Chunk c, const Arc& arc) const {
    const auto& distance = instance_.distance;
    return std::ranges::any_of(chunks_[c].goals, [&](Rank goal) {
      return std::ranges::any_of(chunks_[c].sources, [&](Rank source) {
        const auto &before = distance[source][arc.from], &after = distance[arc.to][goal];
        return before && after && distance[source][goal] == *before + arc.latency + *after;
      });
    });
  }

  /// A node that wants a chunk has a node near enough that holds it.
  void in_time() {
    for (Chunk c = 0; c < chunks_.size(); ++c) {
      for (const Rank goal : chunks_[c].goals) {
        for (std::uint64_t t = 1; t + 1 < T_; ++t) {
          Literals near;
          for (Rank v = 0; v < instance_.nodes; ++v) {
            if (instance_.within(v, goal, T_ - t)) near.push_back(has(c, v, t));
          }
          formula_->add(near);
        }
      }
    }
  }

  /// Admits, of all schedules that are equivalent by symmetry, the one whose arrival times are
  /// first lexicographically.
  void order() {
    formula_->begin_choice();
    for (const Symmetry& symmetry :
         symmetries(instance_, chunks_, true, [this] { formula_->poll_limits(); })) {
      put_first(symmetry);
    }
  }
  void put_first(const Symmetry& symmetry) {
    LexLeader first(*formula_);
    for (Chunk c = 0; c < chunks_.size(); ++c) {
      for (const Rank v : chunks_[c].goals) {
        if (!first.compare(has_[c][v], has_[symmetry.chunk[c]][symmetry.node[v]])) return;
      }
    }
  }

  /// The sends of a model by step and arc; with hints, only those by which a node gets a chunk that
  /// it wants or forwards.
  std::vector<std::vector<std::vector<Chunk>>> needed(const Model& model) const {
    std::vector<std::vector<std::vector<Chunk>>> kept(
        T_, std::vector<std::vector<Chunk>>(instance_.arcs.size()));
    std::vector<std::vector<bool>> need(chunks_.size(), std::vector<bool>(instance_.nodes));
    for (Chunk c = 0; c < chunks_.size(); ++c) {
      for (const Rank v : chunks_[c].goals) need[c][v] = true;
    }
    for (std::uint64_t t = T_; t-- > 0;) {
      for (std::size_t a = 0; a < instance_.arcs.size(); ++a) {
        for (const ChunkSend& send : sends_[t][a]) {
          if (!is_true(send.literal, model)) continue;
          if (hints_.useful && !need[send.chunk][instance_.arcs[a].to]) continue;
          kept[t][a].push_back(send.chunk);
        }
      }
      for (std::size_t a = 0; a < instance_.arcs.size(); ++a) {
        for (const Chunk c : kept[t][a]) need[c][instance_.arcs[a].from] = true;
      }
    }
    return kept;
  }

  std::shared_ptr<const CopyQuestion> copies_;
  const Instance& instance_;
  const std::vector<Delivery>& chunks_;
  Hints hints_;
  std::uint64_t T_;
  Formula* formula_ = nullptr;
  std::optional<Traffic> traffic_;
  std::vector<std::vector<Literals>> has_;  ///< by chunk, node, step
  std::vector<std::vector<Window>> windows_;
  Sends sends_;
  std::size_t pairings_ = 0;
  OrbitVariables held_, sent_;
};

}  // namespace

Encoding encode_copies(const std::shared_ptr<const CopyQuestion>& question, const Hints& hints,
                       const PollLimits& poll_limits) {
  const auto copies = std::make_shared<Copies>(question, hints);
  Encoding result = encode_by(copies, poll_limits);
  if (hints.argued && !result.formula.derived().empty()) {
    result.facts = counting_facts(question->instance, question->chunks);
  }
  result.pairings = copies->pairings();
  if (hints.relax) {
    result.relaxation = [copies](const PollLimits& limits) { return copies->relaxation(limits); };
  }
  return result;
}

}  // namespace schedcc::prover
