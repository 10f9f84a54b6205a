// Schedules that may be wrong: mutants of what the algorithms build, and small random ones. The
// simulator decides whether one is broken, and in which checks; the checker must say the same.
//
// Everything is pseudo-random with fixed seeds, and no distribution of the standard library is
// used, so that the same schedules are made everywhere.

#include <algorithm>
#include <map>
#include <random>
#include <sstream>

#include "bases.hpp"
#include "catch.hpp"

using namespace agreement;

namespace {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  /// A number in 0..n-1.
  std::uint32_t below(std::uint64_t n) { return static_cast<std::uint32_t>(engine_() % n); }
  bool one_in(std::uint64_t n) { return below(n) == 0; }
  template <typename T>
  const T& pick(const std::vector<T>& from) {
    return from[below(from.size())];
  }

 private:
  std::mt19937_64 engine_;
};

void sort_by_step(Plan& plan) {
  std::stable_sort(plan.sent.begin(), plan.sent.end(),
                   [](const Sent& a, const Sent& b) { return a.step < b.step; });
}

// ---- Mutations of one transfer, or of two ----

using Mutation = void (*)(Plan&, std::size_t, Random&);

Rank some_node(const Plan& plan, Random& random) {
  return random.below(std::max<std::uint64_t>(plan.nodes, plan.problem.ranks));
}

void drop(Plan& plan, std::size_t i, Random&) {
  plan.sent.erase(plan.sent.begin() + static_cast<std::ptrdiff_t>(i));
}

void duplicate(Plan& plan, std::size_t i, Random& random) {
  Sent copy = plan.sent[i];
  copy.step += random.below(3);
  plan.sent.push_back(copy);
}

void swap_steps(Plan& plan, std::size_t i, Random& random) {
  std::swap(plan.sent[i].step, plan.sent[random.below(plan.sent.size())].step);
}

void swap_destinations(Plan& plan, std::size_t i, Random& random) {
  std::swap(plan.sent[i].transfer.dst, plan.sent[random.below(plan.sent.size())].transfer.dst);
}

void swap_order(Plan& plan, std::size_t i, Random& random) {
  std::swap(plan.sent[i].transfer, plan.sent[random.below(plan.sent.size())].transfer);
}

void shift(Plan& plan, std::size_t i, Random& random) {
  std::uint64_t& step = plan.sent[i].step;
  step = random.one_in(2) || step == 0 ? step + 1 : step - 1;
}

void redirect(Plan& plan, std::size_t i, Random& random) {
  plan.sent[i].transfer.dst = some_node(plan, random);
}

void other_source(Plan& plan, std::size_t i, Random& random) {
  plan.sent[i].transfer.src = some_node(plan, random);
}

void other_chunk(Plan& plan, std::size_t i, Random& random) {
  Transfer& t = plan.sent[i].transfer;
  t.first = random.below(plan.problem.total_chunks() + (random.one_in(8) ? 1 : 0));
}

void other_count(Plan& plan, std::size_t i, Random& random) {
  Transfer& t = plan.sent[i].transfer;
  t.count = (random.one_in(2) ? t.count + 1U : t.count - 1U) & max_transfer_count;
}

void insert(Plan& plan, std::size_t i, Random& random) {
  Transfer t = copy(some_node(plan, random), some_node(plan, random),
                    random.below(plan.problem.total_chunks()));
  t.reduce = plan.sent[i].transfer.reduce;
  plan.sent.push_back({plan.sent[i].step, t});
}

void flip_reduce(Plan& plan, std::size_t i, Random&) { plan.sent[i].transfer.reduce ^= 1; }

void other_rounds(Plan& plan, std::size_t i, Random& random) {
  plan.rounds[plan.sent[i].step] = 2 + random.below(2);
}

const std::vector<Mutation> mutations{
    drop,     duplicate,    insert,      swap_steps,  swap_destinations, swap_order,   shift,
    redirect, other_source, other_chunk, other_count, flip_reduce,       other_rounds,
};

Plan mutant(Plan plan, Random& random) {
  const int times = random.one_in(4) ? 2 : 1;
  for (int i = 0; i < times && !plan.sent.empty(); ++i) {
    random.pick(mutations)(plan, random.below(plan.sent.size()), random);
    sort_by_step(plan);
  }
  return plan;
}

// ---- Machines and ways of blocking ----

std::vector<std::string> all_machines(Rank ranks) {
  std::vector<std::string> result{"duplex", "duplex:width=1", "kport:k=2", "bsp:h=3", "simplex"};
  for (const std::string_view name : {"logp", "fattree", "mesh", "torus", "crossbar", "topology"}) {
    for (const std::string& spec : machine_specs(name, ranks)) result.push_back(spec);
  }
  return result;
}

/// Machines with a hop level.
std::vector<std::string> routed_machines(Rank ranks) {
  std::vector<std::string> result = machine_specs("fattree", ranks);
  if (ranks > 1) result.push_back(topologies::star(ranks));
  if (ranks > 1) result.push_back(topologies::cluster(ranks));
  return result;
}

naive::Options some_options(Random& random) {
  naive::Options options;
  options.blocking = static_cast<Blocking>(random.below(4));
  options.eager = random.below(3);
  if (random.one_in(3)) options.max_buffer = random.below(4);
  return options;
}

/// Counts what was compared, tells the first few disagreements and counts the rest.
class Tally {
 public:
  void add(const Plan& plan, const std::string& machine, const naive::Options& options) {
    const naive::Outcome outcome =
        naive::simulate(plan, naive::model(machine, plan.problem.ranks), options);
    ++cases_;
    if (outcome.violated.empty()) ++whole_;
    for (const std::string& check : outcome.violated) {
      ++broken_[check];
      if (outcome.violated.size() == 1) ++alone_[check];
    }
    const std::string trouble = disagreement(plan, machine, options);
    if (!trouble.empty() && ++failures_ <= 5) FAIL_CHECK(trouble);
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

const std::vector<std::string> all_checks{"shape",    "ports",    "links",   "causality",
                                          "delivery", "deadlock", "buffers", "redundancy"};
const std::vector<std::string> hop_checks{"shape",    "links",   "causality",
                                          "delivery", "buffers", "redundancy"};

/// A few served cases of every algorithm and collective, of moderate size.
std::vector<Case> some_bases(Random& random, std::uint64_t one_in) {
  std::vector<Case> result;
  for (const Rank ranks : {2, 3, 4, 5, 7, 8}) {
    for (const std::uint32_t chunks : {1, 2, 3}) {
      for_each_case(ranks, chunks, [&](const Case& c) {
        if (random.one_in(one_in)) result.push_back(c);
      });
    }
  }
  return result;
}

}  // namespace

TEST_CASE("mutants of every algorithm on its own machine", "[mutants]") {
  Random random(1);
  Tally tally;
  for (const Case& base : some_bases(random, 3)) {
    const Plan whole = plan(base);
    for (int i = 0; i < 20 && !whole.sent.empty(); ++i) {
      tally.add(mutant(whole, random), base.machine, some_options(random));
    }
  }
  tally.conclude(all_checks);
}

TEST_CASE("schedules and their mutants on the other machines", "[mutants]") {
  Random random(2);
  Tally tally;
  for (const Case& base : some_bases(random, 6)) {
    const Plan whole = plan(base);
    for (const std::string& machine : all_machines(whole.problem.ranks)) {
      if (base.algorithm->hops && !machine.starts_with("fattree")) continue;
      if (!random.one_in(3)) continue;
      tally.add(whole, machine, some_options(random));
      if (!whole.sent.empty()) tally.add(mutant(whole, random), machine, some_options(random));
    }
  }
  tally.conclude(all_checks);
}

TEST_CASE("mutants at hop level", "[mutants]") {
  Random random(3);
  Tally tally;
  for (const Case& base : some_bases(random, 3)) {
    const bool hop_level = base.algorithm->hops;  // then on fat trees
    const Rank ranks = base.request.problem.ranks;
    for (const std::string& machine :
         hop_level ? machine_specs("fattree", ranks) : routed_machines(ranks)) {
      const Plan hops = hop_level ? plan(base) : hops_of(plan(base), machine);
      tally.add(hops, machine, some_options(random));
      for (int i = 0; i < 8; ++i) tally.add(mutant(hops, random), machine, some_options(random));
    }
  }
  tally.conclude(hop_checks);
}

// ---- Small random schedules ----

namespace {

std::vector<Run> some_runs(std::uint32_t chunks, Random& random) {
  std::vector<Run> runs;
  for (Chunk c = 0; c < chunks; ++c) {
    if (random.one_in(2)) runs.push_back({c, 1 + random.below(random.one_in(2) ? chunks - c : 1)});
  }
  return runs;
}

/// Pre and post lines at random; a chunk is never both reduced and merely held.
std::shared_ptr<const Custom> some_custom(Rank ranks, std::uint32_t chunks, Random& random) {
  std::vector<Holding> pre, post;
  const Chunk border = random.below(chunks + 1);  // reduction chunks lie below it
  for (Rank r = 0; r < ranks; ++r) {
    if (random.one_in(4)) continue;
    const auto held = some_runs(chunks, random);
    if (!held.empty()) pre.push_back({r, held});
  }
  pre.push_back({random.below(ranks), {{0, chunks}}});
  for (Rank r = 0; r < ranks; ++r) {
    if (border > 0 && random.one_in(2)) post.push_back({r, some_runs(border, random), true});
    if (border == chunks || random.one_in(2)) continue;
    std::vector<Run> runs = some_runs(chunks - border, random);
    for (Run& run : runs) run.first += border;
    post.push_back({r, runs});
  }
  std::erase_if(post, [](const Holding& line) { return line.runs.empty(); });
  return std::make_shared<Custom>(pre, post);
}

Problem some_problem(Random& random) {
  Problem p;
  p.collective = collectives()[random.below(collectives().size())].collective;
  p.ranks = random.one_in(16) ? 1 : 2 + random.below(3);
  p.chunks = 1 + random.below(p.collective == Collective::alltoall ? 2 : 3);
  if (info(p.collective).rooted) p.root = random.below(p.ranks);
  if (p.collective == Collective::custom) p.custom = some_custom(p.ranks, p.chunks, random);
  p.ordered = p.reduction() && random.one_in(2);
  return p;
}

Transfer some_transfer(const Plan& plan, Random& random) {
  const std::uint64_t chunks = plan.problem.total_chunks();
  Transfer t = copy(some_node(plan, random), some_node(plan, random), random.below(chunks));
  const std::uint32_t more = random.one_in(3) ? random.below(chunks - t.first) : 0;
  t.count = (1 + more) & max_transfer_count;
  t.reduce = plan.problem.reduction() && !random.one_in(4);
  return t;
}

/// Transfers drawn at random; with `sense`, none that no one could have meant.
Plan some_plan(Random& random, bool sense) {
  Plan plan{some_problem(random), {}, 0};
  if (plan.problem.ranks < 2) return plan;
  const std::uint64_t steps = 1 + random.below(6);
  const std::uint32_t transfers = random.below(12);
  const auto model = naive::model("duplex", plan.problem.ranks);
  for (std::uint32_t i = 0; i < transfers; ++i) {
    Plan longer = plan;
    longer.sent.push_back({random.below(steps), some_transfer(plan, random)});
    sort_by_step(longer);
    const auto found = naive::simulate(longer, model).violated;
    if (!sense || (!found.count("shape") && !found.count("causality"))) plan = longer;
  }
  return plan;
}

std::string some_machine(Rank ranks, Random& random) { return random.pick(all_machines(ranks)); }

/// Chooses useful transfers until the end state is reached, or it seems out of reach. Half of the
/// machines have no links.
std::pair<Plan, std::string> some_whole_plan(Random& random) {
  Plan plan{some_problem(random), {}, 0};
  const std::string machine =
      random.one_in(2)
          ? some_machine(plan.problem.ranks, random)
          : random.pick(std::vector<std::string>{"duplex", "simplex", "kport:k=2", "duplex:width=1",
                                                 "logp:L=3,o=1,g=1"});
  const auto model = naive::model(machine, plan.problem.ranks);
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
    const Plan plan = some_plan(random, i % 4 != 0);
    tally.add(plan, some_machine(plan.problem.ranks, random), some_options(random));
  }
  tally.conclude(all_checks);
}

TEST_CASE("random schedules that do what they should and their mutants", "[mutants]") {
  Random random(5);
  Tally tally;
  for (int i = 0; i < 5000; ++i) {
    const auto [plan, machine] = some_whole_plan(random);
    tally.add(plan, machine, some_options(random));
    for (int j = 0; j < 3 && !plan.sent.empty(); ++j) {
      tally.add(mutant(plan, random), some_machine(plan.problem.ranks, random),
                some_options(random));
    }
  }
  tally.conclude(all_checks);
}

TEST_CASE("random schedules at hop level", "[mutants]") {
  Random random(6);
  Tally tally;
  for (int i = 0; i < 20000; ++i) {
    const Plan endpoint = some_plan(random, i % 4 != 0);
    if (endpoint.problem.ranks < 2) continue;
    const std::string machine = random.pick(routed_machines(endpoint.problem.ranks));
    Plan plan = hops_of(endpoint, machine);
    for (Sent& s : plan.sent) {  // routers may combine
      if (plan.problem.reduction() && random.one_in(3)) s.transfer.reduce = 1;
    }
    tally.add(plan, machine, some_options(random));
    if (!plan.sent.empty()) tally.add(mutant(plan, random), machine, some_options(random));
  }
  tally.conclude({"shape", "links", "causality", "delivery", "redundancy"});
}
