// The prover: optima that theory knows, what the hints leave out, witnesses, certificates.

#include <array>
#include <filesystem>
#include <fstream>
#include <new>
#include <sstream>

#include "bases.hpp"
#include "catch.hpp"
#include "checker/bounds.hpp"
#include "drat.hpp"
#include "prover/search.hpp"
#include "schedcc/check.hpp"
#include "schedcc/error.hpp"
#include "schedcc/registry.hpp"
#include "topologies.hpp"

namespace {

using namespace schedcc;
using namespace schedcc::prover;

Question question(Collective collective, Rank ranks, std::uint32_t chunks,
                  const std::string& machine, std::uint64_t steps = 0) {
  Problem problem;
  problem.collective = collective;
  problem.ranks = ranks;
  problem.chunks = chunks;
  return {problem, with_width(make_machine(machine, ranks), ranks), steps, std::nullopt};
}

/// schedcc can be built without solvers; then there is nothing to ask.
bool no_solver() { return prover::solvers().empty(); }

std::vector<const SolverEntry*> first_solver() { return {prover::solvers().front()}; }

Interval least(const Question& question) {
  SearchOptions options;
  options.solvers = first_solver();
  return least_steps(question, options);
}

std::uint64_t least_of(Collective collective, Rank ranks, std::uint32_t chunks,
                       const std::string& machine) {
  const Question asked = question(collective, ranks, chunks, machine);
  const Interval interval = least(asked);
  REQUIRE(interval.decided());
  // Nothing that is known to be a bound may be above.
  const auto bound = lower_bound(asked.problem, asked.machine, 1).steps;
  CHECK(bound.value_or(0) <= interval.least);
  return interval.least;
}

std::uint64_t log2_up(std::uint64_t n) {
  std::uint64_t h = 0;
  while ((std::uint64_t{1} << h) < n) ++h;
  return h;
}

}  // namespace

TEST_CASE("prove: without a solver it says so") {
  if (!no_solver()) return;
  CHECK_THROWS_WITH(find_solver("cadical"), "schedcc was built without a solver");
  CHECK_FALSE(has_z3());
  // What does not need one is there: the question for others.
  const std::string query = smtlib(question(Collective::broadcast, 3, 1, "duplex", 2));
  CHECK(query.find("(check-sat)") != std::string::npos);
}

TEST_CASE("prove: optima that theory knows") {
  if (no_solver()) return;
  for (Rank P = 2; P <= 8; ++P) {
    for (std::uint32_t K = 1; K <= 3; ++K) {
      INFO("P = " << P << ", K = " << K);
      // Bar-Noy and Kipnis; the reduction is the broadcast turned round.
      CHECK(least_of(Collective::broadcast, P, K, "duplex") == K - 1 + log2_up(P));
      CHECK(least_of(Collective::reduce, P, K, "duplex") == K - 1 + log2_up(P));
    }
    // The busiest port.
    CHECK(least_of(Collective::scatter, P, 1, "duplex") == P - 1);
    CHECK(least_of(Collective::gather, P, 1, "simplex") == P - 1);
    CHECK(least_of(Collective::allgather, P, 1, "duplex") == P - 1);
    CHECK(least_of(Collective::reduce_scatter, P, 1, "duplex") == P - 1);
  }
  for (const Rank P : {2U, 4U, 8U}) {
    CHECK(least_of(Collective::allreduce, P, 1, "duplex") == log2_up(P));
  }
  CHECK(least_of(Collective::alltoall, 6, 1, "duplex") == 5);
  CHECK(least_of(Collective::broadcast, 9, 1, "kport:k=2") == 2);
  CHECK(least_of(Collective::broadcast, 10, 1, "kport:k=2") == 3);
  CHECK(least_of(Collective::scan, 8, 1, "duplex") == 3);
  CHECK(least_of(Collective::broadcast, 1, 3, "duplex") == 0);
}

TEST_CASE("prove: fat trees") {
  if (no_solver()) return;
  // BFT, Table 1 for scatter and multinode broadcast: n + 1, and 2 log n for one packet.
  CHECK(least_of(Collective::scatter, 4, 1, "cbft") == 5);
  CHECK(least_of(Collective::allgather, 4, 1, "cbft") == 5);
  CHECK(least_of(Collective::broadcast, 8, 1, "cbft") == 6);
  CHECK(least_of(Collective::reduce, 8, 1, "ebft") == 6);
  CHECK(least_of(Collective::allreduce, 4, 1, "cbft") == 4);
  // Total exchange on the exponential tree: n + 2 log n - 2 is not needed for n = 8. On the
  // constant one all that goes from half to half needs the root's branches one after the other.
  CHECK(least_of(Collective::alltoall, 4, 1, "ebft") == 6);
  CHECK(least_of(Collective::alltoall, 8, 1, "ebft") == 11);
  CHECK(least_of(Collective::alltoall, 8, 1, "cbft") == 21);
}

TEST_CASE("prove: the least broadcast time on LogP is Karp's") {
  if (no_solver()) return;
  for (const std::string machine : {"logp", "logp:L=2,o=1,g=1", "logp:L=3,o=0,g=2"}) {
    for (Rank P = 2; P <= 6; ++P) {
      const Question asked = question(Collective::broadcast, P, 1, machine);
      INFO(asked.machine.spec << ", P = " << P);
      const auto karp = lower_bound(asked.problem, asked.machine, 1).steps;
      CHECK(least(asked).least == karp);
    }
  }
}

TEST_CASE("prove: what counting says is true with wide messages and in rounds") {
  if (no_solver()) return;
  for (std::uint32_t K = 1; K <= 4; ++K) {
    for (const char* machine : {"duplex:width=2", "simplex:width=3", "kport:k=2,width=2"}) {
      for (const Collective c : {Collective::broadcast, Collective::scatter}) {
        const Question asked = question(c, 4, K, machine);
        INFO(describe(asked));
        CHECK(counted_bound(asked).steps.value_or(0) <= least(asked).least);
      }
    }
    for (std::uint64_t rounds = 2; rounds <= 2 * K + 1; ++rounds) {
      Question asked = question(Collective::allgather, 4, K, topologies::ring(4));
      asked.rounds = rounds;
      const Interval interval = least(asked);
      INFO(describe(asked) << ", rounds " << rounds);
      if (!interval.none) CHECK(counted_bound(asked).steps.value_or(0) <= interval.least);
    }
  }
  // One rank has nothing to do, and two cannot do without a step: that is refuted as well.
  CHECK(least(question(Collective::broadcast, 1, 1, "duplex")).least == 0);
  CHECK(least(question(Collective::broadcast, 2, 1, "duplex")).tried.front().answer ==
        Answer::unsat);
}

TEST_CASE("prove: each entry of a frontier comes with what refutes less") {
  if (no_solver()) return;
  SearchOptions options;
  options.solvers = first_solver();
  const Frontier found =
      frontier(question(Collective::allgather, 4, 3, topologies::ring(4)), options);
  CHECK(found.complete());
  const auto refuted = [&](const Optimum& o, std::uint64_t steps, std::uint64_t rounds) {
    return std::ranges::any_of(found.tried, [&](const Try& entry) {
      return entry.chunks == o.chunks && entry.steps == std::min(steps, rounds) &&
             entry.rounds.value_or(entry.steps) == rounds && entry.answer == Answer::unsat;
    });
  };
  for (const Optimum& o : found.optima) {
    CHECK(refuted(o, o.steps - 1, o.rounds));
    CHECK(refuted(o, o.steps, o.rounds - 1));
  }
  // Stopped at once, it says that nothing was tried; stopped later, what is known.
  const Question hard = question(Collective::allgather, 6, 4, "simplex");
  options.limits.deadline = Limits::Clock::now() - std::chrono::seconds(1);
  CHECK(frontier(hard, options).untried == 1);
  options.limits.deadline = std::nullopt;
  std::atomic<bool> stop = false;
  options.limits.stop = &stop;
  options.after = [&](const Try& entry) { stop = entry.chunks == 2 && entry.steps == 5; };
  const Frontier some = frontier(hard, options);
  CHECK_FALSE(some.complete());
  REQUIRE(some.optima.size() == 1);
  REQUIRE(some.open.size() == 1);
  CHECK(some.open.front().chunks == 2);
  CHECK(some.open.front().least == 6);
  CHECK(some.untried == 3);
}

TEST_CASE("prove: with hints and without them the answers are the same") {
  if (no_solver()) return;
  const std::pair<const char*, std::vector<Rank>> machines[] = {
      {"duplex", {2, 3, 4}},         {"simplex", {2, 3, 4}}, {"kport:k=2", {3, 4}},
      {"duplex:width=2", {2, 3, 4}}, {"cbft", {2, 4}},       {"fattree:cap=2,1", {4}},
      {"logp:L=1,o=1,g=1", {2, 3}},
  };
  std::uint64_t compared = 0, impossible = 0;
  for (const auto& [machine, ranks] : machines) {
    for (const Rank P : ranks) {
      for (const CollectiveInfo& collective : collectives()) {
        if (collective.collective == Collective::custom) continue;
        for (std::uint32_t K = 1; K <= 2; ++K) {
          for (const bool ordered : {false, true}) {
            for (const Rank root : {Rank{0}, P - 1}) {
              if (root != 0 && !collective.rooted) continue;
              if (ordered && !collective.reduction) continue;
              if (!agreement::chosen()) continue;
              Question asked = question(collective.collective, P, K, machine);
              if (asked.machine.logp && collective.reduction) continue;
              asked.problem.root = root;
              asked.problem.ordered = ordered;
              const std::uint64_t most = P == 4 ? 4 : 6;
              for (asked.steps = 1; asked.steps <= most; ++asked.steps) {
                INFO(describe(asked));
                const Answer with = decide(asked, first_solver(), {}).answer;
                const Answer without = decide(asked, first_solver(), {}, Hints::none()).answer;
                REQUIRE(with != Answer::unknown);
                REQUIRE(name(with) == name(without));
                ++compared;
                impossible += with == Answer::unsat ? 1 : 0;
                if (with == Answer::sat) break;
              }
            }
          }
        }
      }
    }
  }
  WARN(compared << " questions, " << impossible << " of them impossible");
  CHECK(impossible > 0);
}

TEST_CASE("prove: with hints and without them, on topologies, in rounds") {
  if (no_solver()) return;
  using topologies::machine;
  // A ring; a star around a switch; two ranks behind a switch with a wide link; arcs one way round.
  const std::pair<Rank, std::string> machines[] = {
      {4, topologies::ring(4)},
      {3,
       machine("star", 3, 1, {{0, 3, 1}, {3, 0, 1}, {1, 3, 1}, {3, 1, 1}, {2, 3, 2}, {3, 2, 1}})},
      {3, machine("wide", 3, 1,
                  {{0, 3, 2}, {3, 0, 2}, {3, 1, 1}, {1, 3, 1}, {3, 2, 1}, {2, 3, 1}, {1, 2, 1}})},
      {3, machine("oneway", 3, 0, {{0, 1, 1}, {1, 2, 2}, {2, 0, 1}})},
  };
  std::uint64_t compared = 0, impossible = 0;
  for (const auto& [P, spec] : machines) {
    for (const CollectiveInfo& collective : collectives()) {
      if (collective.collective == Collective::custom) continue;
      for (std::uint32_t K = 1; K <= 2; ++K) {
        if (!agreement::chosen()) continue;
        for (std::uint64_t T = 1; T <= 4; ++T) {
          for (std::uint64_t R = T; R <= T + 2; ++R) {
            Question asked = question(collective.collective, P, K, spec, T);
            asked.rounds = R;
            INFO(describe(asked));
            const Answer with = decide(asked, first_solver(), {}).answer;
            const Answer without = decide(asked, first_solver(), {}, Hints::none()).answer;
            REQUIRE(with != Answer::unknown);
            REQUIRE(name(with) == name(without));
            ++compared;
            impossible += with == Answer::unsat ? 1 : 0;
          }
        }
      }
    }
  }
  WARN(compared << " questions, " << impossible << " of them impossible");
  CHECK(impossible > 0);
}

TEST_CASE("prove: with hints and without them, without waiting") {
  if (no_solver()) return;
  using topologies::machine;
  const std::pair<Rank, std::string> machines[] = {
      {2, "cbft"},
      {4, "cbft"},
      {4, "fattree:cap=2,1"},
      {4, topologies::ring(4)},
      {3, machine("oneway", 3, 0, {{0, 1, 1}, {1, 2, 2}, {2, 0, 1}})},
  };
  std::uint64_t impossible = 0;
  for (const auto& [P, spec] : machines) {
    for (const CollectiveInfo& collective : collectives()) {
      const Collective c = collective.collective;
      if (c == Collective::custom || collective.reduction) continue;
      for (std::uint32_t K = 1; K <= 2; ++K) {
        if (!agreement::chosen()) continue;
        for (std::uint64_t T = 1; T <= 6; ++T) {
          Question asked = question(c, P, K, spec, T);
          const Answer waiting = decide(asked, first_solver(), {}).answer;
          asked.waiting = false;
          INFO(describe(asked));
          const Answer with = decide(asked, first_solver(), {}).answer;
          REQUIRE(with != Answer::unknown);
          REQUIRE(name(with) == name(decide(asked, first_solver(), {}, Hints::none()).answer));
          // What can be done without waiting can be done.
          CHECK((with == Answer::unsat || waiting == Answer::sat));
          impossible += with == Answer::unsat ? 1 : 0;
          if (with == Answer::sat) break;
        }
      }
    }
  }
  CHECK(impossible > 0);
  // A reduction is a broadcast turned round, and its transfers take their time.
  for (const auto& [reduction, turned] :
       {std::pair(Collective::reduce, Collective::broadcast),
        std::pair(Collective::reduce_scatter, Collective::allgather)}) {
    Question first = question(reduction, 4, 2, "cbft"), second = question(turned, 4, 2, "cbft");
    first.waiting = second.waiting = false;
    CHECK(least(first).least == least(second).least);
  }
}

TEST_CASE("prove: where there is a schedule there is a fraction of one") {
  if (!has_z3()) return;
  const std::pair<Rank, std::string> machines[] = {
      {4, "duplex"}, {4, "simplex"},           {5, "kport:k=2"},
      {4, "cbft"},   {4, topologies::star(4)}, {4, topologies::ring(4)},
  };
  std::uint64_t refuted = 0;
  const auto compare = [&](Question asked) {
    for (asked.steps = 1; asked.steps <= 7; ++asked.steps) {
      if (asked.machine.topology && asked.waiting) asked.rounds = asked.steps + 1;
      INFO(describe(asked));
      const Encoding encoding = encode(asked);
      const auto query = encoding.relaxation ? encoding.relaxation(nullptr) : std::nullopt;
      if (!query) continue;
      const Answer answer = decide(asked, first_solver(), {}).answer;
      const Answer relaxed = ask_z3(*query, "QF_LRA", {});
      REQUIRE(relaxed != Answer::unknown);
      CHECK((answer == Answer::unsat || relaxed == Answer::sat));
      refuted += relaxed == Answer::unsat ? 1 : 0;
      if (answer == Answer::sat) break;
    }
  };
  for (const auto& [P, spec] : machines) {
    for (const CollectiveInfo& collective : collectives()) {
      if (collective.collective == Collective::custom) continue;
      for (std::uint32_t K = 1; K <= 2; ++K) {
        if (!agreement::chosen()) continue;
        Question asked = question(collective.collective, P, K, spec);
        compare(asked);
        asked.waiting = !asked.machine.network;
        if (!asked.waiting && !collective.reduction) compare(asked);
      }
    }
  }
  CHECK(refuted > 0);
}

TEST_CASE("prove: fractions refute where nothing waits, too") {
  if (!has_z3()) return;
  // Sixteen packets over the root, and three links before and after it.
  Question asked = question(Collective::alltoall, 8, 1, "cbft", 20);
  asked.waiting = false;
  Limits limits;
  limits.deadline = Limits::Clock::now() + std::chrono::minutes(3);
  CHECK(decide(asked, first_solver(), limits).answer == Answer::unsat);
}

TEST_CASE("prove: a sum refutes what clauses cannot") {
  if (!has_z3()) return;
  // Total exchange on sixteen leaves: n + 2 log n - 3 = 21 steps are needed.
  const auto folder = topologies::folder().path() / "relaxed";
  std::filesystem::create_directories(folder);
  const std::string path = (folder / "certificate").string();
  const Question asked = question(Collective::alltoall, 16, 1, "ebft", 20);
  Limits limits;
  limits.deadline = Limits::Clock::now() + std::chrono::minutes(3);  // clauses alone take for ever
  const Decision decision = decide(asked, first_solver(), limits, {}, {path});
  CHECK(decision.answer == Answer::unsat);
  REQUIRE(decision.refuted.size() == 1);
  CHECK(decision.refuted.front().by == fractions);
  CHECK(std::filesystem::exists(path + "-relaxed.smt2"));
  CHECK(std::filesystem::exists(path + ".cnf"));
  CHECK_FALSE(std::filesystem::exists(path + ".drat"));
  std::filesystem::remove_all(folder);
}

TEST_CASE("prove: steps and rounds on a ring") {
  if (no_solver()) return;
  SearchOptions options;
  options.solvers = first_solver();
  // Two arcs into each rank, seven chunks to come, four arcs to go.
  Question asked = question(Collective::allgather, 8, 2, topologies::ring(8));
  const Frontier found = frontier(asked, options);
  CHECK(found.complete());
  std::vector<std::array<std::uint64_t, 3>> optima;
  for (const Optimum& o : found.optima) optima.push_back({o.chunks, o.steps, o.rounds});
  CHECK(optima == std::vector<std::array<std::uint64_t, 3>>{{1, 4, 4}, {2, 4, 7}});
  // Unless the rounds are enough there is no number of steps.
  asked.rounds = 6;
  const Interval none = least_steps(asked, options);
  CHECK(none.none);
  // Nobody can be reached over arcs that there are not.
  CHECK_THROWS_AS(least_steps(question(Collective::gather, 3, 1,
                                       topologies::machine("away", 3, 0, {{0, 1, 1}, {1, 2, 1}})),
                              options),
                  InputError);
}

TEST_CASE("prove: the solvers confirm each other") {
  if (prover::solvers().size() < 2) return;
  const std::vector<const SolverEntry*> both(prover::solvers().begin(), prover::solvers().end());
  for (const CollectiveInfo& collective : collectives()) {
    if (collective.collective == Collective::custom) continue;
    for (std::uint64_t steps = 2; steps <= 3; ++steps) {
      const Question asked = question(collective.collective, 4, 1, "duplex", steps);
      INFO(describe(asked));
      const Decision decision = decide(asked, both, {});
      CHECK(decision.answer != Answer::unknown);
      // Each has refuted it itself.
      REQUIRE(decision.refuted.size() == (decision.answer == Answer::unsat ? both.size() : 0));
      for (std::size_t i = 0; i < decision.refuted.size(); ++i) {
        CHECK(decision.refuted[i].by == both[i]->name);
      }
    }
  }
}

TEST_CASE("prove: a bad witness is a fault of schedcc") {
  if (no_solver()) return;
  // A solver that lies: everything is false but the constant, so nothing is ever sent.
  static const SolverEntry liar{
      .name = "liar",
      .summary = "",
      .solve =
          [](const Formula& formula, const Limits&, Model& model, const std::string&) {
            model.assign(static_cast<std::size_t>(formula.variables()) + 1, false);
            model[1] = true;
            return Answer::sat;
          },
      .writes_proofs = false,
  };
  static const SolverEntry denier{
      .name = "denier",
      .summary = "",
      .solve = [](const Formula&, const Limits&, Model&,
                  const std::string&) { return Answer::unsat; },
      .writes_proofs = false,
  };
  const Question asked = question(Collective::broadcast, 4, 1, "duplex", 2);
  CHECK_THROWS_AS(decide(asked, {&liar}, {}), InternalError);
  CHECK_THROWS_AS(decide(asked, {first_solver().front(), &denier}, {}), InternalError);

  // A good one, planted for fewer steps than it takes, or on a narrower machine.
  const Decision good = decide(asked, first_solver(), {});
  REQUIRE(good.answer == Answer::sat);
  CHECK_NOTHROW(accept(asked, good.schedule));
  Question less = asked;
  less.steps = 1;
  CHECK_THROWS_AS(accept(less, good.schedule), InternalError);
  CHECK_THROWS_AS(
      accept(question(Collective::broadcast, 4, 1, "simplex", 2),
             decide(question(Collective::broadcast, 4, 1, "kport:k=3", 1), first_solver(), {})
                 .schedule),
      InternalError);
}

TEST_CASE("prove: what is found on LogP passes the checker as it stands, or with buffers") {
  if (no_solver()) return;
  const std::uint64_t T = 16;
  std::uint64_t found = 0, cheaper = 0;
  for (const auto& [machine, enough] :
       {std::pair{"logp:L=3,o=1,g=2", 2U}, {"logp:L=1,o=1,g=1", 2U}, {"logp:L=2,o=0,g=3", 1U}}) {
    for (const Collective collective :
         {Collective::broadcast, Collective::scatter, Collective::alltoall}) {
      for (Rank P = 2; P <= (collective == Collective::alltoall ? 3U : 5U); ++P) {
        for (std::uint32_t K = 1; K <= (collective == Collective::alltoall ? 1U : 3U); ++K) {
          Answer answers[2];
          for (const std::uint32_t eager : {0U, enough}) {
            Question asked = question(collective, P, K, machine, T);
            asked.eager = eager;
            INFO(describe(asked));
            const Decision decision = decide(asked, first_solver(), {});
            REQUIRE(decision.answer != Answer::unknown);
            answers[eager == 0 ? 0 : 1] = decision.answer;
            if (decision.answer != Answer::sat) continue;
            ++found;
            CheckOptions options;
            options.eager = eager;
            CHECK(check(source(asked, decision.schedule), asked.machine, options).verdict() ==
                  Verdict::holds);
          }
          CHECK((answers[0] == Answer::unsat || answers[1] == Answer::sat));
          Question crossing = question(collective, P, K, machine, T / 2);
          const Answer plain = decide(crossing, first_solver(), {}).answer;
          crossing.eager = enough;
          cheaper +=
              plain == Answer::unsat && decide(crossing, first_solver(), {}).answer == Answer::sat
                  ? 1
                  : 0;
        }
      }
    }
  }
  CHECK(found > 0);
  CHECK(cheaper > 0);  // two ranks that send to each other at once need buffers
  Question asked = question(Collective::alltoall, 2, 1, "logp:L=3,o=1,g=2", 8);
  asked.eager = 1;  // the second send of a pair might wait
  CHECK_THROWS_AS(decide(asked, first_solver(), {}), InputError);
  asked = question(Collective::alltoall, 2, 1, "duplex", 8);
  asked.eager = 1;
  CHECK_THROWS_AS(decide(asked, first_solver(), {}), InputError);
}

TEST_CASE("prove: what is too large is refused before it takes memory") {
  if (no_solver()) return;
  CHECK_THROWS_AS(least(question(Collective::broadcast, 1000000000, 1, "duplex")), InputError);
  CHECK_THROWS_AS(least(question(Collective::alltoall, 64, 1000, "duplex")), InputError);
  // A reduction to all has variables for each rank's contribution.
  CHECK_THROWS_AS(least(question(Collective::allreduce, 300, 30, "duplex")), InputError);
  CHECK_NOTHROW(make_instance(question(Collective::broadcast, 300, 30, "duplex"), false));
  // Rounds that no step has use for are left away.
  Question rounds = question(Collective::allgather, 4, 2, topologies::ring(4), 3);
  rounds.rounds = UINT32_MAX;
  const Instance instance = make_instance(rounds, false);
  CHECK(instance.step_rounds == 7);  // eight chunks over a link of one
  CHECK(instance.extra_rounds == 3 * 7);
  rounds.rounds = 5;
  CHECK(make_instance(rounds, false).extra_rounds == 2);
  CHECK_THROWS_AS(least(question(Collective::broadcast, 1 << 20, 1, "ebft")), InputError);
}

TEST_CASE("prove: what is undecided is unknown") {
  if (no_solver()) return;
  Limits limits;
  limits.deadline = Limits::Clock::now() - std::chrono::seconds(1);
  const Question hard = question(Collective::allreduce, 8, 4, "simplex", 11);
  for (const SolverEntry* solver : prover::solvers()) {
    CHECK(decide(hard, {solver}, limits).answer == Answer::unknown);
  }
  SearchOptions options;
  options.solvers = first_solver();
  options.limits = limits;
  const Interval interval = least_steps(hard, options);
  CHECK_FALSE(interval.decided());
  CHECK(interval.tried.empty());
}

TEST_CASE("prove: without memory a question is undecided, and the rest is told") {
  // A solver that runs out of memory from the third step on.
  static const SolverEntry poor{
      .name = "poor",
      .summary = "",
      .solve = [](const Formula& formula, const Limits&, Model&, const std::string&) -> Answer {
        for (int v = 2; v <= formula.variables(); ++v) {
          if (formula.name(v).ends_with("_2")) throw std::bad_alloc();
        }
        return Answer::unsat;
      },
      .writes_proofs = false,
  };
  SearchOptions options;
  options.solvers = {&poor};
  const Interval interval = least_steps(question(Collective::broadcast, 16, 1, "duplex"), options);
  CHECK(interval.exhausted);
  CHECK_FALSE(interval.decided());
  CHECK(interval.least > 0);
  CHECK(interval.tried.back().answer == Answer::unknown);
  CHECK(interval.tried.back().exhausted);
}

TEST_CASE("prove: a certificate holds what this decision is from, and nothing of another") {
  const auto folder = topologies::folder().path() / "again";
  std::filesystem::create_directories(folder);
  const std::string path = (folder / "certificate").string();
  const auto solvers = prover::solvers();
  // Writers of proofs before and after those that write none.
  for (std::size_t i = 0; i < 2 * solvers.size(); ++i) {
    const SolverEntry* solver = solvers[i % solvers.size()];
    const Decision decision =
        decide(question(Collective::broadcast, 4, 1, "duplex", 1), {solver}, {}, {}, {path});
    REQUIRE(decision.refuted.size() == 1);
    CHECK(decision.refuted.front().by == solver->name);
    CHECK(decision.refuted.front().proof == solver->writes_proofs);
    CHECK(std::filesystem::exists(path + ".drat") == solver->writes_proofs);
    CHECK(std::filesystem::exists(path + ".cnf"));
  }
  // One that does not know takes the other's proof with it.
  static const SolverEntry silent{
      "silent", "does not know",
      [](const Formula&, const Limits&, Model&, const std::string&) { return Answer::unknown; },
      false};
  if (!solvers.empty()) {
    const std::string unknown = (folder / "unknown").string();
    const Decision decision = decide(question(Collective::broadcast, 4, 1, "duplex", 1),
                                     {solvers.front(), &silent}, {}, {}, {unknown});
    CHECK(decision.answer == Answer::unknown);
    CHECK(decision.refuted.empty());
    CHECK_FALSE(std::filesystem::exists(unknown + ".drat"));
    CHECK_FALSE(std::filesystem::exists(unknown + ".cnf"));
  }
  std::filesystem::remove_all(folder);
}

TEST_CASE("prove: certificates convince a checker that knows nothing of schedules") {
  const auto folder = topologies::folder().path() / "certificates";
  std::filesystem::create_directories(folder);
  const auto read = [](const std::string& path) {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  };
  std::vector<const SolverEntry*> writers;
  for (const SolverEntry* solver : prover::solvers()) {
    if (solver->writes_proofs) writers.push_back(solver);
  }
  if (writers.empty()) return;
  const Question impossible[] = {
      question(Collective::broadcast, 7, 2, "simplex", 4),
      question(Collective::alltoall, 8, 1, "ebft", 10),
      question(Collective::allreduce, 6, 1, "simplex", 4),
      question(Collective::allreduce, 7, 1, "duplex", 3),
  };
  for (const Question& asked : impossible) {
    INFO(describe(asked));
    const std::string path = (folder / "certificate").string();
    REQUIRE(decide(asked, writers, {}, {}, {path}).answer == Answer::unsat);
    const std::string formula = read(path + ".cnf"), proof = read(path + ".drat");
    CHECK(drat::fault(formula, proof).empty());
    CHECK(read(path + ".smt2").find("(check-sat)") != std::string::npos);
    // A proof from which the middle is gone is none, unless the formula needs no proof.
    if (!drat::fault(formula, "").empty()) CHECK_FALSE(drat::fault(formula, "0\n").empty());
  }
  // Of what exists there is no proof.
  const std::string path = (folder / "witness").string();
  REQUIRE(
      decide(question(Collective::broadcast, 4, 1, "duplex", 2), writers, {}, {}, {path}).answer ==
      Answer::sat);
  CHECK_FALSE(std::filesystem::exists(path + ".drat"));
  CHECK_FALSE(std::filesystem::exists(path + ".cnf"));
  std::filesystem::remove_all(folder);
}
