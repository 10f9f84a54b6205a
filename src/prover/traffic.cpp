#include "prover/traffic.hpp"

namespace schedcc::prover {

Traffic::Traffic(const Instance& instance, Formula& formula)
    : instance_(instance), formula_(formula), more_(instance.steps) {
  Literals all;
  for (std::uint64_t t = 0; t < instance.steps; ++t) {
    for (std::uint64_t j = 0; j < instance.extra_rounds; ++j) {
      more_[t].push_back(formula.variable("rounds", {t, j + 2}));
      if (j > 0) formula.add({-more_[t][j], more_[t][j - 1]});
      all.push_back(more_[t][j]);
    }
  }
  formula.at_most(all, instance.extra_rounds);
}

std::uint32_t Traffic::rounds(std::uint64_t t, const std::vector<bool>& model) const {
  std::uint32_t result = 1;
  for (const Literal l : more_[t]) result += model[static_cast<std::size_t>(l)] ? 1 : 0;
  return result;
}

void Traffic::step(std::uint64_t t, const std::vector<Literals>& sends) {
  for (std::size_t a = 0; a < sends.size(); ++a) capacity(t, instance_.arcs[a], sends[a]);
  if (instance_.ports) ports(t, sends);
}

/// An arc carries its capacity once per round.
void Traffic::capacity(std::uint64_t t, const Arc& arc, const Literals& sends) {
  if (sends.size() <= arc.capacity) return;
  if (more_[t].empty()) return formula_.at_most(sends, arc.capacity);
  const Literals count = formula_.counted(sends, arc.capacity * (more_[t].size() + 1) + 1);
  for (std::size_t j = 0; j <= more_[t].size(); ++j) {
    const std::uint64_t limit = arc.capacity * (j + 1);
    if (limit >= count.size()) break;
    formula_.add({-count[limit], j < more_[t].size() ? more_[t][j] : Formula::no});
  }
}

/// All that goes over an arc in a step is one message.
void Traffic::ports(std::uint64_t t, const std::vector<Literals>& sends) {
  const PortLimits& limits = *instance_.ports;
  std::vector<Literals> sent(instance_.nodes), received(instance_.nodes);
  for (std::size_t a = 0; a < sends.size(); ++a) {
    if (sends[a].empty()) continue;
    const Arc& arc = instance_.arcs[a];
    const Literal message = formula_.variable("message", {arc.from, arc.to, t});
    for (const Literal send : sends[a]) formula_.add({-send, message});
    sent[arc.from].push_back(message);
    received[arc.to].push_back(message);
  }
  for (Rank v = 0; v < instance_.nodes; ++v) {
    formula_.at_most(sent[v], limits.send);
    formula_.at_most(received[v], limits.receive);
    if (limits.both >= std::uint64_t{limits.send} + limits.receive) continue;
    Literals both = sent[v];
    both.insert(both.end(), received[v].begin(), received[v].end());
    formula_.at_most(both, limits.both);
  }
}

}  // namespace schedcc::prover
