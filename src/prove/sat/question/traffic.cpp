#include "prove/sat/question/traffic.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace schedcc::prover {

Traffic::Traffic(const Instance& instance, Formula& formula)
    : instance_(instance),
      formula_(formula),
      more_(instance.steps),
      sends_(instance.nodes),
      receives_(instance.nodes) {
  Literals all;
  for (std::uint64_t t = 0; t < instance.steps; ++t) {
    for (std::uint64_t j = 0; j < instance.step_rounds; ++j) {
      more_[t].push_back(formula.variable("rounds", {t, j + 2}));
      if (j > 0) formula.add({-more_[t][j], more_[t][j - 1]});
      all.push_back(more_[t][j]);
    }
  }
  formula.at_most(all, instance.extra_rounds);
}

std::uint32_t Traffic::rounds(std::uint64_t t, const Model& model) const {
  std::uint32_t result = 1;
  for (const Literal l : more_[t]) result += is_true(l, model) ? 1 : 0;
  return result;
}

Literals Traffic::extra_before(std::uint64_t t) {
  Literals before;
  for (std::uint64_t s = 0; s < t; ++s) {
    before.insert(before.end(), more_[s].begin(), more_[s].end());
  }
  Literals count = formula_.counted_exactly(before, before.size());
  count.resize(std::min<std::size_t>(count.size(), instance_.extra_rounds));
  return count;
}

void Traffic::carry(const Sends& sends) {
  if (!instance_.links.empty()) return check_routes(sends);
  for (std::uint64_t t = 0; t < sends.size(); ++t) {
    std::vector<Literals> literals(sends[t].size());
    for (std::size_t a = 0; a < sends[t].size(); ++a) {
      for (const ChunkSend& send : sends[t][a]) literals[a].push_back(send.literal);
    }
    step(t, literals);
  }
}

/// Without waiting: a link carries the chunks that left early enough to be on it, and no router
/// gets a chunk twice in a step. (Ranks do not hold chunks in transit; their receptions are
/// constrained elsewhere.)
void Traffic::check_routes(const Sends& sends) {
  std::map<std::pair<std::uint64_t, std::size_t>, Literals> loads;      // by step, link
  std::map<std::tuple<std::uint64_t, Rank, Chunk>, Literals> arrivals;  // by step, node, chunk
  for (std::uint64_t t = 0; t < sends.size(); ++t) {
    for (std::size_t a = 0; a < sends[t].size(); ++a) {
      const std::vector<std::size_t>& links = instance_.arcs[a].links;
      for (const ChunkSend& send : sends[t][a]) {
        for (std::size_t i = 0; i < links.size(); ++i) {
          loads[{t + i, links[i]}].push_back(send.literal);
          const Rank node = instance_.links[links[i]].to;
          if (node < instance_.ranks) continue;
          arrivals[{t + i, node, send.chunk}].push_back(send.literal);
        }
      }
    }
  }
  for (const auto& [place, literals] : loads) {
    formula_.at_most(literals, instance_.links[place.second].capacity.value());
  }
  for (const auto& [place, literals] : arrivals) formula_.at_most(literals, 1);
}

void Traffic::step(std::uint64_t t, const std::vector<Literals>& sends) {
  for (std::size_t a = 0; a < sends.size(); ++a) capacity(t, instance_.arcs[a], sends[a]);
  if (instance_.ports || instance_.logp) ports(t, sends);
}

/// An arc carries its capacity once per round.
void Traffic::capacity(std::uint64_t t, const Arc& arc, const Literals& sends) {
  if (arc.capacity >= sends.size()) return;
  if (more_[t].empty()) return formula_.at_most(sends, arc.capacity.value());
  const Saturating most = arc.capacity * (more_[t].size() + 1);
  const Literals count = formula_.counted(sends, (most + 1).value());
  for (std::size_t j = 0; j <= more_[t].size(); ++j) {
    const Saturating limit = arc.capacity * (j + 1);
    if (limit >= count.size()) break;
    formula_.add({-count[limit.value()], j < more_[t].size() ? more_[t][j] : Formula::no});
  }
}

namespace {

Literals sorted(Literals literals) {
  std::ranges::sort(literals);
  return literals;
}

}  // namespace

/// All transfers over an arc in a step are one message, on all channels of its route.
void Traffic::ports(std::uint64_t t, const std::vector<Literals>& sends) {
  std::vector<Literals> sent(instance_.nodes), received(instance_.nodes);
  std::vector<Literals> shared(instance_.channels.size());
  // Pairings make the sends of several arcs the same, and so their messages and the limits on
  // these.
  std::map<Literals, Literal> known;
  std::set<std::pair<Literals, std::uint64_t>> limited;
  const auto at_most = [&](const Literals& literals, std::uint64_t k) {
    if (limited.emplace(sorted(literals), k).second) formula_.at_most(literals, k);
  };
  for (std::size_t a = 0; a < sends.size(); ++a) {
    if (sends[a].empty()) continue;
    const Arc& arc = instance_.arcs[a];
    const auto [place, fresh] = known.try_emplace(sorted(sends[a]), Formula::no);
    Literal& message = place->second;
    if (fresh) {
      message = formula_.variable("message", {arc.from, arc.to, t});
      for (const Literal send : sends[a]) formula_.add({-send, message});
    }
    sent[arc.from].push_back(message);
    received[arc.to].push_back(message);
    for (const std::size_t channel : arc.channels) shared[channel].push_back(message);
    if (instance_.logp) messages_.push_back({arc.from, arc.to, t, message});
  }
  for (std::size_t channel = 0; channel < shared.size(); ++channel) {
    at_most(shared[channel], instance_.channels[channel]);
  }
  for (Rank v = 0; v < instance_.nodes; ++v) {
    if (instance_.logp) {
      clock(t, v, sent[v], received[v]);
      continue;
    }
    const PortLimits& limits = *instance_.ports;
    at_most(sent[v], limits.send);
    at_most(received[v], limits.receive);
    if (limits.both >= std::uint64_t{limits.send} + limits.receive) continue;
    Literals both = sent[v];
    both.insert(both.end(), received[v].begin(), received[v].end());
    at_most(both, limits.both);
  }
}

/// LogP: sends of a rank are spaced, so are its receives, and it makes one call at a time.
void Traffic::clock(std::uint64_t t, Rank v, const Literals& sent, const Literals& received) {
  const LogP& model = *instance_.logp;
  const auto any = [&](const Literals& messages) {
    formula_.at_most(messages, 1);
    const Literal result = messages.empty() ? Formula::no : formula_.fresh();
    for (const Literal message : messages) formula_.add({-message, result});
    return result;
  };
  sends_[v].push_back(any(sent));
  receives_[v].push_back(any(received));
  const auto apart = [&](const Literals& a, const Literals& b, std::uint64_t later,
                         std::uint64_t distance) {
    // The call of a[i] begins `later` cycles after i. Pairs in which one of a, b is of step t, and
    // the other no further back than the distances reach.
    for (std::uint64_t s = t - std::min(t, later + distance); s <= t; ++s) {
      for (const auto& [i, j] : {std::pair(t, s), std::pair(s, t)}) {
        const std::uint64_t begin = i + later;
        const std::uint64_t gap = begin > j ? begin - j : j - begin;
        if (gap < distance && (&a != &b || i > j)) formula_.add({-a[i], -b[j]});
      }
    }
  };
  apart(sends_[v], sends_[v], 0, model.spacing());
  apart(receives_[v], receives_[v], 0, model.spacing());
  apart(receives_[v], sends_[v], model.o + model.L, model.o);
}

}  // namespace schedcc::prover
