// Reductions: whose contributions to a chunk are in what a node holds, when.
//
//     in(c, v, r, t)         r's contribution is in what node v holds of chunk c when step t begins
//     over(c, v, t)          some contribution counts twice or more in that
//     send(c, u, v, t)       u sends what it holds of chunk c to v in step t
//     copied(c, u, v, t)     that send replaces what v holds; any other is added to it
//     brings(c, u, v, r, t)  that send has r's contribution
//     replaced(c, v, t)      some send replaces what v holds
//
// and, from the reference, for every chunk, nodes, rank and step:
//
//     in(c, v, r, 0) <-> r is v
//     copied(c, u, v, t) -> send(c, u, v, t)
//     brings(c, u, v, r, t) <-> send(c, u, v, t) and in(c, u, r, t)
//     replaced(c, v, t) <-> some copied(c, u, v, t), and then v gets no other send of c
//     in(c, v, r, t+1) <-> some brings(c, u, v, r, t), or in(c, v, r, t) and not replaced(c, v, t)
//     over(c, v, t+1) <-> over(c, v, t) and not replaced(c, v, t), or something sent is over, or
//                         two of the things sent, or one and what stays, have a contribution alike
//     send(c, u, v, t) -> some in(c, u, r, t)     where u is a router; a rank holds its own
//     send(c, u, v, t) -> those in it are an interval of ranks     where operands are ordered
//     in the end, where v wants c: in for the ranks that it wants and for no other, and not over
//     what traffic.cpp says of the send(., u, v, t)                ports and capacities
//
// The hints, and the way back to a schedule, have files of their own (contribution_variables.hpp).
// A value that counts something twice is of no use, nor is any value made of it. So a schedule
// remains one when all transfers are left out by which a node would come to hold such a value:
// with hints, `over` is false.

#include "prover/contributions.hpp"

#include <algorithm>

#include "prover/contribution_variables.hpp"

namespace schedcc::prover {

namespace {

class Contributions {
 public:
  Contributions(const Instance& instance, const Problem& problem, const Hints& hints)
      : x_{instance, problem, deliveries(problem), {}, {}, {}}, hints_(hints) {}

  void encode(Formula& formula) {
    formula_ = &formula;
    traffic_.emplace(x_.instance, formula);
    for (Chunk c = 0; c < x_.chunks.size(); ++c) {
      for (Rank v = 0; v < x_.instance.nodes; ++v) values(c, v);
    }
    x_.sends.assign(x_.steps(),
                    std::vector<std::vector<ContributionSend>>(x_.instance.arcs.size()));
    for (std::uint64_t t = 0; t < x_.steps(); ++t) step(t);
    traffic_->carry(chunk_sends());
    for (Chunk c = 0; c < x_.chunks.size(); ++c) {
      for (const Rank v : x_.chunks[c].goals) goal(c, v);
    }
    add_hints(x_, hints_, formula);
  }

  std::shared_ptr<const Schedule> schedule(const std::vector<bool>& model) const {
    return prover::schedule(x_, *traffic_, hints_, model);
  }

 private:
  void values(Chunk c, Rank v) {
    x_.values.emplace_back(x_.ranks(), Literals(x_.steps() + 1, Formula::no));
    x_.over.emplace_back(x_.steps() + 1, Formula::no);
    for (Rank r = 0; r < x_.ranks(); ++r) {
      Literals& in = x_.values.back()[r];
      in[0] = r == v ? Formula::yes : Formula::no;
      for (std::uint64_t t = 1; t <= x_.steps(); ++t) {
        if (hints_.useful && t < x_.instance.distance[r][v]) continue;
        in[t] = formula_->variable("in", {c, v, r, t});
      }
    }
    for (std::uint64_t t = 1; t <= x_.steps() && !hints_.useful; ++t) {
      x_.over.back()[t] = formula_->variable("over", {c, v, t});
    }
  }

  void step(std::uint64_t t) {
    for (Chunk c = 0; c < x_.chunks.size(); ++c) {
      for (Rank v = 0; v < x_.instance.nodes; ++v) {
        std::vector<ContributionSend> sends;
        for (const std::size_t a : x_.instance.in[v]) {
          const Rank u = x_.instance.arcs[a].from;
          if (empty(c, u, t)) continue;
          sends.push_back(make_send(c, u, v, t));
          x_.sends[t][a].push_back(sends.back());
        }
        receive(c, v, t, sends);
      }
    }
    if (x_.problem.ordered) intervals(t);
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

  /// Is there surely nothing of chunk c at v?
  bool empty(Chunk c, Rank v, std::uint64_t t) const {
    return std::ranges::all_of(x_.values[x_.place(c, v)],
                               [&](const Literals& in) { return in[t] == Formula::no; });
  }

  ContributionSend make_send(Chunk c, Rank u, Rank v, std::uint64_t t) {
    ContributionSend send{c,
                          formula_->variable("send", {c, u, v, t}),
                          formula_->variable("copied", {c, u, v, t}),
                          {}};
    formula_->add({-send.copied, send.literal});
    Literals something{-send.literal};
    for (Rank r = 0; r < x_.ranks(); ++r) {
      const Literal in = x_.in(c, u, r, t);
      something.push_back(in);
      Literal brings = Formula::no;
      if (in != Formula::no) {
        brings = formula_->variable("brings", {c, u, v, r, t});
        formula_->add({-brings, send.literal});
        formula_->add({-brings, in});
        formula_->add({brings, -send.literal, -in});
      }
      send.brings.push_back(brings);
    }
    if (u >= x_.ranks()) formula_->add(something);  // a router may hold nothing
    return send;
  }

  /// What v holds of chunk c after step t, by what it held and what it was sent.
  void receive(Chunk c, Rank v, std::uint64_t t, const std::vector<ContributionSend>& sends) {
    const Literal replaced =
        sends.empty() ? Formula::no : formula_->variable("replaced", {c, v, t});
    Literals copies{-replaced};
    for (const ContributionSend& send : sends) {
      formula_->add({-send.copied, replaced});
      copies.push_back(send.copied);
      for (const ContributionSend& other : sends) {
        if (&other != &send) formula_->add({-send.copied, -other.literal});
      }
    }
    formula_->add(copies);
    for (Rank r = 0; r < x_.ranks(); ++r) contribution(c, v, r, t, sends, replaced);
    if (!hints_.useful) overcounts(c, v, t, sends, replaced);
  }

  void contribution(Chunk c, Rank v, Rank r, std::uint64_t t,
                    const std::vector<ContributionSend>& sends, Literal replaced) {
    const Literal before = x_.in(c, v, r, t), after = x_.in(c, v, r, t + 1);
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

  /// over: a value that was brought, or is added to, is so already, or two parts have something in
  /// common.
  void overcounts(Chunk c, Rank v, std::uint64_t t, const std::vector<ContributionSend>& sends,
                  Literal replaced) {
    const Literal before = x_.over[x_.place(c, v)][t], after = x_.over[x_.place(c, v)][t + 1];
    Literals reasons{-after};
    const auto because = [&](std::initializer_list<Literal> all) {
      const Literal reason = formula_->fresh();
      Literals back{reason};
      for (const Literal l : all) {
        formula_->add({-reason, l});
        back.push_back(-l);
      }
      formula_->add(back);
      formula_->add({-reason, after});
      reasons.push_back(reason);
    };
    because({before, -replaced});
    for (std::size_t i = 0; i < sends.size(); ++i) {
      because({sends[i].literal, x_.over[x_.place(c, sender(sends[i], v, t))][t]});
      for (Rank r = 0; r < x_.ranks(); ++r) {
        because({sends[i].brings[r], x_.in(c, v, r, t), -replaced});
        for (std::size_t j = 0; j < i; ++j) because({sends[i].brings[r], sends[j].brings[r]});
      }
    }
    formula_->add(reasons);
  }

  /// Who makes this send to v in step t.
  Rank sender(const ContributionSend& send, Rank v, std::uint64_t t) const {
    for (const std::size_t a : x_.instance.in[v]) {
      for (const ContributionSend& other : x_.sends[t][a]) {
        if (other.literal == send.literal) return x_.instance.arcs[a].from;
      }
    }
    return v;
  }

  /// What is sent in step t holds the contributions of an interval of ranks.
  void intervals(std::uint64_t t) {
    for (std::size_t a = 0; a < x_.instance.arcs.size(); ++a) {
      for (const ContributionSend& send : x_.sends[t][a])
        interval(send.literal, send.chunk, x_.instance.arcs[a].from, t);
    }
  }
  void interval(Literal condition, Chunk c, Rank v, std::uint64_t t) {
    for (Rank r = 0; r + 2 < x_.ranks(); ++r) {
      for (Rank q = r + 2; q < x_.ranks(); ++q) {
        formula_->add({-condition, -x_.in(c, v, r, t), x_.in(c, v, r + 1, t), -x_.in(c, v, q, t)});
      }
    }
  }

  void goal(Chunk c, Rank v) {
    for (Rank r = 0; r < x_.ranks(); ++r) {
      formula_->add({r < x_.wanted(v) ? x_.in(c, v, r, x_.steps()) : -x_.in(c, v, r, x_.steps())});
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
                              const std::function<void()>& watch) {
  Encoding result{Formula(watch), {}};
  const auto contributions = std::make_shared<Contributions>(instance, problem, hints);
  contributions->encode(result.formula);
  result.schedule = [contributions](const std::vector<bool>& model) {
    return contributions->schedule(model);
  };
  return result;
}

}  // namespace schedcc::prover
