// The history that is explained is true: the transfers of an explanation alone make what all
// transfers make. On schedules of every algorithm, on their mutants, and on random schedules.
//
// The oracle plays the transfers of one chunk in the plainest way, and says what a rank holds at
// the beginning of a step.

#include "schedcc/explain.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>

#include "algorithm_cases.hpp"
#include "catch.hpp"
#include "random_plans.hpp"
#include "schedcc/error.hpp"
#include "simulator/collectives.hpp"
#include "simulator/networks.hpp"

using namespace agreement;

namespace {

using Held = std::optional<naive::Value>;

/// A transfer of the chunk that is asked about.
struct Carrier {
  std::uint64_t step, arrives;
  Rank src, dst;
  bool reduce;
};

bool well_formed(const naive::Plan& plan, const Transfer& t) {
  const std::uint64_t nodes = std::max<std::uint64_t>(plan.nodes, plan.problem.ranks);
  if (t.src >= nodes || t.dst >= nodes || t.src == t.dst || t.count == 0) return false;
  if (std::uint64_t{t.first} + t.count > naive::total_chunks(plan.problem)) return false;
  for (Chunk c = t.first; t.reduce != 0 && c < t.first + t.count; ++c) {
    if (!naive::is_reduction(plan.problem, c)) return false;
  }
  return true;
}

std::vector<Carrier> carriers(const naive::Plan& plan, const std::string& machine, Chunk chunk) {
  const naive::Model& model = naive::model(machine, plan.problem.ranks);
  std::vector<Carrier> result;
  for (const auto& [step, t] : plan.sent) {
    if (!well_formed(plan, t) || chunk < t.first || chunk - t.first >= t.count) continue;
    const bool routes = model.routed() && plan.nodes == 0;
    const std::uint64_t travels =
        routes ? naive::links_between(model, t.src, t.dst, plan.problem.ranks)
               : (model.logp ? model.logp->L + 2 * model.logp->o : 1);
    result.push_back({step, step + travels, t.src, t.dst, t.reduce != 0});
  }
  return result;
}

/// What a rank holds of the chunk at the beginning of step `until`.
Held held(const Problem& p, const std::vector<Carrier>& sent, Rank rank, Chunk chunk,
          std::uint64_t until) {
  std::map<Rank, naive::Value> state;
  const bool reduction = naive::is_reduction(p, chunk);
  for (Rank r = 0; r < p.ranks; ++r) {
    if (naive::starts(p, r, chunk)) state[r] = reduction ? naive::Value{r} : naive::Value{};
  }
  std::map<std::uint64_t, std::vector<Carrier>> sends;
  std::map<std::uint64_t, std::vector<std::pair<Carrier, naive::Value>>> arrivals;
  std::set<std::uint64_t> times;
  for (const Carrier& c : sent) {
    sends[c.step].push_back(c);
    times.insert({c.step, c.arrives});
  }
  for (const std::uint64_t now : times) {
    if (now > until) break;
    for (const auto& [c, value] : arrivals[now]) {
      naive::Value& here = state[c.dst];
      if (!c.reduce) here.clear();
      here.insert(value.begin(), value.end());
    }
    for (const Carrier& c : sends[now]) {
      const auto from = state.find(c.src);
      if (from != state.end()) arrivals[c.arrives].push_back({c, from->second});
    }
  }
  const auto found = state.find(rank);
  return found == state.end() ? Held() : Held(found->second);
}

std::set<Rank> members(const RankList& ranks) {
  std::set<Rank> result;
  for (const auto& [first, last] : ranks.first) {
    for (Rank r = first; r <= last; ++r) result.insert(r);
  }
  return result;
}

/// Those that are in a value, or only those that are in it more than once.
std::set<Rank> members(const naive::Value& value, bool twice) {
  std::set<Rank> result;
  for (const Rank r : value) {
    if (!twice || value.count(r) > 1) result.insert(r);
  }
  return result;
}

/// What is not true of the explanation; empty if all is.
std::string untrue(const naive::Plan& plan, const std::string& machine,
                   const ExplainRequest& asked) {
  const Explanation e = explain(source_of(plan), machine_of(machine, plan.problem.ranks), asked);
  const std::uint64_t until = asked.step.value_or(UINT64_MAX);
  const std::vector<Carrier> all = carriers(plan, machine, asked.chunk);
  const Held whole = held(plan.problem, all, asked.rank, asked.chunk, until);
  std::vector<Carrier> part;
  for (const ExplainedTransfer& some : e.transfers)
    part.push_back({some.location.step, some.arrives, some.location.src, some.location.dst,
                    some.location.reduce});
  // In the order of the schedule.
  std::stable_sort(part.begin(), part.end(),
                   [](const Carrier& a, const Carrier& b) { return a.step < b.step; });
  const Held made = held(plan.problem, part, asked.rank, asked.chunk, until);
  std::string trouble;
  if (whole.has_value() != e.held) trouble += "# held\n";
  if (whole.has_value() != made.has_value()) trouble += "# the part holds another\n";
  if (whole && made && *whole != *made) trouble += "# the part makes another value\n";
  if (whole && members(*whole, false) != members(e.holds.ranks)) trouble += "# contributions\n";
  if (whole && members(*whole, true) != members(e.holds.twice)) trouble += "# twice\n";
  if (whole && e.counted_twice.has_value() == members(*whole, true).empty())
    trouble += "# counted twice\n";
  const bool wanted = naive::wanted(plan.problem, asked.rank, asked.chunk);
  if (wanted != e.wanted) trouble += "# wanted\n";
  const bool right =
      !wanted || (whole && *whole == naive::goal(plan.problem, asked.rank, asked.chunk));
  if (right != e.right()) trouble += "# right\n";
  if (!asked.step && e.traced && !right && e.causes.empty()) trouble += "# no cause\n";
  if (trouble.empty()) return {};
  std::ostringstream out;
  out << text(plan, machine) << "# rank " << asked.rank << ", chunk " << asked.chunk << ", step "
      << until << '\n'
      << trouble << to_text(e);
  return out.str();
}

/// Each transfer of a way takes up where the one before it left.
bool is_way(const Explanation& e, const std::vector<std::size_t>& way, Rank from, Rank to) {
  for (const std::size_t row : way) {
    const TransferLocation& location = e.transfers[row].location;
    if (location.src != from ||
        !members(e.transfers[row].carries.ranks).contains(e.counted_twice->contributor))
      return false;
    from = location.dst;
  }
  return from == to;
}

class Tally {
 public:
  void add(const naive::Plan& plan, const std::string& machine, Random& random) {
    const Problem& p = plan.problem;
    ExplainRequest asked{random.below(p.ranks), random.below(naive::total_chunks(p))};
    if (random.one_in(3))
      asked.step = random.below(plan.sent.empty() ? 2 : plan.sent.back().step + 3);
    ++cases;
    const std::string trouble = untrue(plan, machine, asked);
    if (!trouble.empty() && ++failures <= 3) FAIL_CHECK(trouble);
  }
  int cases = 0, failures = 0;
};

}  // namespace

TEST_CASE("the explained transfers alone make the value, for every algorithm", "[explain]") {
  Random random(21);
  Tally tally;
  for (const Rank ranks : {2, 3, 4, 7, 8}) {
    for (const std::uint32_t chunks : {1, 3}) {
      for_each_standard_case(ranks, chunks, [&](const Case& c) {
        const naive::Plan whole = plan(c);
        for (int i = 0; i < 4; ++i) tally.add(whole, c.machine, random);
        if (whole.sent.empty()) return;
        for (int i = 0; i < 12; ++i) tally.add(mutant(whole, random), c.machine, random);
      });
    }
  }
  CHECK(tally.failures == 0);
  CHECK(tally.cases > 2000);
}

TEST_CASE("the explained transfers alone make the value, in random schedules", "[explain]") {
  Random random(22);
  Tally tally;
  for (int i = 0; i < 10000; ++i) {
    const naive::Plan plan = some_plan(random, i % 4 != 0);
    for (const char* machine : {"duplex", "logp:L=3,o=1,g=1"}) tally.add(plan, machine, random);
  }
  CHECK(tally.failures == 0);
}

TEST_CASE("a contribution that is counted twice has two paths that meet", "[explain]") {
  Random random(23);
  int found = 0;
  for (int i = 0; i < 4000; ++i) {
    const naive::Plan plan = some_plan(random, true);
    if (!plan.problem.reduction()) continue;
    for (Rank rank = 0; rank < plan.problem.ranks; ++rank) {
      const Explanation e = explain(source_of(plan), machine_of("duplex", plan.problem.ranks),
                                    {rank, random.below(naive::total_chunks(plan.problem))});
      if (!e.counted_twice) continue;
      ++found;
      const CountedTwice& ways = *e.counted_twice;
      const Rank meets = e.transfers[ways.meets].location.dst;
      INFO(text(plan, "duplex") << to_text(e));
      CHECK(is_way(e, ways.first, ways.contributor, meets));
      CHECK(is_way(e, ways.second, ways.contributor, meets));
      CHECK(ways.second.back() == ways.meets);
      CHECK(ways.first != ways.second);
    }
  }
  CHECK(found > 20);
}

TEST_CASE("a sender without the chunk is explained by when it first gets it", "[explain]") {
  // 1 sends before it receives, 3 never receives.
  const naive::Plan plan{
      {Collective::broadcast, 5, 0, 1, false, nullptr},
      {{0, copy(1, 2, 0)}, {2, copy(0, 1, 0)}, {3, copy(2, 4, 0)}, {4, copy(3, 4, 0)}},
      0};
  const Explanation e = explain(source_of(plan), Machine(), {4, 0});
  CHECK_FALSE(e.held);
  REQUIRE(e.failed.size() == 3);
  CHECK(e.failed[0].location == TransferLocation{3, 2, 4, false, 3});
  CHECK_FALSE(e.failed[0].first_held);
  CHECK(e.failed[1].location == TransferLocation{4, 3, 4, false, 4});
  CHECK_FALSE(e.failed[1].first_held);
  CHECK(e.failed[2].location == TransferLocation{0, 1, 2, false, 1});
  CHECK(e.failed[2].first_held == 3);
  CHECK(e.failed[2].held_by == TransferLocation{2, 0, 1, false, 2});
  CHECK(members(e.holders) == std::set<Rank>{0, 1});
  CHECK_THROWS_AS(explain(source_of(plan), Machine(), {5, 0}), InputError);
  CHECK_THROWS_AS(explain(source_of(plan), Machine(), {0, 1}), InputError);
}
