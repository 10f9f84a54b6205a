// Conditions on numbers of chunks, which a solver could find only by exhaustive search. Each
// follows from the capacity of ports, links or cuts in some of the steps.
//
//     receptions the chunks that a node receives in some steps fit through its arcs or ports
//     departures so do those that leave the only source of chunks
//     cuts       so do those that leave some ranks by their channels
//     crossings so do those that must cross an arc to which there is no alternative
//     growth the holders of a chunk grow at most (k + 1)-fold in a step
//     totals     all messages of all ranks together
//     sends      the messages by which a source spreads its chunks (source_sends.cpp)
//     prices     all ports and channels, or links, together, weighted (prices.cpp)
//     messages   all messages of a step together, weighted (message_prices.cpp)

#include "prove/sat/bounds/counting.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <variant>

#include <fmt/core.h>

#include "core/join.hpp"
#include "prove/sat/bounds/crossings.hpp"
#include "prove/sat/bounds/source_sends.hpp"
#include "prove/sat/bounds/step_bounds.hpp"
#include "prove/sat/question/channels.hpp"

namespace schedcc::prover {

namespace {

/// "a": 1, "b": [2, 3]: the members of an argument.
std::string member(std::string_view name, std::uint64_t value) {
  return fmt::format(", \"{}\": {}", name, value);
}
std::string member(std::string_view name, const std::ranges::range auto& values) {
  return fmt::format(", \"{}\": [{}]", name, join(values, ", "));
}

/// The beginning of an argument by prices.
std::string price_lists(const Prices& of) {
  if (!of.links.empty()) return "\"prices\"" + member("link", of.links);
  return "\"prices\"" + member("send", of.send) + member("receive", of.receive) +
         member("channel", of.channels);
}
std::string price_lists(const MessagePrices& of) {
  return "\"messages\"" + member("price", of.of_arc);
}

/// The argument that a source sends too little.
std::string overtaxed(Rank source) {
  return "\"sends\"" + member("node", source) + member("at_least", 1);
}

/// Runs `add`, whose clauses follow by an argument that begins so.
void add_argued(const std::string& argument, const std::function<void()>& add, Formula& formula) {
  formula.derive(fmt::format("{{\"by\": {}", argument), add);
}

class CountingClauses {
 public:
  CountingClauses(const CopyQuestion& question, const std::vector<std::vector<Literals>>& has,
                  Traffic& traffic, Formula& formula, bool argued)
      : instance_(question.instance),
        chunks_(question.chunks),
        has_(has),
        traffic_(traffic),
        formula_(formula),
        argued_(argued),
        T_(question.instance.steps) {}

  void all() {
    if (instance_.arcs.empty()) return;
    receptions();
    departures();
    cuts();
    if (!instance_.ports && !instance_.logp && instance_.links.empty()) crossings();
    if (instance_.extra_rounds > 0 && !argued_) receptions_by_rounds();
    if (instance_.ports) growth();
    if (instance_.ports) totals();
  }

 private:
  Literal has(Chunk c, Rank v, std::uint64_t t) const { return has_[c][v][t]; }

  Literals all_at(Rank v, std::span<const Chunk> some, std::uint64_t t) const {
    Literals result;
    for (const Chunk c : some) result.push_back(has(c, v, t));
    return result;
  }

  /// `argument` makes the beginning of an argument, if one is requested.
  template <typename Argument>
  void at_most(const Literals& literals, Saturating k, const Argument& argument) {
    if (k >= literals.size()) return;
    derive([&] { return argument() + member("at_most", k.value()); },
           [&] { formula_.at_most(literals, k.value()); });
  }
  template <typename Argument>
  void at_least(const Literals& literals, Saturating k, const Argument& argument) {
    if (k == 0) return;
    derive([&] { return argument() + member("at_least", k.value()); },
           [&] { add_at_least(literals, k.value()); });
  }
  template <typename Argument, typename Add>
  void derive(const Argument& argument, const Add& add) {
    if (!argued_) return add();
    add_argued(argument(), add, formula_);
  }

  void add_at_least(const Literals& literals, std::uint64_t k) {
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

  /// A node cannot receive more than its arcs or ports allow: neither in the steps so far nor in
  /// the remaining ones.
  void receptions() {
    for (Rank v = 0; v < instance_.nodes; ++v) {
      std::vector<Chunk> others, wanted;
      for (Chunk c = 0; c < chunks_.size(); ++c) {
        if (chunks_[c].starts_at(v)) continue;
        others.push_back(c);
        if (chunks_[c].wanted_by(v)) wanted.push_back(c);
      }
      const auto argument = [&](std::span<const Chunk> some, std::uint64_t t) {
        return "\"into\"" + member("node", v) + member("step", t) + member("chunks", some);
      };
      at_most(all_at(v, others, T_), instance_.receivable(v, T_),
              [&] { return argument(others, T_); });
      for (std::uint64_t t = 1; t < T_; ++t) {
        at_least(all_at(v, wanted, t), remaining(wanted.size(), instance_.receivable(v, T_ - t)),
                 [&] { return argument(wanted, t); });
      }
    }
  }

  /// The same for steps of several rounds: by the number of rounds so far.
  void receptions_by_rounds() {
    const std::uint64_t all = T_ + instance_.extra_rounds;
    for (std::uint64_t t = 1; t < T_; ++t) {
      const Literals extra = traffic_.extra_before(t);
      for (Rank v = 0; v < instance_.nodes; ++v) {
        Saturating capacity = 0;  // a round
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
          // More have arrived than fit into that many rounds: there have been more rounds.
          if (const Saturating fit = capacity * rounds; fit < received.size()) {
            formula_.add({-received[fit.value()], more_than(extra, rounds - t)});
          }
          // More are missing than fit into the remaining ones: there have been fewer.
          if (const Saturating fit = capacity * (all - rounds); fit < missing.size()) {
            formula_.add({-missing[fit.value()],
                          rounds == t ? Formula::no : -more_than(extra, rounds - t - 1)});
          }
        }
      }
    }
  }

  static Literal more_than(const Literals& extra, std::uint64_t count) {
    return count < extra.size() ? extra[count] : Formula::no;
  }

  /// Nor can it send more: bounds on the chunks that have left it by a step, and that must have
  /// left to arrive in time.
  void departures() {
    for (Rank v = 0; v < instance_.nodes; ++v) {
      std::vector<bool> inside(instance_.nodes);
      inside[v] = true;
      leave(inside, "\"out of\"" + member("node", v),
            [&](std::uint64_t t) { return instance_.sendable(v, t); });
    }
  }

  /// Nor can several ranks together, over the channels that all of their messages to others take.
  void cuts() {
    if (instance_.channels.empty()) return;
    const Saturating width = instance_.arcs.front().capacity;
    for (const ChannelCut& cut : channel_cuts(instance_, [this] { formula_.poll_limits(); })) {
      std::vector<Rank> ranks;
      for (Rank v = 0; v < instance_.ranks; ++v) {
        if (cut.inside[v]) ranks.push_back(v);
      }
      leave(cut.inside, "\"cut\"" + member("nodes", ranks),
            [&](std::uint64_t t) { return width * cut.messages * t; });
    }
  }

  /// States that of the chunks that start at the nodes `inside` only, and are wanted elsewhere, no
  /// more than `capacity(t)` have left them by step t.
  template <typename Capacity>
  void leave(const std::vector<bool>& inside, const std::string& by, const Capacity& capacity) {
    std::vector<Chunk> own;
    for (Chunk c = 0; c < chunks_.size(); ++c) {
      const auto within = [&](Rank v) { return inside[v]; };
      if (chunks_[c].sources.empty() || !std::ranges::all_of(chunks_[c].sources, within)) continue;
      if (!std::ranges::all_of(chunks_[c].goals, within)) own.push_back(c);
    }
    for (std::uint64_t t = 1; t <= T_; ++t) {
      const Saturating most = capacity(t);
      if (most >= own.size()) continue;
      const auto argument = [&] {
        return by + member("step", t) + member("chunks", own) + member("at_most", most.value());
      };
      derive(argument, [&] {
        Literals left;
        for (const Chunk c : own) left.push_back(has_left(c, inside, t));
        formula_.at_most(left, most.value());
      });
    }
  }

  /// Does a node that is not inside hold c, all of whose sources are, when step t begins?
  Literal has_left(Chunk c, const std::vector<bool>& inside, std::uint64_t t) {
    std::uint64_t farthest = 0;
    for (const Rank goal : chunks_[c].goals) {
      if (inside[goal]) continue;
      const auto distance = from_inside(inside, goal);
      if (!distance || *distance > T_) return Formula::yes;  // it cannot arrive in time at all
      farthest = std::max(farthest, *distance);
    }
    if (t + farthest >= T_ + instance_.slowest) return Formula::yes;
    const Literal left = formula_.fresh();
    for (Rank u = 0; u < instance_.nodes; ++u) {
      if (!inside[u]) formula_.add({-has(c, u, t), left});
    }
    return left;
  }

  /// Steps from the nearest of some nodes to v.
  std::optional<std::uint64_t> from_inside(const std::vector<bool>& inside, Rank v) const {
    std::optional<std::uint64_t> result;
    for (Rank u = 0; u < instance_.nodes; ++u) {
      const auto& distance = instance_.distance[u][v];
      if (inside[u] && distance && (!result || *distance < *result)) result = distance;
    }
    return result;
  }

  /// With k ports the number of holders of a chunk grows at most (k + 1)-fold in a step.
  void growth() {
    for (Chunk c = 0; c < chunks_.size(); ++c) {
      std::uint64_t holders = chunks_[c].goals.size() + chunks_[c].sources.size();
      for (std::uint64_t t = T_; t-- > 0;) {
        holders = (holders + instance_.ports->send) / (std::uint64_t{instance_.ports->send} + 1);
        if (holders <= chunks_[c].sources.size()) break;
        Literals all;
        for (Rank v = 0; v < instance_.nodes; ++v) all.push_back(has(c, v, t));
        at_least(all, holders,
                 [&] { return "\"growth\"" + member("chunk", c) + member("step", t); });
      }
    }
  }

  /// All receptions of a step: limited by the ports of the ranks that lack a chunk, and by the
  /// senders that hold one, whose number grows (k + 1)-fold in each step.
  void totals() {
    const std::vector<Saturating> received = most_received(instance_, chunks_, T_);
    std::uint64_t wanted = 0;
    std::set<Rank> receivers;
    for (const Delivery& chunk : chunks_) {
      wanted += chunk.goals.size();
      receivers.insert(chunk.goals.begin(), chunk.goals.end());
    }
    const Saturating most = instance_.step_capacity(receivers.size());
    for (std::uint64_t t = 1; t <= T_; ++t) {
      Literals all, goals;
      for (Chunk c = 0; c < chunks_.size(); ++c) {
        for (Rank v = 0; v < instance_.ranks; ++v) {
          if (chunks_[c].starts_at(v)) continue;
          all.push_back(has(c, v, t));
          if (chunks_[c].wanted_by(v)) goals.push_back(has(c, v, t));
        }
      }
      const auto argument = [&] { return "\"totals\"" + member("step", t); };
      if (t == T_) at_most(all, received[t], argument);
      at_least(goals, remaining(wanted, most * (T_ - t)), argument);
    }
  }

  void crossings() {
    for (std::size_t a = 0; a < instance_.arcs.size(); ++a) {
      cross(instance_.arcs[a], prover::crossings(instance_, chunks_, a));
    }
  }

  /// The chunks that cannot cross before some step, and those that must have crossed by some step,
  /// are no more than the arc carries in the steps after and before.
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

  /// `some` chunks go over the arc in steps first..last-1. (If there are no such steps, one of them
  /// starts too far away.)
  void cross(const Arc& arc, const std::vector<Chunk>& some, std::uint64_t first,
             std::uint64_t last) {
    const auto argument = [&](std::uint64_t t) {
      return "\"arc\"" + member("from", arc.from) + member("to", arc.to) + member("begin", first) +
             member("end", last) + member("step", t) + member("chunks", some);
    };
    const auto carried = [&](std::uint64_t steps) {
      return arc.capacity * (Saturating(steps) + instance_.extra_rounds);
    };
    for (std::uint64_t t = first; t < last; ++t) {
      const Literals now = all_at(arc.to, some, t);
      if (t > first) at_most(now, carried(t - first), [&] { return argument(t); });
      at_least(now, remaining(now.size(), carried(last - t)), [&] { return argument(t); });
    }
  }

  const Instance& instance_;
  const std::vector<Delivery>& chunks_;
  const std::vector<std::vector<Literals>>& has_;
  Traffic& traffic_;
  Formula& formula_;
  bool argued_;
  std::uint64_t T_;
};

}  // namespace

bool refute_with_argument(const CopyQuestion& question, Formula& formula) {
  const auto refute = [&](const std::string& argument) {
    add_argued(
        argument, [&] { formula.add({}); }, formula);
    return true;
  };
  if (const auto& found = question.prices([&formula] { formula.poll_limits(); })) {
    const std::string lists = std::visit([](const auto& of) { return price_lists(of); }, *found);
    return refute(lists + member("at_least", 1));
  }
  if (!question.instance.ports) return false;
  const std::vector<Rank> sources = overtaxed_sources(question.instance, question.chunks);
  return !sources.empty() && refute(overtaxed(sources.front()));
}

void count(const CopyQuestion& question, const std::vector<std::vector<Literals>>& has,
           Traffic& traffic, Formula& formula, bool argued) {
  CountingClauses(question, has, traffic, formula, argued).all();
}

}  // namespace schedcc::prover
