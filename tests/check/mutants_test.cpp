// Schedules that may be wrong: mutants of what the algorithms build, and small random ones. The
// simulator decides whether one is broken, and in which checks; the checker must say the same.
//
// Everything is pseudo-random with fixed seeds, so that the same schedules are made everywhere.

#include <algorithm>
#include <map>
#include <sstream>
#include <utility>

#include "algorithm_cases.hpp"
#include "catch.hpp"
#include "random_plans.hpp"

using namespace agreement;
using ranges::part;

namespace {

// ---- Machines and ways of blocking ----

std::vector<std::string> list_machines(Rank ranks) {
  std::vector<std::string> result{"duplex", "duplex:width=1", "kport:k=2", "bsp:h=3", "simplex"};
  for (const std::string_view name :
       {"logp", "fattree", "mesh", "torus", "crossbar", "cluster", "switch", "topology"}) {
    for (const std::string& spec : machine_specs(name, ranks)) result.push_back(spec);
  }
  return result;
}

/// Listed once for each number of ranks: tens of thousands of schedules draw from them.
const std::vector<std::string>& all_machines(Rank ranks) {
  static std::map<Rank, std::vector<std::string>> known;
  auto& machines = known[ranks];
  if (machines.empty()) machines = list_machines(ranks);
  return machines;
}

/// Machines with a hop level; none for one rank.
std::vector<std::string> list_routed_machines(Rank ranks) {
  std::vector<std::string> result = machine_specs("fattree", ranks);
  if (ranks > 1) result.push_back(topologies::star(ranks));
  if (ranks > 1) result.push_back(topologies::cluster(ranks));
  if (ranks > 1) result.push_back(topologies::ring(ranks));  // without routers
  if (ranks > 1) append(result, topologies::restricted(ranks));
  return result;
}

const std::vector<std::string>& routed_machines(Rank ranks) {
  static std::map<Rank, std::vector<std::string>> known;
  auto& machines = known[ranks];
  if (machines.empty()) machines = list_routed_machines(ranks);
  return machines;
}

/// Hops over links are for networks with the same nodes.
bool has_nodes_of(const std::string& machine, const naive::Plan& plan) {
  if (plan.nodes == 0) return true;
  const Machine made = make_machine(machine, plan.problem.ranks);
  return made.routed() && made.network()->nodes() == plan.nodes;
}

naive::Options some_options(Random& random) {
  naive::Options options;
  options.blocking = static_cast<Blocking>(random.below(4));
  options.eager = random.below(3);
  if (random.one_in(3)) options.max_buffer = random.below(4);
  return options;
}

/// Counts the comparisons, prints the first disagreements and counts the others.
class Tally {
 public:
  void add(const naive::Plan& plan, const std::string& machine, const naive::Options& options) {
    const naive::Outcome outcome =
        naive::simulate(plan, naive::model(machine, plan.problem.ranks), options);
    ++cases_;
    if (outcome.violated.empty()) ++whole_;
    for (const std::string& check : outcome.violated) {
      ++broken_[check];
      if (outcome.violated.size() == 1) ++alone_[check];
    }
    const std::string found = disagreement(plan, machine, options, outcome);
    if (!found.empty() && ++failures_ <= 5) FAIL_CHECK(found);
  }

  /// Agreed on all; and every one of `checks` was, somewhere, the only one to fail.
  void conclude(const std::vector<std::string>& checks) {
    std::ostringstream out;
    out << cases_ << " schedules, " << whole_ << " of them whole";
    for (const auto& [check, n] : broken_) out << "; " << check << ' ' << n << '/' << alone_[check];
    INFO(out.str());
    CHECK(failures_ == 0);
    CHECK(whole_ > 0);
    for (const std::string& check : checks) {
      INFO(check);
      CHECK(alone_[check] > 0);
    }
  }

 private:
  int cases_ = 0, whole_ = 0, failures_ = 0;
  std::map<std::string, int> broken_, alone_;
};

const std::vector<std::string> schedule_checks{"shape",    "ports",    "links",   "causality",
                                               "delivery", "deadlock", "buffers", "redundancy"};
const std::vector<std::string> hop_checks{"shape",    "links",   "switches",  "causality",
                                          "delivery", "buffers", "redundancy"};

/// Served cases of moderate size: of every algorithm, collective, machine, P and K as many as
/// `most`.
std::vector<Case> some_cases(std::size_t most) {
  std::vector<Case> result;
  for (const Rank ranks : {2, 3, 4, 5, 7, 8}) {
    for (const std::uint32_t chunks : {1, 2, 3})
      for_some_cases(ranks, chunks, most, [&](const Case& c) { result.push_back(c); });
  }
  return result;
}

}  // namespace

TEST_CASE("mutants of every algorithm on its own machine", "[mutants]") {
  Random random(1);
  Tally tally;
  for (const Case& base : some_cases(2)) {
    const naive::Plan whole = plan(base);
    for (int i = 0; i < part(5, 12) && !whole.sent.empty(); ++i) {
      tally.add(mutant(whole, random), base.machine, some_options(random));
    }
  }
  std::vector<std::string> checks = schedule_checks;
  checks.emplace_back("agreement");
  tally.conclude(checks);
}

TEST_CASE("schedules and their mutants on the other machines", "[mutants]") {
  Random random(2);
  Tally tally;
  for (const Case& base : some_cases(1)) {
    const naive::Plan whole = plan(base);
    for (const std::string& machine : all_machines(whole.problem.ranks)) {
      if (!has_nodes_of(machine, whole)) continue;
      if (!random.one_in(part(8, 4))) continue;
      tally.add(whole, machine, some_options(random));
      if (!whole.sent.empty()) tally.add(mutant(whole, random), machine, some_options(random));
    }
  }
  tally.conclude(schedule_checks);
}

TEST_CASE("mutants at hop level", "[mutants]") {
  Random random(3);
  Tally tally;
  for (const Case& base : some_cases(1)) {
    const naive::Plan whole = plan(base);
    for (const std::string& machine : routed_machines(base.request.problem.ranks)) {
      if (!has_nodes_of(machine, whole)) continue;
      if (!random.one_in(part(8, 2))) continue;
      const naive::Plan hops = whole.nodes != 0 ? whole : hops_of(whole, machine);
      tally.add(hops, machine, some_options(random));
      for (int i = 0; i < 5; ++i) tally.add(mutant(hops, random), machine, some_options(random));
    }
  }
  tally.conclude(hop_checks);
}

// ---- Small random schedules ----

namespace {

std::string some_machine(Rank ranks, Random& random) { return random.pick(all_machines(ranks)); }

/// Chooses useful transfers until the end state is reached, or it seems out of reach. Half of the
/// machines have no links.
std::pair<naive::Plan, std::string> some_whole_plan(Random& random) {
  static const std::vector<std::string> without_links{"duplex", "simplex", "kport:k=2",
                                                      "duplex:width=1", "logp:L=3,o=1,g=1"};
  naive::Plan plan{some_problem(random), {}, 0};
  const std::string machine =
      random.one_in(2) ? some_machine(plan.problem.ranks, random) : random.pick(without_links);
  const naive::Model& model = naive::model(machine, plan.problem.ranks);
  bool done = plan.problem.ranks < 2;
  std::uint64_t step = 0;
  for (int tries = 0; tries < 40 && !done; ++tries) {
    plan.sent.push_back({step, some_transfer(plan, random)});
    auto found = naive::simulate(plan, model).violated;
    done = found.erase("delivery") == 0;
    if (!found.empty()) plan.sent.pop_back();
    if (!found.empty() || random.one_in(3)) ++step;
  }
  return {plan, machine};
}

}  // namespace

TEST_CASE("random schedules", "[mutants]") {
  Random random(4);
  Tally tally;
  for (int i = 0; i < 40000; ++i) {
    const naive::Plan plan = some_plan(random, i % 4 != 0);
    tally.add(plan, some_machine(plan.problem.ranks, random), some_options(random));
  }
  tally.conclude(schedule_checks);
}

TEST_CASE("random schedules that do what they should and their mutants", "[mutants]") {
  Random random(5);
  Tally tally;
  for (int i = 0; i < part(2500, 5000); ++i) {
    const auto [plan, machine] = some_whole_plan(random);
    tally.add(plan, machine, some_options(random));
    for (int j = 0; j < 3 && !plan.sent.empty(); ++j) {
      tally.add(mutant(plan, random), some_machine(plan.problem.ranks, random),
                some_options(random));
    }
  }
  tally.conclude(schedule_checks);
}

TEST_CASE("random schedules at hop level", "[mutants]") {
  Random random(6);
  Tally tally;
  for (int i = 0; i < part(8000, 20000); ++i) {
    const naive::Plan endpoint = some_plan(random, i % 4 != 0);
    if (endpoint.problem.ranks < 2) continue;
    const std::string machine = random.pick(routed_machines(endpoint.problem.ranks));
    naive::Plan plan = hops_of(endpoint, machine);
    for (Sent& s : plan.sent) {  // routers may combine
      if (plan.problem.reduction() && random.one_in(3)) s.transfer.reduce = 1;
    }
    tally.add(plan, machine, some_options(random));
    if (!plan.sent.empty()) tally.add(mutant(plan, random), machine, some_options(random));
  }
  tally.conclude({"shape", "links", "switches", "causality", "delivery", "redundancy"});
}
