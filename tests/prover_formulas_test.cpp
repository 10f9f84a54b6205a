// The prover: formulas with hints and without, and those whose chunks flow in fractions, say the
// same.

#include <array>

#include "bases.hpp"
#include "catch.hpp"
#include "proving.hpp"
#include "topologies.hpp"

using namespace proving;

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
