// Reductions: whose contributions to a chunk are in the value of a node, in each step.
//
//     in(c, v, r, t)         the value of chunk c at node v when step t begins has r's contribution
//     over(c, v, t)          some contribution counts twice or more in that value
//     send(c, u, v, t)       u sends its value of chunk c to v in step t
//     copied(c, u, v, t)     that send replaces the value of v; any other is added to it
//     brings(c, u, v, r, t)  that send has r's contribution
//     replaced(c, v, t)      the old value of chunk c at v is replaced when step t begins
//
// By the definition of docs/semantics.md, "Reductions", for all chunks, nodes, ranks and steps:
//
//     in(c, v, r, 0) <-> r is v, and has a contribution to c
//     copied(c, u, v, t) -> send(c, u, v, t)
//     brings(c, u, v, r, t) <-> send(c, u, v, t) and in(c, u, r, t)
//     replaced(c, v, t+1) <-> some copied(c, u, v, t), and then v gets no other send of c
//     in(c, v, r, t+1) <-> some brings(c, u, v, r, t),
//                          or in(c, v, r, t) and not replaced(c, v, t+1)
//     over(c, v, t+1) <-> over(c, v, t) and not replaced(c, v, t+1), or a value sent is over,
//                         or two of the values sent and the kept value have a contribution
//                         in common
//     send(c, u, v, t) -> some in(c, u, r, t)     where u does not start with c
//     send(c, u, v, t) -> the r with in(c, u, r, t) are an interval of the contributors of c
//                                                 where operands are ordered
//     at the end, where v wants c: in(c, v, r, steps) for exactly the r that it wants, and not over
//     the limits of traffic.cpp on the send(., u, v, t): ports and capacities
//
// Transfers that take longer than a step, on LogP or on a route without waiting, are sent in step t
// and arrive in step t + latency instead of t + 1. A custom collective may have chunks that are not
// reduced: each has one contribution, its value, that all its sources hold, and is always copied.
//
// analysis/reduction_holdings.cpp applies the same definition to a given schedule, and stores only
// the values that occur in it. Here the schedule is unknown, so every possible value has variables.
// The two share no code beyond the problem; tests check every schedule that is found with the
// other.
//
// The hints, and the conversion to a schedule, are in separate files (contribution_variables.hpp).
// A value with a contribution counted twice is useless, and so is any value derived from it. So a
// schedule remains valid without the transfers by which a node would get such a value: with hints,
// `over` is false.

#include "prove/sat/clauses/contributions.hpp"

#include <algorithm>
#include <utility>

#include "prove/sat/clauses/contribution_variables.hpp"
#include "prove/sat/question/calls.hpp"

namespace schedcc::prover {

namespace {

class Contributions {
 public:
  Contributions(const Instance& instance, const Problem& problem, Hints hints)
      : x_{instance, problem, deliveries(problem), {}, {}, {}}, hints_(std::move(hints)) {}

  void encode(Formula& formula) {
    formula_ = &formula;
    traffic_.emplace(x_.instance, formula);
    if (hints_.counts && !hints_.argued && excess_transfers(x_) > 0) return formula.add({});
    for (Chunk c = 0; c < x_.chunks.size(); ++c) {
      for (Rank v = 0; v < x_.instance.nodes; ++v) values(c, v);
    }
    x_.sends.assign(x_.steps(),
                    std::vector<std::vector<ContributionSend>>(x_.instance.arcs.size()));
    for (std::uint64_t t = 1; t <= x_.steps(); ++t) {
      for (Chunk c = 0; c < x_.chunks.size(); ++c) {
        for (Rank v = 0; v < x_.instance.nodes; ++v) receive(c, v, t);
      }
    }
    if (x_.problem.ordered) {
      for_each_send([&](const ContributionSend& send) { interval(send); });
    }
    traffic_->carry(chunk_sends());
    if (x_.instance.rendezvous) {
      complete_calls(x_.instance, traffic_->messages(), std::nullopt, formula);
    }
    for (Chunk c = 0; c < x_.chunks.size(); ++c) {
      for (const Rank v : x_.chunks[c].goals) goal(c, v);
    }
    add_hints(x_, hints_, formula);
  }

  std::string facts() const { return contribution_facts(x_); }
  std::optional<std::string> relaxation(const PollLimits& poll_limits) const {
    return prover::relaxation(x_.instance, contribution_flows(x_), poll_limits);
  }
  std::shared_ptr<const Schedule> schedule(const Model& model) const {
    return prover::schedule(x_, *traffic_, hints_, model);
  }

 private:
  void values(Chunk c, Rank v) {
    std::vector<Literals>& values =
        x_.values.emplace_back(x_.ranks(), Literals(x_.steps() + 1, Formula::no));
    for (const Rank r : x_.contributors(c)) {
      const auto first =
          x_.instance.nearest(x_.starts(c, r), v);  // the earliest step in which it can be here
      if (first == std::uint64_t{0}) values[r][0] = Formula::yes;
      for (std::uint64_t t = 1; t <= x_.steps(); ++t) {
        if (hints_.useful && (!first || t < *first)) continue;
        values[r][t] = formula_->variable("in", {c, v, r, t});
      }
      if (!x_.chunks[c].reduced) {
        for (const Rank start : x_.starts(c, r)) values[start] = values[r];
      }
    }
    x_.over.emplace_back(x_.steps() + 1, Formula::no);
    for (std::uint64_t t = 1; t <= x_.steps() && !hints_.useful; ++t) {
      x_.over.back()[t] = formula_->variable("over", {c, v, t});
    }
  }

  template <typename Visit>
  void for_each_send(const Visit& visit) const {
    for (const auto& arcs : x_.sends) {
      for (const auto& sends : arcs) {
        for (const ContributionSend& send : sends) visit(send);
      }
    }
  }

  Sends chunk_sends() const {
    Sends result(x_.steps(), std::vector<std::vector<ChunkSend>>(x_.instance.arcs.size()));
    for (std::uint64_t t = 0; t < x_.steps(); ++t) {
      for (std::size_t a = 0; a < x_.instance.arcs.size(); ++a) {
        for (const ContributionSend& send : x_.sends[t][a])
          result[t][a].push_back({send.chunk, send.literal});
      }
    }
    return result;
  }

  /// Does v certainly hold no contribution to c?
  bool empty(Chunk c, Rank v, std::uint64_t t) const {
    return std::ranges::all_of(x_.contributors(c),
                               [&](Rank r) { return x_.in(c, v, r, t) == Formula::no; });
  }

  ContributionSend make_send(Chunk c, Rank u, Rank v, std::uint64_t t) {
    ContributionSend send{c,
                          u,
                          t,
                          formula_->variable("send", {c, u, v, t}),
                          formula_->variable("copied", {c, u, v, t}),
                          Literals(x_.ranks(), Formula::no)};
    formula_->add({-send.copied, send.literal});
    if (!x_.chunks[c].reduced) formula_->add({-send.literal, send.copied});
    Literals contributions{-send.literal};
    for (const Rank r : x_.contributors(c)) {
      const Literal in = x_.in(c, u, r, t);
      contributions.push_back(in);
      if (in == Formula::no) continue;
      const Literal brings = send.brings[r] = formula_->variable("brings", {c, u, v, r, t});
      formula_->add({-brings, send.literal});
      formula_->add({-brings, in});
      formula_->add({brings, -send.literal, -in});
    }
    if (!x_.chunks[c].starts_at(u))
      formula_->add(contributions);  // else it always holds a contribution
    return send;
  }

  /// The value of chunk c at v when step `arrival` begins, from its previous value and the values
  /// sent to it.
  void receive(Chunk c, Rank v, std::uint64_t arrival) {
    std::vector<ContributionSend> sends;
    for (const std::size_t a : x_.instance.in[v]) {
      const Arc& arc = x_.instance.arcs[a];
      if (arc.latency > arrival) continue;
      const std::uint64_t t = arrival - arc.latency;
      if (empty(c, arc.from, t)) continue;
      sends.push_back(make_send(c, arc.from, v, t));
      x_.sends[t][a].push_back(sends.back());
    }
    const Literal replaced =
        sends.empty() ? Formula::no : formula_->variable("replaced", {c, v, arrival});
    Literals copies{-replaced};
    for (const ContributionSend& send : sends) {
      formula_->add({-send.copied, replaced});
      copies.push_back(send.copied);
      for (const ContributionSend& other : sends) {
        if (&other != &send) formula_->add({-send.copied, -other.literal});
      }
    }
    formula_->add(copies);
    for (const Rank r : x_.contributors(c)) contribution(c, v, r, arrival, sends, replaced);
    if (!hints_.useful) overcounts(c, v, arrival, sends, replaced);
  }

  void contribution(Chunk c, Rank v, Rank r, std::uint64_t arrival,
                    const std::vector<ContributionSend>& sends, Literal replaced) {
    const Literal before = x_.in(c, v, r, arrival - 1), after = x_.in(c, v, r, arrival);
    Literals brought;
    for (const ContributionSend& send : sends) {
      if (send.brings[r] == Formula::no) continue;
      brought.push_back(send.brings[r]);
      formula_->add({-send.brings[r], after});
    }
    formula_->add({-before, replaced, after});
    Literals reasons = brought;
    reasons.push_back(-after);
    reasons.push_back(-replaced);
    formula_->add(reasons);
    reasons.back() = before;
    formula_->add(reasons);
    if (hints_.useful) {
      for (const Literal brings : brought) formula_->add({-brings, -before, replaced});
      formula_->at_most(brought, 1);
    }
  }

  /// over: a value that was brought, or is added to, is over already, or two parts have a
  /// contribution in common.
  void overcounts(Chunk c, Rank v, std::uint64_t arrival,
                  const std::vector<ContributionSend>& sends, Literal replaced) {
    const Literals& over = x_.over[x_.place(c, v)];
    Literals reasons{-over[arrival]};
    const auto because = [&](std::initializer_list<Literal> all) {
      const Literal reason = formula_->fresh();
      Literals back{reason};
      for (const Literal l : all) {
        formula_->add({-reason, l});
        back.push_back(-l);
      }
      formula_->add(back);
      formula_->add({-reason, over[arrival]});
      reasons.push_back(reason);
    };
    because({over[arrival - 1], -replaced});
    for (std::size_t i = 0; i < sends.size(); ++i) {
      because({sends[i].literal, x_.over[x_.place(c, sends[i].from)][sends[i].step]});
      for (const Rank r : x_.contributors(c)) {
        because({sends[i].brings[r], x_.in(c, v, r, arrival - 1), -replaced});
        for (std::size_t j = 0; j < i; ++j) because({sends[i].brings[r], sends[j].brings[r]});
      }
    }
    formula_->add(reasons);
  }

  /// Values that are sent have contributions of consecutive ranks.
  void interval(const ContributionSend& send) {
    const std::span<const Rank> all = x_.contributors(send.chunk);
    const auto in = [&](std::size_t i) { return x_.in(send.chunk, send.from, all[i], send.step); };
    for (std::size_t i = 0; i + 2 < all.size(); ++i) {
      for (std::size_t j = i + 2; j < all.size(); ++j) {
        formula_->add({-send.literal, -in(i), in(i + 1), -in(j)});
      }
    }
  }

  void goal(Chunk c, Rank v) {
    if (x_.contributors(c).empty()) formula_->add({});  // no node has it
    for (const Rank r : x_.contributors(c)) {
      const Literal in = x_.in(c, v, r, x_.steps());
      formula_->add({requires_contribution(x_.problem, v, r) ? in : -in});
    }
    formula_->add({-x_.over[x_.place(c, v)][x_.steps()]});
  }

  ContributionVariables x_;
  Hints hints_;
  Formula* formula_ = nullptr;
  std::optional<Traffic> traffic_;
};

}  // namespace

Encoding encode_contributions(const Instance& instance, const Problem& problem, const Hints& hints,
                              const PollLimits& poll_limits) {
  const auto contributions = std::make_shared<Contributions>(instance, problem, hints);
  Encoding result = encode_by(contributions, poll_limits);
  if (hints.argued && !result.formula.derived().empty()) result.facts = contributions->facts();
  if (hints.relax) {
    result.relaxation = [contributions](const PollLimits& limits) {
      return contributions->relaxation(limits);
    };
  }
  return result;
}

}  // namespace schedcc::prover
