// Switches that copy and combine: multicasts and combinations on random trees, of which the
// simulator counts the messages from the definition.

#include <algorithm>

#include "agreement.hpp"
#include "catch.hpp"
#include "random_plans.hpp"
#include "ranges.hpp"
#include "topologies.hpp"

using namespace agreement;

namespace {

std::optional<bool> some_rule(Random& random) {
  if (random.one_in(4)) return std::nullopt;
  return !random.one_in(3);
}

/// Ranks at the switches of a tree, some with a second link, and some linked to one another.
std::string some_tree(Rank ranks, Random& random) {
  static int number = 0;
  const Rank switches = 1 + random.below(5);
  std::vector<topologies::Rules> rules;
  std::vector<topologies::Link> links;
  const auto cable = [&](Rank a, Rank b) {
    links.push_back({a, b, 1 + random.below(3)});
    links.push_back({b, a, 1 + random.below(3)});
  };
  for (Rank s = 0; s < switches; ++s) {
    rules.push_back({some_rule(random), some_rule(random)});
    if (s > 0) cable(ranks + s, ranks + random.below(s));
  }
  for (Rank r = 0; r < ranks; ++r) {
    const Rank at = random.below(switches), other = random.below(switches);
    cable(r, ranks + at);
    if (other != at && random.one_in(4)) cable(r, ranks + other);
    if (r > 0 && random.one_in(4)) cable(r, r - 1);
  }
  return topologies::machine("tree" + std::to_string(number++) + "-", ranks, 1 + random.below(3),
                             random.one_in(4), rules, links);
}

/// A step of multicasts and combinations, each of chunks of its own, and another transfer.
void add_step(naive::Plan& plan, std::uint64_t step, Random& random) {
  const Rank P = plan.problem.ranks;
  const std::vector<Run> chunks{{0, 2}, {2, 1}, {3, 1}};
  for (std::size_t n = 0; n < 1 + random.below(3); ++n) {
    const auto [first, count] = chunks[n];
    const Rank one = random.below(P);
    const bool to_all = random.one_in(2), reduces = !to_all || random.one_in(2);
    for (Rank other = 0; other < P; ++other) {
      if (other == one || random.one_in(4)) continue;
      Transfer t = to_all ? copy(one, other, first, count) : copy(other, one, first, count);
      t.reduce = reduces;
      plan.sent.push_back({step, t});
    }
  }
  const Rank src = random.below(P);
  if (random.one_in(3)) plan.sent.push_back({step, copy(src, (src + 1) % P, 4)});
}

}  // namespace

TEST_CASE("multicasts and combinations on random trees") {
  Random random(11);
  std::size_t whole = 0, broken = 0, shared = 0;
  for (int i = 0; i < ranges::part(1000, 30000); ++i) {
    const Rank P = 2 + random.below(7);
    const std::string machine = some_tree(P, random);
    naive::Plan plan{{Collective::allreduce, P, 0, 5, random.one_in(5), nullptr}, {}, 0};
    for (std::uint64_t step = 0; step < 2; ++step) add_step(plan, step, random);
    const naive::Outcome outcome = naive::simulate(plan, naive::model(machine, P));
    const std::string found = disagreement(plan, machine, {}, outcome);
    CHECK(found == "");
    const bool fits = outcome.violated.count("ports") + outcome.violated.count("links") == 0;
    ++(fits ? whole : broken);
    std::map<std::pair<std::uint64_t, Rank>, std::size_t> sends;
    for (const Sent& s : plan.sent) ++sends[{s.step, s.transfer.src}];
    const std::size_t most = naive::model(machine, P).ports->send;
    shared += fits && std::ranges::any_of(sends, [&](const auto& e) { return e.second > most; });
  }
  CHECK(whole > 100);
  CHECK(broken > 100);
  CHECK(shared > 15);
}
