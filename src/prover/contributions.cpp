// Reductions: whose contributions to a chunk are in what a node holds, when.
//
//     in(c, v, r, t)      node v holds, when step t begins, a value of chunk c with r's
//     contribution over(c, v, t)       ... in which some contribution counts twice or more send(c,
//     u, v, t)    the value goes from u to v in step t, copied(c, u, v, t)  and replaces what v
//     holds; else it is added to it brings(c, u, v, r, t)  = send(c, u, v, t) and in(c, u, r, t)
//     replaced(c, v, t)   = some copied(c, u, v, t), and then there is no other send to v
//
// A value that counts something twice is of no use, nor is any value made of it. So a schedule
// remains one when all transfers are left out by which a node would come to hold such a value:
// with hints, `over` is false.

#include "prover/contributions.hpp"

#include <algorithm>

#include "prover/symmetry.hpp"
#include "prover/traffic.hpp"

namespace schedcc::prover {

namespace {

class Contributions {
 public:
  Contributions(const Instance& instance, const Problem& problem, const Hints& hints)
      : instance_(instance),
        problem_(problem),
        chunks_(deliveries(problem)),
        hints_(hints),
        P_(problem.ranks),
        T_(instance.steps) {}

  void encode(Formula& formula) {
    formula_ = &formula;
    traffic_.emplace(instance_, formula);
    for (Chunk c = 0; c < chunks_.size(); ++c) {
      for (Rank v = 0; v < instance_.nodes; ++v) values(c, v);
    }
    sends_.assign(T_, std::vector<std::vector<Send>>(instance_.arcs.size()));
    for (std::uint64_t t = 0; t < T_; ++t) step(t);
    traffic_->carry(chunk_sends());
    for (Chunk c = 0; c < chunks_.size(); ++c) {
      for (const Rank v : chunks_[c].goals) goal(c, v);
    }
    if (hints_.useful) in_time();
    if (hints_.counts && instance_.ports) growth();
    if (hints_.order) order();
  }

  std::shared_ptr<const Schedule> schedule(const std::vector<bool>& model) const {
    const auto kept = needed(model);
    auto result = std::make_shared<Schedule>();
    for (std::uint64_t t = 0; t < T_; ++t) {
      result->begin_step(t, traffic_->rounds(t, model));
      for (std::size_t a = 0; a < instance_.arcs.size(); ++a) {
        for (const Send* send : kept[t][a]) {
          Transfer transfer = copy(instance_.arcs[a].from, instance_.arcs[a].to, send->chunk);
          transfer.reduce = is_true(model, send->copied) ? 0 : 1;
          result->add(transfer);
        }
      }
    }
    return result;
  }

 private:
  struct Send {
    Chunk chunk;
    Literal literal, copied;
    Literals brings;  ///< by rank
  };

  static bool is_true(const std::vector<bool>& model, Literal l) {
    return model[static_cast<std::size_t>(l)];
  }
  static bool value(const std::vector<bool>& model, Literal l) {
    return l > 0 ? is_true(model, l) : !is_true(model, -l);
  }

  std::size_t place(Chunk c, Rank v) const { return c * instance_.nodes + v; }
  Literal in(Chunk c, Rank v, Rank r, std::uint64_t t) const { return in_[place(c, v)][r][t]; }

  void values(Chunk c, Rank v) {
    in_.emplace_back(P_, Literals(T_ + 1, Formula::no));
    over_.emplace_back(T_ + 1, Formula::no);
    for (Rank r = 0; r < P_; ++r) {
      Literals& in = in_.back()[r];
      in[0] = r == v ? Formula::yes : Formula::no;
      for (std::uint64_t t = 1; t <= T_; ++t) {
        if (hints_.useful && t < instance_.distance[r][v]) continue;
        in[t] = formula_->variable("in", {c, v, r, t});
      }
    }
    for (std::uint64_t t = 1; t <= T_ && !hints_.useful; ++t) {
      over_.back()[t] = formula_->variable("over", {c, v, t});
    }
  }

  void step(std::uint64_t t) {
    for (Chunk c = 0; c < chunks_.size(); ++c) {
      for (Rank v = 0; v < instance_.nodes; ++v) {
        std::vector<Send> sends;
        for (const std::size_t a : instance_.in[v]) {
          const Rank u = instance_.arcs[a].from;
          if (empty(c, u, t)) continue;
          sends.push_back(make_send(c, u, v, t));
          sends_[t][a].push_back(sends.back());
        }
        receive(c, v, t, sends);
      }
    }
    if (problem_.ordered) intervals(t);
  }

  Sends chunk_sends() const {
    Sends result(T_, std::vector<std::vector<ChunkSend>>(instance_.arcs.size()));
    for (std::uint64_t t = 0; t < T_; ++t) {
      for (std::size_t a = 0; a < instance_.arcs.size(); ++a) {
        for (const Send& send : sends_[t][a]) result[t][a].push_back({send.chunk, send.literal});
      }
    }
    return result;
  }

  /// Is there surely nothing of chunk c at v?
  bool empty(Chunk c, Rank v, std::uint64_t t) const {
    return std::ranges::all_of(in_[place(c, v)],
                               [&](const Literals& in) { return in[t] == Formula::no; });
  }

  Send make_send(Chunk c, Rank u, Rank v, std::uint64_t t) {
    Send send{c,
              formula_->variable("send", {c, u, v, t}),
              formula_->variable("copied", {c, u, v, t}),
              {}};
    formula_->add({-send.copied, send.literal});
    Literals something{-send.literal};
    for (Rank r = 0; r < P_; ++r) {
      const Literal in = this->in(c, u, r, t);
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
    if (u >= P_) formula_->add(something);  // a router may hold nothing
    return send;
  }

  /// What v holds of chunk c after step t, by what it held and what it was sent.
  void receive(Chunk c, Rank v, std::uint64_t t, const std::vector<Send>& sends) {
    const Literal replaced =
        sends.empty() ? Formula::no : formula_->variable("replaced", {c, v, t});
    Literals copies{-replaced};
    for (const Send& send : sends) {
      formula_->add({-send.copied, replaced});
      copies.push_back(send.copied);
      for (const Send& other : sends) {
        if (&other != &send) formula_->add({-send.copied, -other.literal});
      }
    }
    formula_->add(copies);
    for (Rank r = 0; r < P_; ++r) contribution(c, v, r, t, sends, replaced);
    if (!hints_.useful) overcounts(c, v, t, sends, replaced);
  }

  void contribution(Chunk c, Rank v, Rank r, std::uint64_t t, const std::vector<Send>& sends,
                    Literal replaced) {
    const Literal before = in(c, v, r, t), after = in(c, v, r, t + 1);
    Literals brought;
    for (const Send& send : sends) {
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
  void overcounts(Chunk c, Rank v, std::uint64_t t, const std::vector<Send>& sends,
                  Literal replaced) {
    const Literal before = over_[place(c, v)][t], after = over_[place(c, v)][t + 1];
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
      because({sends[i].literal, over_[place(c, sender(sends[i], v, t))][t]});
      for (Rank r = 0; r < P_; ++r) {
        because({sends[i].brings[r], in(c, v, r, t), -replaced});
        for (std::size_t j = 0; j < i; ++j) because({sends[i].brings[r], sends[j].brings[r]});
      }
    }
    formula_->add(reasons);
  }

  /// Who makes this send to v in step t.
  Rank sender(const Send& send, Rank v, std::uint64_t t) const {
    for (const std::size_t a : instance_.in[v]) {
      for (const Send& other : sends_[t][a]) {
        if (other.literal == send.literal) return instance_.arcs[a].from;
      }
    }
    return v;
  }

  /// What is sent in step t holds the contributions of an interval of ranks.
  void intervals(std::uint64_t t) {
    for (std::size_t a = 0; a < instance_.arcs.size(); ++a) {
      for (const Send& send : sends_[t][a])
        interval(send.literal, send.chunk, instance_.arcs[a].from, t);
    }
  }
  void interval(Literal condition, Chunk c, Rank v, std::uint64_t t) {
    for (Rank r = 0; r + 2 < P_; ++r) {
      for (Rank q = r + 2; q < P_; ++q) {
        formula_->add({-condition, -in(c, v, r, t), in(c, v, r + 1, t), -in(c, v, q, t)});
      }
    }
  }

  /// How many ranks' contributions, from 0 on, v wants.
  Rank wanted(Rank v) const {
    if (problem_.collective == Collective::scan) return v + 1;
    if (problem_.collective == Collective::exscan) return v;
    return P_;
  }

  void goal(Chunk c, Rank v) {
    for (Rank r = 0; r < P_; ++r) {
      formula_->add({r < wanted(v) ? in(c, v, r, T_) : -in(c, v, r, T_)});
    }
    formula_->add({-over_[place(c, v)][T_]});
  }

  /// Who wants a contribution has somebody near enough in whose value it is.
  void in_time() {
    for (Chunk c = 0; c < chunks_.size(); ++c) {
      for (const Rank goal : chunks_[c].goals) {
        for (Rank r = 0; r < wanted(goal); ++r) {
          for (std::uint64_t t = 1; t < T_; ++t) {
            Literals near;
            for (Rank v = 0; v < instance_.nodes; ++v) {
              if (instance_.distance[v][goal] <= T_ - t) near.push_back(in(c, v, r, t));
            }
            formula_->add(near);
          }
        }
      }
    }
  }

  /// With k ports those who hold a contribution are at most k + 1 times as many after a step.
  void growth() {
    const std::uint64_t k = instance_.ports->send;
    for (Chunk c = 0; c < chunks_.size(); ++c) {
      for (Rank r = 0; r < P_; ++r) {
        auto holders = static_cast<std::uint64_t>(
            std::ranges::count_if(chunks_[c].goals, [&](Rank goal) { return r < wanted(goal); }));
        for (std::uint64_t t = T_; t-- > 0;) {
          holders = (holders + k) / (k + 1);
          if (holders <= 1) break;
          Literals all;
          for (Rank v = 0; v < instance_.nodes; ++v) all.push_back(in(c, v, r, t));
          formula_->at_least(all, holders);
        }
      }
    }
  }

  /// Ranks of a scan differ, and so they do if operands have an order.
  void order() {
    formula_->begin_choice();
    const bool alike = !problem_.ordered && problem_.collective != Collective::scan &&
                       problem_.collective != Collective::exscan;
    for (const Symmetry& symmetry :
         symmetries(instance_, chunks_, alike, [this] { formula_->look(); })) {
      std::vector<std::pair<Literals, Literals>> times;
      for (std::uint64_t t = 1; t <= T_; ++t) {
        for (Chunk c = 0; c < chunks_.size(); ++c) {
          for (Rank v = 0; v < instance_.nodes; ++v) {
            for (Rank r = 0; r < P_; ++r) {
              times.push_back({{in(c, v, r, t)},
                               {in(symmetry.chunk[c], symmetry.node[v], symmetry.node[r], t)}});
            }
          }
        }
      }
      first_of_equals(*formula_, times);
    }
  }

  /// Do both ends of the arc hold the same contributions? Then one that is sent is a copy, and one
  /// can do without it.
  bool same(const std::vector<bool>& model, Chunk c, const Arc& arc, std::uint64_t t) const {
    for (Rank r = 0; r < P_; ++r) {
      if (value(model, in(c, arc.from, r, t)) != value(model, in(c, arc.to, r, t))) return false;
    }
    return true;
  }

  /// The sends of a model by step and arc; with hints, only those that end up in a value that is
  /// wanted.
  std::vector<std::vector<std::vector<const Send*>>> needed(const std::vector<bool>& model) const {
    std::vector<std::vector<std::vector<const Send*>>> kept(
        T_, std::vector<std::vector<const Send*>>(instance_.arcs.size()));
    std::vector<bool> need(chunks_.size() * instance_.nodes);
    for (Chunk c = 0; c < chunks_.size(); ++c) {
      for (const Rank v : chunks_[c].goals) need[place(c, v)] = true;
    }
    for (std::uint64_t t = T_; t-- > 0;) {
      std::vector<bool> before = need;
      for (std::size_t a = 0; a < instance_.arcs.size(); ++a) {
        const Arc& arc = instance_.arcs[a];
        for (const Send& send : sends_[t][a]) {
          if (!is_true(model, send.literal)) continue;
          if (hints_.useful && !need[place(send.chunk, arc.to)]) continue;
          if (hints_.useful && same(model, send.chunk, arc, t)) continue;
          kept[t][a].push_back(&send);
          if (is_true(model, send.copied)) before[place(send.chunk, arc.to)] = false;
        }
      }
      for (std::size_t a = 0; a < instance_.arcs.size(); ++a) {
        for (const Send* send : kept[t][a])
          before[place(send->chunk, instance_.arcs[a].from)] = true;
      }
      need = std::move(before);
    }
    return kept;
  }

  Instance instance_;
  Problem problem_;
  std::vector<Delivery> chunks_;
  Hints hints_;
  Rank P_;
  std::uint64_t T_;
  Formula* formula_ = nullptr;
  std::optional<Traffic> traffic_;
  std::vector<std::vector<Literals>> in_;              ///< by place, rank, step
  std::vector<Literals> over_;                         ///< by place, step
  std::vector<std::vector<std::vector<Send>>> sends_;  ///< by step, arc
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
