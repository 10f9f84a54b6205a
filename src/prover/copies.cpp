// Collectives without reductions: who holds which chunk when.
//
//     has(c, v, t)      node v holds chunk c when step t begins; has(c, v, steps) at the end
//     send(c, u, v, t)  chunk c goes from u to v in step t
//
// and, from the reference, for every chunk, node and step:
//
//     send(c, u, v, t) -> has(c, u, t)              causality
//     has(c, v, t+1) <-> has(c, v, t) or some send(c, u, v, t)
//     at most one send(c, u, v, t) for all u        shape: a copy arrives alone
//     has(c, v, steps) where v wants c              delivery
//     what traffic.cpp says of the send(., u, v, t) ports and capacities
//
// The rest are hints (docs/prover.md): each says what holds of some schedule whenever there is one.

#include "prover/copies.hpp"

#include <algorithm>

#include "prover/symmetry.hpp"
#include "prover/traffic.hpp"

namespace schedcc::prover {

namespace {

class Copies {
 public:
  Copies(const Instance& instance, const std::vector<Delivery>& chunks, const Hints& hints)
      : instance_(instance), chunks_(chunks), hints_(hints), T_(instance.steps) {}

  void encode(Formula& formula) {
    formula_ = &formula;
    traffic_.emplace(instance_, formula);
    for (Chunk c = 0; c < chunks_.size(); ++c) holdings(c);
    sends_.assign(T_, std::vector<std::vector<Send>>(instance_.arcs.size()));
    for (std::uint64_t t = 0; t < T_; ++t) step(t);
    for (Chunk c = 0; c < chunks_.size() && !hints_.useful; ++c) not_yet(c);
    if (hints_.useful && instance_.latency == 1) in_time();  // else a chunk may be under way
    if (hints_.counts) counts();
    if (hints_.counts) departures();
    if (hints_.counts && instance_.extra_rounds > 0) counts_by_rounds();
    if (hints_.counts && instance_.ports) growth();
    if (hints_.counts && instance_.ports) totals();
    if (hints_.order) order();
  }

  std::shared_ptr<const Schedule> schedule(const std::vector<bool>& model) const {
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

 private:
  struct Send {
    Chunk chunk;
    Literal literal;
  };

  Literal has(Chunk c, Rank v, std::uint64_t t) const { return has_[c][v][t]; }

  bool starts(Chunk c, Rank v) const {
    return std::ranges::binary_search(chunks_[c].sources, v);
  }
  bool wants(Chunk c, Rank v) const { return std::ranges::binary_search(chunks_[c].goals, v); }

  /// Can chunk c pass v on its way to somebody who wants it, without coming back to a node?
  bool on_a_way(Chunk c, Rank v) const {
    for (Rank x = 0; x < instance_.nodes; ++x) {
      if (x == v) continue;
      const auto& part = instance_.apart[x];
      const auto beside = [&](Rank rank) { return rank != x && part[rank] == part[v]; };
      if (std::ranges::none_of(chunks_[c].sources, beside) &&
          std::ranges::none_of(chunks_[c].goals, beside)) {
        return false;  // it comes through x, and could only go back there
      }
    }
    return true;
  }

  /// The steps at whose beginning v may have received c for the first time, the first and the last.
  std::pair<std::uint64_t, std::uint64_t> window(Chunk c, Rank v) const {
    if (!hints_.useful) return {1, T_};
    std::uint64_t first = Instance::far;
    for (const Rank source : chunks_[c].sources) {
      first = std::min(first, instance_.distance[source][v]);
    }
    if (wants(c, v)) return {first, T_};
    if (!on_a_way(c, v)) return {1, 0};
    std::uint64_t nearest = Instance::far;
    for (const Rank goal : chunks_[c].goals) {
      nearest = std::min(nearest, instance_.distance[v][goal]);
    }
    return {first, nearest > T_ ? 0 : T_ - nearest};
  }

  void holdings(Chunk c) {
    has_.emplace_back(instance_.nodes, Literals(T_ + 1, Formula::no));
    windows_.emplace_back();
    for (Rank v = 0; v < instance_.nodes; ++v) {
      Literals& has = has_[c][v];
      windows_[c].push_back(window(c, v));
      const auto [first, last] = windows_[c][v];
      if (starts(c, v)) {
        has.assign(T_ + 1, Formula::yes);
      } else {
        for (std::uint64_t t = 1; t <= T_; ++t) {
          if (t >= first && t <= last) {
            has[t] = formula_->variable("has", {c, v, t});
          } else {
            has[t] = has[t - 1];
          }
          if (has[t] != has[t - 1]) formula_->add({-has[t - 1], has[t]});
        }
      }
      if (wants(c, v)) {
        formula_->add({has[T_]});
        if (has[T_] != Formula::no) has[T_] = Formula::yes;
      }
    }
  }

  /// Sends of step t; on LogP steps are cycles, and what is sent arrives `latency` later.
  void step(std::uint64_t t) {
    std::vector<Literals> loads(instance_.arcs.size());
    for (Chunk c = 0; c < chunks_.size(); ++c) {
      for (Rank v = 0; v < instance_.nodes; ++v) receive(c, v, t, loads);
    }
    traffic_->step(t, loads);
  }

  /// How v can get c in step t.
  void receive(Chunk c, Rank v, std::uint64_t t, std::vector<Literals>& loads) {
    const std::uint64_t arrival = t + instance_.latency;
    if (arrival > T_) return;
    const Literal before = has(c, v, arrival - 1), after = has(c, v, arrival);
    const auto [first, last] = windows_[c][v];
    if (hints_.useful && (before == Formula::yes || arrival < first || arrival > last)) return;
    Literals reasons{-after, before}, arrivals;
    for (const std::size_t a : instance_.in[v]) {
      const Rank u = instance_.arcs[a].from;
      if (has(c, u, t) == Formula::no) continue;
      const Literal send = formula_->variable("send", {c, u, v, t});
      formula_->add({-send, has(c, u, t)});
      formula_->add({-send, after});
      if (hints_.useful) formula_->add({-send, -before});
      reasons.push_back(send);
      arrivals.push_back(send);
      loads[a].push_back(send);
      sends_[t][a].push_back({c, send});
    }
    formula_->add(reasons);
    formula_->at_most(arrivals, 1);
  }

  /// Nothing arrives before the first send can.
  void not_yet(Chunk c) {
    for (Rank v = 0; v < instance_.nodes; ++v) {
      for (std::uint64_t t = 1; t <= T_ && t < instance_.latency; ++t) {
        formula_->add({has(c, v, t - 1), -has(c, v, t)});
      }
    }
  }

  /// Who wants a chunk has somebody near enough who holds it.
  void in_time() {
    for (Chunk c = 0; c < chunks_.size(); ++c) {
      for (const Rank goal : chunks_[c].goals) {
        for (std::uint64_t t = 1; t + 1 < T_; ++t) {
          Literals near;
          for (Rank v = 0; v < instance_.nodes; ++v) {
            if (instance_.distance[v][goal] <= T_ - t) near.push_back(has(c, v, t));
          }
          formula_->add(near);
        }
      }
    }
  }

  /// A node cannot receive more than its arcs or ports let in: all that it gets, and what it still
  /// has to get.
  void counts() {
    for (Rank v = 0; v < instance_.nodes; ++v) {
      Literals all;
      std::vector<Chunk> wanted;
      for (Chunk c = 0; c < chunks_.size(); ++c) {
        if (starts(c, v)) continue;
        all.push_back(has(c, v, T_));
        if (wants(c, v)) wanted.push_back(c);
      }
      formula_->at_most(all, instance_.receivable(v, T_));
      for (std::uint64_t t = 1; t < T_; ++t) {
        const std::uint64_t later = instance_.receivable(v, T_ - t);
        if (later >= wanted.size()) continue;
        Literals now;
        for (const Chunk c : wanted) now.push_back(has(c, v, t));
        formula_->at_least(now, wanted.size() - later);
      }
    }
  }

  /// The same where steps have several rounds: by how many there have been.
  void counts_by_rounds() {
    const std::uint64_t all = T_ + instance_.extra_rounds;
    for (std::uint64_t t = 1; t < T_; ++t) {
      const Literals extra = traffic_->extra_before(t);
      for (Rank v = 0; v < instance_.nodes; ++v) {
        std::uint64_t capacity = 0;  // a round
        for (const std::size_t a : instance_.in[v]) capacity += instance_.arcs[a].capacity;
        Literals received, missing;
        for (Chunk c = 0; c < chunks_.size(); ++c) {
          if (starts(c, v)) continue;
          received.push_back(has(c, v, t));
          if (wants(c, v)) missing.push_back(-has(c, v, t));
        }
        received = formula_->counted(received, received.size());
        missing = formula_->counted(missing, missing.size());
        for (std::uint64_t rounds = t; rounds <= all - (T_ - t); ++rounds) {
          // More than fit into so many rounds have come: there have been more rounds.
          if (const std::uint64_t fit = capacity * rounds; fit < received.size()) {
            formula_->add({-received[fit], more_than(extra, rounds - t)});
          }
          // More are missing than fit into the others: there have been fewer.
          if (const std::uint64_t fit = capacity * (all - rounds); fit < missing.size()) {
            formula_->add({-missing[fit],
                           rounds == t ? Formula::no : -more_than(extra, rounds - t - 1)});
          }
        }
      }
    }
  }

  static Literal more_than(const Literals& extra, std::uint64_t count) {
    return count < extra.size() ? extra[count] : Formula::no;
  }

  /// Nor can it send more: what has left it by when, and what must have left to come in time.
  void departures() {
    for (Rank v = 0; v < instance_.nodes; ++v) {
      for (std::uint64_t t = 1; t <= T_; ++t) {
        Literals left;
        for (Chunk c = 0; c < chunks_.size(); ++c) {
          if (chunks_[c].goals.empty() || chunks_[c].sources != std::vector<Rank>{v}) continue;
          left.push_back(has_left(c, v, t));
        }
        if (left.size() > instance_.sendable(v, t)) {
          formula_->at_most(left, instance_.sendable(v, t));
        }
      }
    }
  }

  /// Does somebody beside v, its source, hold c when step t begins?
  Literal has_left(Chunk c, Rank v, std::uint64_t t) {
    std::uint64_t farthest = 0;
    for (const Rank goal : chunks_[c].goals) {
      farthest = std::max(farthest, instance_.distance[v][goal]);
    }
    if (t + farthest >= T_ + instance_.latency) return Formula::yes;
    const Literal left = formula_->variable("left", {c, t});
    for (Rank u = 0; u < instance_.nodes; ++u) {
      if (u != v) formula_->add({-has(c, u, t), left});
    }
    return left;
  }

  /// With k ports those who hold a chunk are at most k + 1 times as many after a step.
  void growth() {
    for (Chunk c = 0; c < chunks_.size(); ++c) {
      std::uint64_t holders = chunks_[c].goals.size() + chunks_[c].sources.size();
      for (std::uint64_t t = T_; t-- > 0;) {
        holders = (holders + instance_.ports->send) / (std::uint64_t{instance_.ports->send} + 1);
        if (holders <= chunks_[c].sources.size()) break;
        Literals all;
        for (Rank v = 0; v < instance_.nodes; ++v) all.push_back(has(c, v, t));
        at_least(all, holders);
      }
    }
  }

  /// All that is received: in a step by those whom the ports let, and sent by those who hold
  /// something, k + 1 times as many after each step.
  void totals() {
    const PortLimits& limits = *instance_.ports;
    const std::uint64_t width = instance_.arcs.front().capacity;
    const std::uint64_t k = std::min(limits.send, limits.receive), P = instance_.ranks;
    const std::uint64_t most = std::min(k * P, limits.both * P / 2) * width;  // chunks of a step
    std::uint64_t wanted = 0, received = 0, holders = 0;
    std::vector<bool> holds(P);
    for (const Delivery& chunk : chunks_) {
      wanted += chunk.goals.size();
      for (const Rank source : chunk.sources) holds[source] = true;
    }
    holders = static_cast<std::uint64_t>(std::ranges::count(holds, true));
    for (std::uint64_t t = 1; t <= T_; ++t) {
      received += std::min(most, holders * limits.send * width);
      holders = std::min(P, holders * (limits.send + std::uint64_t{1}));
      Literals all, goals;
      for (Chunk c = 0; c < chunks_.size(); ++c) {
        for (Rank v = 0; v < P; ++v) {
          if (starts(c, v)) continue;
          all.push_back(has(c, v, t));
          if (wants(c, v)) goals.push_back(has(c, v, t));
        }
      }
      if (t == T_) formula_->at_most(all, received);
      if (wanted > most * (T_ - t)) at_least(goals, wanted - most * (T_ - t));
    }
  }

  void at_least(const Literals& literals, std::uint64_t k) {
    Literals open;
    for (const Literal l : literals) {
      if (l == Formula::yes) {
        if (k > 0) --k;
      } else if (l != Formula::no) {
        open.push_back(l);
      }
    }
    formula_->at_least(open, k);
  }

  /// Of all schedules that symmetries make of one, that whose times of arrival come first.
  void order() {
    for (const Symmetry& symmetry : symmetries(instance_, chunks_)) {
      std::vector<std::pair<Literals, Literals>> times;
      for (Chunk c = 0; c < chunks_.size(); ++c) {
        for (const Rank v : chunks_[c].goals) {
          times.emplace_back(has_[c][v], has_[symmetry.chunk[c]][symmetry.node[v]]);
        }
      }
      first_of_equals(*formula_, times);
    }
  }

  /// The sends of a model by step and arc; with hints, only those by which somebody gets what he
  /// wants or passes on.
  std::vector<std::vector<std::vector<Chunk>>> needed(const std::vector<bool>& model) const {
    std::vector<std::vector<std::vector<Chunk>>> kept(
        T_, std::vector<std::vector<Chunk>>(instance_.arcs.size()));
    std::vector<std::vector<bool>> need(chunks_.size(), std::vector<bool>(instance_.nodes));
    for (Chunk c = 0; c < chunks_.size(); ++c) {
      for (const Rank v : chunks_[c].goals) need[c][v] = true;
    }
    for (std::uint64_t t = T_; t-- > 0;) {
      for (std::size_t a = 0; a < instance_.arcs.size(); ++a) {
        for (const Send& send : sends_[t][a]) {
          if (!model[static_cast<std::size_t>(send.literal)]) continue;
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

  Instance instance_;
  std::vector<Delivery> chunks_;
  Hints hints_;
  std::uint64_t T_;
  Formula* formula_ = nullptr;
  std::optional<Traffic> traffic_;
  std::vector<std::vector<Literals>> has_;  ///< by chunk, node, step
  std::vector<std::vector<std::pair<std::uint64_t, std::uint64_t>>> windows_;
  std::vector<std::vector<std::vector<Send>>> sends_;  ///< by step, arc
};

}  // namespace

Encoding encode_copies(const Instance& instance, const std::vector<Delivery>& chunks,
                       const Hints& hints) {
  Encoding result;
  const auto copies = std::make_shared<Copies>(instance, chunks, hints);
  copies->encode(result.formula);
  result.schedule = [copies](const std::vector<bool>& model) { return copies->schedule(model); };
  return result;
}

}  // namespace schedcc::prover
