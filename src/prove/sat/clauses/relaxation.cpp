// The linear relaxation: chunks may be sent in fractions. If it is infeasible there is no schedule.
// Counting arguments over the whole machine, which are hard for clauses, are single sums here.
//
//     y(c, a, t)     the part of chunk c that has crossed arc a in steps 0..t, between 0 and 1; of
//                    a sum, that of one contribution to it: c is then that contribution
//     held(c, v, t)  the part of chunk c that node v holds when step t begins: 1 at a source,
//                    elsewhere the sum of y(c, a, t - latency of a) over the arcs to v
//
// For every chunk, node, arc and step:
//
//     y(c, a, t-1) <= y(c, a, t) <= held(c, tail of a, t)
//     sum of y(c, a, t) over the arcs from v <= held(c, v, t)     where only one node wants c
//     held(c, v, steps) <= 1, and = 1 where v wants c
//     sum over c of y(c, a, t) - y(c, a, t-1) <= capacity of a times the rounds of step t
//     likewise for the messages of a rank, where ports are limited, and for those of a channel
//
// The contributions to a sum that a node sends together cross the arc as one chunk: for them
//
//     s(c, a, t)     the part of sum c that crosses arc a in step t, between 0 and 1
//     y(r, a, t) - y(r, a, t-1) <= s(c, a, t)     for every contribution r to c
//     sum of s(c, a, t) over a and t >= the transfers that every schedule makes of c
//
// and s takes the place of the differences of y in the last two kinds of rows. A schedule may make
// a node lose a contribution; here, what a node has had counts as held.
//
// These are linear, so the mean of solutions is one, and so is the mean over all symmetries of
// nodes and chunks. In it the variables of an orbit are equal: one variable for each orbit of
// (chunk, arc) is enough, and the rows of an orbit are equal. On symmetric machines that leaves a
// few hundred variables.

#include "prove/sat/clauses/relaxation.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/core.h>

#include "prove/sat/question/symmetry.hpp"

namespace schedcc::prover {

namespace {

constexpr std::size_t max_variables = 15000, max_relaxed_sends = 1'000'000;
/// The largest query, in bytes: with more Z3 takes long, and may work for many seconds before it
/// notices that it is to stop.
constexpr std::size_t max_text = 500'000;

class Relaxation {
 public:
  Relaxation(const Instance& instance, const FlowProblem& problem, const PollLimits& poll_limits)
      : instance_(instance),
        problem_(problem),
        poll_limits_(poll_limits),
        T_(instance.steps),
        flows_of_(problem.chunks.size()) {
    for (std::size_t f = 0; f < problem.flows.size(); ++f) {
      flows_of_[problem.flows[f].chunk].push_back(f);
    }
    find_orbits();
  }

  std::optional<std::string> text() {
    for (std::uint64_t t = 0; t < T_ && instance_.extra_rounds > 0; ++t) {
      variables_.insert(fmt::format("r_{}", t));
    }
    for (std::size_t f = 0; f < problem_.flows.size(); ++f) {
      for (Rank v = 0; v < instance_.nodes; ++v) {
        if (poll_limits_) poll_limits_();
        flow(f, v);
        if (variables_.size() > max_variables) return std::nullopt;
      }
    }
    for (Chunk c = 0; c < problem_.chunks.size(); ++c) {
      if (poll_limits_) poll_limits_();
      if (is_sum(c)) sum(c);
    }
    for (std::uint64_t t = 0; t < T_; ++t) {
      if (poll_limits_) poll_limits_();
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
    if (text.size() > max_text) return std::nullopt;
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

  /// The index of a flow, or a chunk, on an arc.
  std::size_t place(std::size_t f, std::size_t a) const { return f * instance_.arcs.size() + a; }

  bool is_sum(Chunk c) const { return flows_of_[c].size() > 1; }

  /// The flow that becomes of f.
  std::size_t image(std::size_t f, const Symmetry& symmetry) const {
    const Flow& flow = problem_.flows[f];
    const std::vector<std::size_t>& others = flows_of_[symmetry.chunk[flow.chunk]];
    if (others.size() == 1) return others.front();
    const Rank source = symmetry.node[flow.delivery.sources.front()];
    return *std::ranges::find_if(others, [&](std::size_t other) {
      return problem_.flows[other].delivery.sources.front() == source;
    });
  }

  void find_orbits() {
    const std::size_t arcs = instance_.arcs.size();
    const ArcNumbers number = arc_numbers(instance_.arcs);
    flow_orbits_.emplace(problem_.flows.size() * arcs);
    chunk_orbits_.emplace(problem_.chunks.size() * arcs);
    for (const Symmetry& symmetry :
         symmetries(instance_, problem_.chunks, problem_.nodes_interchangeable, poll_limits_)) {
      if (poll_limits_) poll_limits_();
      for (std::size_t a = 0; a < arcs; ++a) {
        const Arc& arc = instance_.arcs[a];
        const std::size_t there = number.at({symmetry.node[arc.from], symmetry.node[arc.to]});
        for (std::size_t f = 0; f < problem_.flows.size(); ++f) {
          flow_orbits_->join(place(f, a), place(image(f, symmetry), there));
        }
        for (Chunk c = 0; c < problem_.chunks.size(); ++c) {
          chunk_orbits_->join(place(c, a), place(symmetry.chunk[c], there));
        }
      }
    }
    for (const Flow& flow : problem_.flows) {
      windows_.emplace_back();
      for (Rank v = 0; v < instance_.nodes; ++v) {
        windows_.back().push_back(window(instance_, flow.delivery, v));
      }
    }
  }

  /// A variable, as a sum.
  Sum variable(std::string name) {
    variables_.insert(name);
    return {{{std::move(name), 1}}};
  }

  /// y(f, a, t), for steps in which a can usefully carry f; t + 1 steps have been.
  Sum crossed(std::size_t f, std::size_t a, std::uint64_t steps) {
    const Arc& arc = instance_.arcs[a];
    const Delivery& delivery = problem_.flows[f].delivery;
    if (delivery.starts_at(arc.to)) return {};
    // At the only node that wants it, it stays. (A fraction that leaves and returns would count
    // twice.)
    if (delivery.goals.size() == 1 && delivery.goals.front() == arc.from) return {};
    // A chunk that can only have come through the arc's head need not return there.
    const std::vector<std::optional<Rank>>& part = instance_.apart[arc.to];
    if (std::ranges::all_of(delivery.sources,
                            [&](Rank source) { return part[source] != part[arc.from]; })) {
      return {};
    }
    const std::uint64_t begin = delivery.starts_at(arc.from) ? 0 : windows_[f][arc.from].first;
    const bool never = !delivery.starts_at(arc.from) && windows_[f][arc.from].empty();
    const std::uint64_t last = windows_[f][arc.to].last;  // to arrive
    steps = std::min(steps, last < arc.latency ? 0 : last - arc.latency + 1);
    if (never || steps <= begin) return {};
    return variable(fmt::format("y_{}_{}", (*flow_orbits_)[place(f, a)], steps));
  }

  /// The part of f at v after a number of steps.
  Sum held(std::size_t f, Rank v, std::uint64_t steps) {
    if (problem_.flows[f].delivery.starts_at(v)) return {{}, 1};
    Sum sum;
    for (const std::size_t a : instance_.in[v]) {
      const std::uint64_t latency = instance_.arcs[a].latency;
      if (steps >= latency) sum.add(crossed(f, a, steps - latency + 1));
    }
    return sum;
  }

  void flow(std::size_t f, Rank v) {
    const Delivery& delivery = problem_.flows[f].delivery;
    for (const std::size_t a : instance_.in[v]) {
      for (std::uint64_t t = 0; t < T_; ++t) {
        Sum less = crossed(f, a, t);
        less.add(crossed(f, a, t + 1), -1);
        less.at_most(0, rows_);  // y does not decrease
        Sum sent = crossed(f, a, t + 1);
        sent.add(held(f, instance_.arcs[a].from, t), -1);
        sent.at_most(0, rows_);
      }
    }
    // A chunk that only one node wants is not copied.
    for (std::uint64_t t = 0; t < T_ && delivery.goals.size() == 1; ++t) {
      Sum sent;
      for (const std::size_t a : instance_.out[v]) sent.add(crossed(f, a, t + 1));
      sent.add(held(f, v, t), -1);
      sent.at_most(0, rows_);
    }
    if (delivery.starts_at(v)) return;
    held(f, v, T_).row(delivery.wanted_by(v) ? "=" : "<=", 1, rows_);
  }

  /// The part of f that crosses an arc in step t.
  Sum crosses(std::size_t f, std::size_t a, std::uint64_t t) {
    Sum sum = crossed(f, a, t + 1);
    sum.add(crossed(f, a, t), -1);
    return sum;
  }

  /// The part of c that crosses an arc in step t.
  Sum sent(Chunk c, std::size_t a, std::uint64_t t) {
    if (!is_sum(c)) return crosses(flows_of_[c].front(), a, t);
    return variable(fmt::format("s_{}_{}", (*chunk_orbits_)[place(c, a)], t));
  }

  /// The contributions to c that cross an arc are parts of what is sent: at least that much is.
  void sum(Chunk c) {
    Sum all;
    for (std::uint64_t t = 0; t < T_; ++t) {
      for (std::size_t a = 0; a < instance_.arcs.size(); ++a) {
        all.add(sent(c, a, t), -1);
        sent(c, a, t).at_most(1, rows_);
        for (const std::size_t f : flows_of_[c]) {
          Sum part = crosses(f, a, t);
          if (part.terms.empty()) continue;
          part.add(sent(c, a, t), -1);
          part.at_most(0, rows_);
        }
      }
    }
    if (problem_.min_transfers[c] > 0)
      all.at_most(-static_cast<long>(problem_.min_transfers[c]), rows_);
  }

  /// The total over an arc in step t.
  Sum load(std::size_t a, std::uint64_t t) {
    Sum sum;
    for (Chunk c = 0; c < problem_.chunks.size(); ++c) {
      if (!flows_of_[c].empty()) sum.add(sent(c, a, t));
    }
    return sum;
  }

  /// A capacity, or the most that all arcs together may have to carry at once, if that is less.
  long limit(Saturating capacity) const {
    return static_cast<long>(
        std::min(capacity, Saturating(problem_.chunks.size()) * instance_.arcs.size()).value());
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
    channels(loads);
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

  /// The messages of a channel carry no more chunks than their width allows.
  void channels(const std::vector<Sum>& loads) {
    std::vector<Sum> shared(instance_.channels.size());
    for (std::size_t a = 0; a < loads.size(); ++a) {
      for (const std::size_t channel : instance_.arcs[a].channels) shared[channel].add(loads[a]);
    }
    const Saturating width = instance_.arcs.front().capacity;
    for (std::size_t channel = 0; channel < shared.size(); ++channel) {
      shared[channel].at_most(limit(width * instance_.channels[channel]), rows_);
    }
  }

  const Instance& instance_;
  const FlowProblem& problem_;
  const PollLimits& poll_limits_;
  std::uint64_t T_;
  std::vector<std::vector<std::size_t>> flows_of_;  ///< of each chunk
  std::optional<Orbits> flow_orbits_, chunk_orbits_;
  std::vector<std::vector<Window>> windows_;  ///< by flow, node
  std::set<std::string> variables_, rows_;
};

}  // namespace

FlowProblem copy_flows(const std::vector<Delivery>& chunks) {
  FlowProblem result{chunks, {}, std::vector<std::uint64_t>(chunks.size()), true};
  for (Chunk c = 0; c < chunks.size(); ++c) result.flows.push_back({c, chunks[c]});
  return result;
}

std::optional<std::string> relaxation(const Instance& instance, const FlowProblem& problem,
                                      const PollLimits& poll_limits) {
  if (instance.logp || instance.arcs.empty()) return std::nullopt;
  if (Saturating(problem.flows.size()) * instance.arcs.size() * instance.steps >
      max_relaxed_sends) {
    return std::nullopt;
  }
  return Relaxation(instance, problem, poll_limits).text();
}

}  // namespace schedcc::prover
