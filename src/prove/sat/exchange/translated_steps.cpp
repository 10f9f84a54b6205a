// The number of messages of a class of ports is known, and with it in how many steps a port is
// idle. It follows from the numbers of messages and steps, but a solver does not see that; where it
// is small it leaves little to choose in a step.

#include "prove/sat/exchange/translated_steps.hpp"

#include <algorithm>

namespace schedcc::prover {

StepOrbit::StepOrbit(const Translations& translations, std::vector<Rank> subgroup)
    : preserving(std::move(subgroup)) {
  std::vector<bool> reached(translations.size());
  for (Rank g = 0; g < translations.size(); ++g) {
    if (reached[g]) continue;
    for (const Rank h : preserving) reached[translations.sum(g, h)] = true;
    moving.push_back(g);
  }
}

TranslatedSteps::TranslatedSteps(const TranslatedPorts& ports, const TorusWays& ways,
                                 const std::vector<StepOrbit>& orbits, PollLimits poll_limits)
    : ports_(ports),
      ways_(ways),
      orbits_(orbits),
      formula_(std::move(poll_limits)),
      sent_(ways.messages.size()),
      idle_(ports.classes()) {
  for (const StepOrbit& orbit : orbits) steps_ += orbit.moving.size();
  for (const StepOrbit& orbit : orbits) add_orbit(orbit);
  for (std::size_t c = 0; c < idle_.size(); ++c) {
    if (!idle_[c].empty()) formula_.at_most(idle_[c], idle(c));
  }
  count_messages();
  for (std::size_t m = 0; m < sent_.size(); ++m) {
    if (ways_.messages[m].earlier) order(m);
  }
  formula_.expect_model();
}

void TranslatedSteps::add_orbit(const StepOrbit& orbit) {
  // Images under `preserving` have the same messages: the least of them stands for all.
  std::vector<std::size_t> least(ports_.size());
  for (std::size_t p = 0; p < ports_.size(); ++p) {
    least[p] = p;
    for (const Rank h : orbit.preserving) least[p] = std::min(least[p], ports_.image(h, p));
  }
  std::vector<Literals> takers(ports_.size());
  for (std::size_t m = 0; m < sent_.size(); ++m) {
    Literals& sent = sent_[m].emplace_back();
    for (const Rank from : orbit.moving) {
      sent.push_back(formula_.fresh());
      for (const std::size_t p : ports_.taken(ways_.messages[m].length)) {
        takers[least[ports_.image(from, p)]].push_back(sent.back());
      }
    }
  }
  for (std::size_t p = 0; p < ports_.size(); ++p) {
    if (least[p] == p) limit_port(p, std::move(takers[p]));
  }
}

void TranslatedSteps::limit_port(std::size_t port, Literals takers) {
  formula_.at_most(takers, ports_.capacity(port));
  const std::size_t of = ports_.class_of(port);
  if (ports_.capacity(port) > 1 || idle(of) > steps_ / 4) return;
  if (idle(of) > 0) {
    idle_[of].push_back(formula_.fresh());
    takers.push_back(idle_[of].back());
  }
  formula_.add(takers);
}

void TranslatedSteps::count_messages() {
  for (std::size_t m = 0; m < sent_.size(); ++m) {
    Literals all;
    for (const Literals& sent : sent_[m]) all.insert(all.end(), sent.begin(), sent.end());
    const std::uint64_t count = ways_.messages[m].count;
    if (all.size() < count) return formula_.add({});
    const Literals more = formula_.counted_exactly(all, count + 1);
    formula_.add({more[count - 1]});
    if (more.size() > count) formula_.add({-more[count]});
  }
}

void TranslatedSteps::order(std::size_t later) {
  const TranslatedMessages& messages = ways_.messages[later];
  Literals before, after;
  for (std::size_t i = 0; i < orbits_.size(); ++i) {
    const Literals &first = sent_[*messages.earlier][i], &second = sent_[later][i];
    after.insert(after.end(), second.begin(), second.end());
    const Literals passed = formula_.counted(after, messages.count);
    const Literals brought = formula_.counted_exactly(before, messages.count);
    for (std::size_t j = 0; j < passed.size(); ++j) {
      formula_.add({-passed[j], j < brought.size() ? brought[j] : Formula::no});
    }
    before.insert(before.end(), first.begin(), first.end());
  }
}

std::vector<OrbitMessages> TranslatedSteps::messages(const Model& model) const {
  std::vector<OrbitMessages> result(orbits_.size());
  for (std::size_t m = 0; m < sent_.size(); ++m) {
    for (std::size_t i = 0; i < orbits_.size(); ++i) {
      for (std::size_t j = 0; j < sent_[m][i].size(); ++j) {
        if (is_true(sent_[m][i][j], model)) result[i].emplace_back(m, orbits_[i].moving[j]);
      }
    }
  }
  return result;
}

}  // namespace schedcc::prover
