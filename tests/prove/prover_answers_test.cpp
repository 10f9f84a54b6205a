// The prover: solvers that confirm each other, witnesses, limits of time and memory, certificates.

#include <filesystem>
#include <fstream>
#include <new>
#include <sstream>
#include <tuple>

#include "catch.hpp"
#include "drat.hpp"
#include "prove/sat/question/question_limits.hpp"
#include "proving.hpp"
#include "schedcc/check.hpp"
#include "schedcc/error.hpp"
#include "topologies.hpp"

using namespace proving;

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
        CHECK(decision.refuted[i].solver == both[i]->name);
      }
    }
  }
}

TEST_CASE("prove: a bad witness is an internal error") {
  if (no_solver()) return;
  // A wrong model: all variables but the constant are false, so that nothing is sent.
  static const SolverEntry always_sat{
      .name = "liar",
      .summary = "",
      .solve =
          [](const Formula& formula, const SolverLimits&, Model& model, const std::string&) {
            model.assign(static_cast<std::size_t>(formula.variables()) + 1, false);
            model[1] = true;
            return Answer::sat;
          },
      .writes_proofs = false,
  };
  static const SolverEntry always_unsat{
      .name = "denier",
      .summary = "",
      .solve = [](const Formula&, const SolverLimits&, Model&,
                  const std::string&) { return Answer::unsat; },
      .writes_proofs = false,
  };
  const Question asked = question(Collective::broadcast, 4, 1, "duplex", 2);
  CHECK_THROWS_AS(decide(asked, {&always_sat}, {}), InternalError);
  CHECK_THROWS_AS(decide(asked, {first_solver().front(), &always_unsat}, {}), InternalError);

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

TEST_CASE("prove: what is found on LogP passes the checker unchanged, or with buffers") {
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

TEST_CASE("prove: a problem that is too large is refused before it takes memory") {
  if (no_solver()) return;
  CHECK_THROWS_AS(least(question(Collective::broadcast, 1000000000, 1, "duplex")), LimitError);
  CHECK_THROWS_AS(least(question(Collective::alltoall, 64, 1000, "duplex")), LimitError);
  // A reduction to all has variables for each rank's contribution.
  CHECK_THROWS_AS(least(question(Collective::allreduce, 300, 30, "duplex")), LimitError);
  CHECK_NOTHROW(make_instance(question(Collective::broadcast, 300, 30, "duplex")));
  // Rounds that no step uses are dropped.
  Question rounds = question(Collective::allgather, 4, 2, topologies::ring(4), 3);
  rounds.rounds = UINT32_MAX;
  const Instance instance = make_instance(rounds);
  CHECK(instance.step_rounds == 7);  // eight chunks over a link of one
  CHECK(instance.extra_rounds == 3 * 7);
  rounds.rounds = 5;
  CHECK(make_instance(rounds).extra_rounds == 2);
  CHECK_THROWS_AS(least(question(Collective::broadcast, 1 << 20, 1, "ebft")), LimitError);
}

TEST_CASE("prove: beyond the limit on clauses bounds refute, and clauses are refused") {
  if (no_solver()) return;
  // So many chunks take as many times the steps of one.
  const std::tuple<Collective, Rank, const char*, std::uint64_t> known[] = {
      {Collective::alltoall, 16, "torus:4x4", 15}, {Collective::alltoall, 16, "mesh:4x4", 16},
      {Collective::alltoall, 40, "duplex", 39},    {Collective::scatter, 8, "torus:2x4", 7},
      {Collective::gather, 8, "mesh:2x4", 7},      {Collective::allgather, 8, "duplex", 7},
      {Collective::reduce_scatter, 8, "duplex", 7}};
  for (const auto& [collective, P, machine, each] : known) {
    for (const std::uint32_t K : {1U, 3U, 7U, 50U, 100U, 400U}) {
      Question asked = question(collective, P, K, machine);
      try {
        make_instance(asked);
      } catch (const InstanceTooLarge&) {
        continue;
      }
      for (const std::uint64_t T : {K * each / 2, K * each - 1}) {
        INFO(describe(asked) << ' ' << T);
        asked.steps = T;
        CHECK(decide(asked, first_solver(), {}).answer == Answer::unsat);
      }
      asked.steps = K * each;
      if (!clauses_refusal(asked, make_instance(asked))) continue;
      CHECK_THROWS_AS(decide(asked, first_solver(), {}), InstanceTooLarge);
      CHECK_THROWS_AS(encode(asked, Hints::none()), InstanceTooLarge);
    }
  }
}

TEST_CASE("prove: a timeout is unknown") {
  if (no_solver()) return;
  SolverLimits limits;
  limits.deadline = SolverLimits::Clock::now() - std::chrono::seconds(1);
  const Question hard = question(Collective::allreduce, 8, 4, "simplex", 15);
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

TEST_CASE("prove: without memory a question is undecided, and the rest is reported") {
  // A solver that runs out of memory in the third step and later.
  static const SolverEntry out_of_memory{
      .name = "poor",
      .summary = "",
      .solve = [](const Formula& formula, const SolverLimits&, Model&,
                  const std::string&) -> Answer {
        for (int v = 2; v <= formula.variables(); ++v) {
          if (formula.name(v).ends_with("_2")) throw std::bad_alloc();
        }
        return Answer::unsat;
      },
      .writes_proofs = false,
  };
  SearchOptions options;
  options.solvers = {&out_of_memory};
  const Interval interval = least_steps(question(Collective::allreduce, 4, 1, "duplex"), options);
  CHECK(interval.exhausted);
  CHECK_FALSE(interval.decided());
  CHECK(interval.least > 0);
  CHECK(interval.tried.back().answer == Answer::unknown);
  CHECK(interval.tried.back().exhausted);
}

TEST_CASE("prove: a certificate contains the basis of its decision alone") {
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
    CHECK(decision.refuted.front().solver == solver->name);
    CHECK(decision.refuted.front().has_proof == solver->writes_proofs);
    CHECK(std::filesystem::exists(path + ".drat") == solver->writes_proofs);
    CHECK(std::filesystem::exists(path + ".cnf"));
  }
  // One that does not know takes the other's proof with it.
  static const SolverEntry silent{"silent", "does not know",
                                  [](const Formula&, const SolverLimits&, Model&,
                                     const std::string&) { return Answer::unknown; },
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
  // No proof is written for a schedule that exists.
  const std::string path = (folder / "witness").string();
  REQUIRE(
      decide(question(Collective::broadcast, 4, 1, "duplex", 2), writers, {}, {}, {path}).answer ==
      Answer::sat);
  CHECK_FALSE(std::filesystem::exists(path + ".drat"));
  CHECK_FALSE(std::filesystem::exists(path + ".cnf"));
  std::filesystem::remove_all(folder);
}
