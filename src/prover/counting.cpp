// Conditions that a solver would have to find out by trying: numbers of chunks, which clauses are
// bad at. Each follows from what ports, links or cuts let through in some of the steps.
//
//     receptions  what a node gets, and still has to get, fits into its arcs or ports
//     departures  so does what leaves the only source of chunks
//     crossings   so does what must go over an arc to which there is no other way
//     growth      those who hold a chunk are at most k + 1 times as many after a step
//     totals      all messages of all ranks together

#include "prover/counting.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace schedcc::prover {

namespace {

class Counting {
 public:
  Counting(const Instance& instance, const std::vector<Delivery>& chunks,
           const std::vector<std::vector<Literals>>& has, Traffic& traffic, Formula& formula)
      : instance_(instance),
        chunks_(chunks),
        has_(has),
        traffic_(traffic),
        formula_(formula),
        T_(instance.steps) {}

  void all() {
    if (instance_.arcs.empty()) return;
    receptions();
    departures();
    if (!instance_.ports && !instance_.logp && instance_.links.empty()) crossings();
    if (instance_.extra_rounds > 0) receptions_by_rounds();
    if (instance_.ports) growth();
    if (instance_.ports) totals();
  }

 private:
  Literal has(Chunk c, Rank v, std::uint64_t t) const { return has_[c][v][t]; }

  /// A node cannot receive more than its arcs or ports let in: all that it gets, and what it still
  /// has to get.
  void receptions() {
    for (Rank v = 0; v < instance_.nodes; ++v) {
      Literals all;
      std::vector<Chunk> wanted;
      for (Chunk c = 0; c < chunks_.size(); ++c) {
        if (chunks_[c].starts_at(v)) continue;
        all.push_back(has(c, v, T_));
        if (chunks_[c].wanted_by(v)) wanted.push_back(c);
      }
      formula_.at_most(all, instance_.receivable(v, T_));
      for (std::uint64_t t = 1; t < T_; ++t) {
        const std::uint64_t later = instance_.receivable(v, T_ - t);
        if (later >= wanted.size()) continue;
        Literals now;
        for (const Chunk c : wanted) now.push_back(has(c, v, t));
        formula_.at_least(now, wanted.size() - later);
      }
    }
  }

  /// The same where steps have several rounds: by how many there have been.
  void receptions_by_rounds() {
    const std::uint64_t all = T_ + instance_.extra_rounds;
    for (std::uint64_t t = 1; t < T_; ++t) {
      const Literals extra = traffic_.extra_before(t);
      for (Rank v = 0; v < instance_.nodes; ++v) {
        std::uint64_t capacity = 0;  // a round
        for (const std::size_t a : instance_.in[v]) capacity += instance_.arcs[a].capacity;
        Literals received, missing;
        for (Chunk c = 0; c < chunks_.size(); ++c) {
          if (chunks_[c].starts_at(v)) continue;
          received.push_back(has(c, v, t));
          if (chunks_[c].wanted_by(v)) missing.push_back(-has(c, v, t));
        }
        received = formula_.counted(received, received.size());
        missing = formula_.counted(missing, missing.size());
        for (std::uint64_t rounds = t; rounds <= all - (T_ - t); ++rounds) {
          // More than fit into so many rounds have come: there have been more rounds.
          if (const std::uint64_t fit = capacity * rounds; fit < received.size()) {
            formula_.add({-received[fit], more_than(extra, rounds - t)});
          }
          // More are missing than fit into the others: there have been fewer.
          if (const std::uint64_t fit = capacity * (all - rounds); fit < missing.size()) {
            formula_.add(
                {-missing[fit], rounds == t ? Formula::no : -more_than(extra, rounds - t - 1)});
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
          formula_.at_most(left, instance_.sendable(v, t));
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
    if (t + farthest >= T_ + instance_.slowest) return Formula::yes;
    const Literal left = formula_.variable("left", {c, t});
    for (Rank u = 0; u < instance_.nodes; ++u) {
      if (u != v) formula_.add({-has(c, u, t), left});
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
          if (chunks_[c].starts_at(v)) continue;
          all.push_back(has(c, v, t));
          if (chunks_[c].wanted_by(v)) goals.push_back(has(c, v, t));
        }
      }
      if (t == T_) formula_.at_most(all, received);
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
    formula_.at_least(open, k);
  }

  /// The nodes that can be reached from `start` without arc `closed`.
  std::vector<bool> reached(Rank start, std::size_t closed) const {
    std::vector<bool> result(instance_.nodes);
    std::vector<Rank> open{start};
    result[start] = true;
    while (!open.empty()) {
      const Rank v = open.back();
      open.pop_back();
      for (const std::size_t a : instance_.out[v]) {
        const Rank to = instance_.arcs[a].to;
        if (a == closed || result[to]) continue;
        result[to] = true;
        open.push_back(to);
      }
    }
    return result;
  }

  /// A chunk that must go over an arc: from when on it can, and until when it must have.
  struct Crossing {
    Chunk chunk;
    std::uint64_t first, last;
  };

  void crossings() {
    for (std::size_t a = 0; a < instance_.arcs.size(); ++a) {
      const Arc& arc = instance_.arcs[a];
      if (reached(arc.from, a)[arc.to]) continue;  // there is another way
      std::map<Rank, std::vector<bool>> near;      // by source
      std::vector<Crossing> crossings;
      for (Chunk c = 0; c < chunks_.size(); ++c) {
        Crossing crossing{c, Instance::far, Instance::far};
        for (const Rank source : chunks_[c].sources) {
          if (near.count(source) == 0) near[source] = reached(source, a);
          crossing.first = std::min(crossing.first, instance_.distance[source][arc.from]);
        }
        for (const Rank goal : chunks_[c].goals) {
          const bool other_way = std::ranges::any_of(
              chunks_[c].sources, [&](Rank source) { return near.at(source)[goal]; });
          const std::uint64_t rest = instance_.distance[arc.to][goal];
          if (!other_way) crossing.last = std::min(crossing.last, T_ - std::min(T_, rest));
        }
        if (crossing.last != Instance::far) crossings.push_back(crossing);
      }
      cross(arc, crossings);
    }
  }

  /// Those that cannot cross before some step, and those that must have by some step, are no more
  /// than the arc carries in the steps after and before.
  void cross(const Arc& arc, const std::vector<Crossing>& crossings) {
    std::set<std::uint64_t> firsts, lasts;
    for (const Crossing& crossing : crossings) {
      firsts.insert(crossing.first);
      lasts.insert(crossing.last);
    }
    if (crossings.empty()) return;
    const auto between = [&](std::uint64_t first, std::uint64_t last) {
      std::vector<Chunk> some;
      for (const Crossing& crossing : crossings) {
        if (crossing.first >= first && crossing.last <= last) some.push_back(crossing.chunk);
      }
      cross(arc, some, first, last);
    };
    for (const std::uint64_t first : firsts) between(first, *lasts.rbegin());
    for (const std::uint64_t last : lasts) between(*firsts.begin(), last);
  }

  /// `some` chunks go over the arc in steps first..last-1.
  void cross(const Arc& arc, const std::vector<Chunk>& some, std::uint64_t first,
             std::uint64_t last) {
    const auto carried = [&](std::uint64_t steps) {
      return arc.capacity * (steps + instance_.extra_rounds);
    };
    if (some.empty()) return;
    if (first >= last || carried(last - first) < some.size()) return formula_.add({});
    for (std::uint64_t t = first + 1; t < last; ++t) {
      Literals now;
      for (const Chunk c : some) now.push_back(has(c, arc.to, t));
      if (carried(t - first) < now.size()) formula_.at_most(now, carried(t - first));
      if (carried(last - t) < now.size()) at_least(now, now.size() - carried(last - t));
    }
  }

  const Instance& instance_;
  const std::vector<Delivery>& chunks_;
  const std::vector<std::vector<Literals>>& has_;
  Traffic& traffic_;
  Formula& formula_;
  std::uint64_t T_;
};

}  // namespace

void count(const Instance& instance, const std::vector<Delivery>& chunks,
           const std::vector<std::vector<Literals>>& has, Traffic& traffic, Formula& formula) {
  Counting(instance, chunks, has, traffic, formula).all();
}

}  // namespace schedcc::prover
