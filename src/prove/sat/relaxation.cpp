// The linear relaxation: chunks may be sent in fractions. If it is infeasible there is no schedule.
// Counting arguments over the whole machine, which are hard for clauses, are single sums here.
//
//     y(c, a, t)     the part of chunk c that has crossed arc a in steps 0..t, between 0 and 1
//     held(c, v, t)  the part of chunk c that node v holds when step t begins: 1 at a source,
//                    elsewhere the sum of y(c, a, t - latency of a) over the arcs to v
//
// For every chunk, node, arc and step:
//
//     y(c, a, t-1) <= y(c, a, t) <= held(c, tail of a, t)
//     sum of y(c, a, t) over the arcs from v <= held(c, v, t)     where only one node wants c
//     held(c, v, steps) <= 1, and = 1 where v wants c
//     sum over c of y(c, a, t) - y(c, a, t-1) <= capacity of a times the rounds of step t
//     likewise for the messages of a rank, where ports are limited
//
// These are linear, so the mean of solutions is one, and so is the mean over all symmetries of
// nodes and chunks. In it the variables of an orbit are equal: one variable for each orbit of
// (chunk, arc) is enough, and the rows of an orbit are equal. On symmetric machines that leaves a
// few hundred variables.

#include "prove/sat/relaxation.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include <fmt/core.h>

#include "prove/sat/symmetry.hpp"

namespace schedcc::prover {

namespace {

constexpr std::size_t max_variables = 15000, max_relaxed_sends = 1'000'000;

class Relaxation {
 public:
  Relaxation(const Instance& instance, const std::vector<Delivery>& chunks,
             const std::function<void()>& watch)
      : instance_(instance), chunks_(chunks), watch_(watch), T_(instance.steps) {
    find_orbits();
  }

  std::optional<std::string> text() {
    for (std::uint64_t t = 0; t < T_ && instance_.extra_rounds > 0; ++t) {
      variables_.insert(fmt::format("r_{}", t));
    }
    for (Chunk c = 0; c < chunks_.size(); ++c) {
      for (Rank v = 0; v < instance_.nodes; ++v) {
        if (watch_) watch_();
        flow(c, v);
        if (variables_.size() > max_variables) return std::nullopt;
      }
    }
    for (std::uint64_t t = 0; t < T_; ++t) {
      if (watch_) watch_();
      traffic(t);
    }
    Sum rounds;
    for (std::uint64_t t = 0; t < T_ && instance_.extra_rounds > 0; ++t) {
      ++rounds.terms[fmt::format("r_{}", t)];
    }
    rounds.at_most(static_cast<long>(instance_.extra_rounds), rows_);
    std::string text = "(set-logic QF_LRA)\n";
    for (const std::string& name : variables_) {
      text += fmt::format("(declare-const {0} Real)\n(assert (<= 0 {0}))\n", name);
    }
    for (const std::string& row : rows_) text += row;
    return text + "(check-sat)\n";
  }

 private:
  /// A sum of variables, and a number.
  struct Sum {
    std::map<std::string, long> terms;
    long constant = 0;

    void add(const Sum& other, long factor = 1) {
      for (const auto& [name, count] : other.terms) terms[name] += factor * count;
      constant += factor * other.constant;
    }
    void at_most(long limit, std::set<std::string>& rows) const { row("<=", limit, rows); }
    void row(std::string_view relation, long limit, std::set<std::string>& rows) const {
      std::string sum;
      for (const auto& [name, count] : terms) {
        if (count == 0) continue;
        sum += count < 0 ? fmt::format(" (* (- {}) {})", -count, name)
                         : fmt::format(" (* {} {})", count, name);
      }
      if (sum.empty() && relation == "<=" && constant <= limit) return;
      const long right = limit - constant;
      rows.insert(fmt::format("(assert ({} (+ 0 0{}) {}))\n", relation, sum,
                              right < 0 ? fmt::format("(- {})", -right) : std::to_string(right)));
    }
  };

  std::size_t place(Chunk c, std::size_t a) const { return c * instance_.arcs.size() + a; }

  std::size_t orbit(std::size_t place) {
    while (orbit_[place] != place) place = orbit_[place] = orbit_[orbit_[place]];
    return place;
  }

  void find_orbits() {
    const ArcNumbers number = arc_numbers(instance_.arcs);
    orbit_.resize(chunks_.size() * instance_.arcs.size());
    std::iota(orbit_.begin(), orbit_.end(), std::size_t{0});
    for (const Symmetry& symmetry : symmetries(instance_, chunks_, true, watch_)) {
      if (watch_) watch_();
      for (std::size_t a = 0; a < instance_.arcs.size(); ++a) {
        const Arc& arc = instance_.arcs[a];
        const std::size_t image = number.at({symmetry.node[arc.from], symmetry.node[arc.to]});
        for (Chunk c = 0; c < chunks_.size(); ++c) {
          orbit_[orbit(place(c, a))] = orbit(place(symmetry.chunk[c], image));
        }
      }
    }
    for (const Delivery& chunk : chunks_) {
      windows_.emplace_back();
      for (Rank v = 0; v < instance_.nodes; ++v) {
        windows_.back().push_back(window(instance_, chunk, v));
      }
    }
  }

  /// y(c, a, t), for steps in which a can usefully carry c; t + 1 steps have been.
  Sum crossed(Chunk c, std::size_t a, std::uint64_t steps) {
    const Arc& arc = instance_.arcs[a];
    if (chunks_[c].starts_at(arc.to)) return {};
    // At the only node that wants it, it stays. (A fraction that leaves and returns would count
    // twice.)
    if (chunks_[c].goals.size() == 1 && chunks_[c].goals.front() == arc.from) return {};
    // A chunk that can only have come through the arc's head need not return there.
    const std::vector<std::optional<Rank>>& part = instance_.apart[arc.to];
    if (std::ranges::all_of(chunks_[c].sources,
                            [&](Rank source) { return part[source] != part[arc.from]; })) {
      return {};
    }
    const std::uint64_t begin = chunks_[c].starts_at(arc.from) ? 0 : windows_[c][arc.from].first;
    const bool never = !chunks_[c].starts_at(arc.from) && windows_[c][arc.from].empty();
    const std::uint64_t last = windows_[c][arc.to].last;  // to arrive
    steps = std::min(steps, last < arc.latency ? 0 : last - arc.latency + 1);
    if (never || steps <= begin) return {};
    std::string name = fmt::format("y_{}_{}", orbit(place(c, a)), steps);
    variables_.insert(name);
    return {{{std::move(name), 1}}};
  }

  /// The part of c at v after a number of steps.
  Sum held(Chunk c, Rank v, std::uint64_t steps) {
    if (chunks_[c].starts_at(v)) return {{}, 1};
    Sum sum;
    for (const std::size_t a : instance_.in[v]) {
      const std::uint64_t latency = instance_.arcs[a].latency;
      if (steps >= latency) sum.add(crossed(c, a, steps - latency + 1));
    }
    return sum;
  }

  void flow(Chunk c, Rank v) {
    for (const std::size_t a : instance_.in[v]) {
      for (std::uint64_t t = 0; t < T_; ++t) {
        Sum less = crossed(c, a, t);
        less.add(crossed(c, a, t + 1), -1);
        less.at_most(0, rows_);  // y does not decrease
        Sum sent = crossed(c, a, t + 1);
        sent.add(held(c, instance_.arcs[a].from, t), -1);
        sent.at_most(0, rows_);
      }
    }
    // A chunk that only one node wants is not copied.
    for (std::uint64_t t = 0; t < T_ && chunks_[c].goals.size() == 1; ++t) {
      Sum sent;
      for (const std::size_t a : instance_.out[v]) sent.add(crossed(c, a, t + 1));
      sent.add(held(c, v, t), -1);
      sent.at_most(0, rows_);
    }
    if (chunks_[c].starts_at(v)) return;
    held(c, v, T_).row(chunks_[c].wanted_by(v) ? "=" : "<=", 1, rows_);
  }

  /// The total over an arc in step t.
  Sum load(std::size_t a, std::uint64_t t) {
    Sum sum;
    for (Chunk c = 0; c < chunks_.size(); ++c) {
      sum.add(crossed(c, a, t + 1));
      sum.add(crossed(c, a, t), -1);
    }
    return sum;
  }

  /// A capacity, or the most that all arcs together may have to carry at once, if that is less.
  long limit(Saturating capacity) const {
    return static_cast<long>(
        std::min(capacity, Saturating(chunks_.size()) * instance_.arcs.size()).value());
  }

  /// Without waiting: a chunk on a link in step t left earlier by the link's position on the route.
  void ways(std::uint64_t t) {
    std::vector<Sum> loads(instance_.links.size());
    for (std::size_t a = 0; a < instance_.arcs.size(); ++a) {
      const std::vector<std::size_t>& links = instance_.arcs[a].links;
      for (std::size_t i = 0; i < links.size() && i <= t; ++i) loads[links[i]].add(load(a, t - i));
    }
    for (std::size_t l = 0; l < loads.size(); ++l) {
      loads[l].at_most(limit(instance_.links[l].capacity), rows_);
    }
  }

  void traffic(std::uint64_t t) {
    if (!instance_.links.empty()) return ways(t);
    std::vector<Sum> loads(instance_.arcs.size());
    for (std::size_t a = 0; a < loads.size(); ++a) {
      const long capacity = limit(instance_.arcs[a].capacity);
      loads[a] = load(a, t);
      Sum sum = loads[a];
      if (instance_.extra_rounds > 0) sum.terms[fmt::format("r_{}", t)] -= capacity;
      sum.at_most(capacity, rows_);
    }
    for (Rank v = 0; v < instance_.nodes && instance_.ports; ++v) {
      const Saturating width = instance_.arcs.front().capacity;
      Sum sent, received;
      for (const std::size_t a : instance_.out[v]) sent.add(loads[a]);
      for (const std::size_t a : instance_.in[v]) received.add(loads[a]);
      sent.at_most(limit(width * instance_.ports->send), rows_);
      received.at_most(limit(width * instance_.ports->receive), rows_);
      sent.add(received);
      sent.at_most(limit(width * instance_.ports->both), rows_);
    }
  }

  const Instance& instance_;
  const std::vector<Delivery>& chunks_;
  const std::function<void()>& watch_;
  std::uint64_t T_;
  std::vector<std::size_t>
      orbit_;  ///< of each place: another of its orbit, finally itself (union-find)
  std::vector<std::vector<Window>> windows_;
  std::set<std::string> variables_, rows_;
};

}  // namespace

std::optional<std::string> relaxation(const Instance& instance, const std::vector<Delivery>& chunks,
                                      const std::function<void()>& watch) {
  if (instance.logp || instance.arcs.empty()) return std::nullopt;
  if (Saturating(chunks.size()) * instance.arcs.size() * instance.steps > max_relaxed_sends) {
    return std::nullopt;
  }
  return Relaxation(instance, chunks, watch).text();
}

}  // namespace schedcc::prover
