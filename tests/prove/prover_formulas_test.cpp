// The prover: formulas with hints, formulas without them, and their relaxations have consistent
// answers.

#include <random>

#include "algorithm_cases.hpp"
#include "catch.hpp"
#include "customs.hpp"
#include "proving.hpp"
#include "topologies.hpp"

using namespace proving;

namespace {

/// Compares the answers with hints and without them.
class Comparison {
 public:
  /// Returns the answer.
  Answer ask(const Question& asked) {
    INFO(describe(asked));
    const Answer with = decide(asked, first_solver(), {}).answer;
    const Answer without = decide(asked, first_solver(), {}, Hints::none()).answer;
    REQUIRE(with != Answer::unknown);
    REQUIRE(name(with) == name(without));
    ++compared_;
    impossible_ += with == Answer::unsat ? 1 : 0;
    return with;
  }
  /// Asks for 1, 2, ... steps until there is a schedule, or `most`.
  void ask_up_to(Question asked, std::uint64_t most) {
    for (asked.steps = 1; asked.steps <= most; ++asked.steps) {
      if (ask(asked) == Answer::sat) return;
    }
  }
  void report_counts() const {
    WARN(compared_ << " questions, " << impossible_ << " of them impossible");
    CHECK(impossible_ > 0);
  }

 private:
  std::uint64_t compared_ = 0, impossible_ = 0;
};

/// Standard problems over `ranks` ranks, with the first and the last root, ordered and not.
std::vector<Problem> problems(Rank ranks, std::uint32_t chunks) {
  std::vector<Problem> result;
  for (const CollectiveInfo& collective : collectives()) {
    if (collective.collective == Collective::custom) continue;
    for (const bool ordered : {false, true}) {
      if (ordered && !collective.reduction) continue;
      for (const Rank root : {Rank{0}, ranks - 1}) {
        if (root != 0 && !collective.rooted) continue;
        result.push_back({collective.collective, ranks, root, chunks, ordered, nullptr});
      }
    }
  }
  return result;
}

// A ring with arcs in one direction only.
std::string one_way() {
  return topologies::machine("oneway", 3, 0, {{0, 1, 1}, {1, 2, 2}, {2, 0, 1}});
}

}  // namespace

TEST_CASE("prove: with hints and without them the answers are the same") {
  if (no_solver()) return;
  const std::pair<const char*, std::vector<Rank>> machines[] = {
      {"duplex", {2, 3, 4}},         {"simplex", {2, 3, 4}}, {"kport:k=2", {3, 4}},
      {"duplex:width=2", {2, 3, 4}}, {"cbft", {2, 4}},       {"fattree:cap=2,1", {4}},
      {"logp:L=1,o=1,g=1", {2, 3}},
  };
  Comparison comparison;
  std::size_t turn = 0;  // the largest take turns
  for (const auto& [machine, ranks] : machines) {
    for (const Rank P : ranks) {
      for (std::uint32_t K = 1; K <= 2; ++K) {
        for (const Problem& problem : problems(P, K)) {
          if (P == 4 && K == 2 && ++turn % 3 != 0 && !ranges::whole()) continue;
          if (agreement::chosen()) comparison.ask_up_to(question(problem, machine), P == 4 ? 4 : 6);
        }
      }
    }
  }
  comparison.report_counts();
}

TEST_CASE("prove: with hints and without them, of custom collectives") {
  if (no_solver()) return;
  Comparison comparison;
  std::mt19937 dice(7);
  for (const char* machine :
       {"duplex", "simplex", "kport:k=2,width=2", "cbft", "logp:L=1,o=1,g=2"}) {
    for (Rank P = 2; P <= 4; ++P) {
      if (P == 3 && std::string(machine) == "cbft") continue;
      std::vector<Problem> all = customs::kinds(P);
      for (int i = 0; i < ranges::part(8, 20); ++i)
        all.push_back(customs::random(P, 1 + i % 3, dice));
      for (Problem& problem : all) {
        problem.ordered = problem.reduction() && dice() % 4 == 0;
        if (agreement::chosen()) comparison.ask_up_to(question(problem, machine), 4);
      }
    }
  }
  comparison.report_counts();
}

TEST_CASE("prove: with hints and without them, on topologies, in rounds") {
  if (no_solver()) return;
  using topologies::machine;
  // A ring; a star around a switch; two ranks behind a switch with a wide link.
  const std::pair<Rank, std::string> machines[] = {
      {4, topologies::ring(4)},
      {3,
       machine("star", 3, 1, {{0, 3, 1}, {3, 0, 1}, {1, 3, 1}, {3, 1, 1}, {2, 3, 2}, {3, 2, 1}})},
      {3, machine("wide", 3, 1,
                  {{0, 3, 2}, {3, 0, 2}, {3, 1, 1}, {1, 3, 1}, {3, 2, 1}, {2, 3, 1}, {1, 2, 1}})},
      {3, one_way()},
  };
  Comparison comparison;
  for (const auto& [P, spec] : machines) {
    for (std::uint32_t K = 1; K <= 2; ++K) {
      std::vector<Problem> all = customs::kinds(P);
      for (const Problem& problem : problems(P, K)) {
        if (!problem.ordered && problem.root == 0) all.push_back(problem);
      }
      for (const Problem& problem : all) {
        if (!agreement::chosen()) continue;
        Question asked = question(problem, spec);
        for (asked.steps = 1; asked.steps <= 4; ++asked.steps) {
          for (asked.rounds = asked.steps; *asked.rounds <= asked.steps + 2; ++*asked.rounds) {
            comparison.ask(asked);
          }
        }
      }
    }
  }
  comparison.report_counts();
}

TEST_CASE("prove: with hints and without them, without waiting") {
  if (no_solver()) return;
  const std::pair<Rank, std::string> machines[] = {
      {2, "cbft"},
      {4, "cbft"},
      {4, "fattree:cap=2,1"},
      {4, topologies::ring(4)},
      {3, one_way()},
      {3, topologies::machine("down", 3, 0, {{0, 1, 1}, {1, 2, 1}})},  // not all have a route
  };
  Comparison comparison;
  for (const auto& [P, spec] : machines) {
    for (std::uint32_t K = 1; K <= 2; ++K) {
      for (const Problem& problem : problems(P, K)) {
        if (!agreement::chosen()) continue;
        Question asked = question(problem, spec);
        for (asked.steps = 1; asked.steps <= (problem.reduction() ? 5 : 6); ++asked.steps) {
          asked.waiting = true;
          const Answer waiting = decide(asked, first_solver(), {}).answer;
          const bool more = hop_level_only(asked);
          asked.waiting = false;
          const Answer answer = comparison.ask(asked);
          // A schedule without waiting is also one with waiting, unless a route passes through a
          // rank, which would hold the chunks.
          CHECK((answer == Answer::unsat || waiting == Answer::sat || more));
          if (answer == Answer::sat) break;
        }
      }
    }
  }
  comparison.report_counts();
  // A reduction is a reversed broadcast, and its transfers take as long.
  for (const auto& [reduction, turned] :
       {std::pair(Collective::reduce, Collective::broadcast),
        std::pair(Collective::reduce_scatter, Collective::allgather)}) {
    Question first = question(reduction, 4, 2, "cbft"), second = question(turned, 4, 2, "cbft");
    first.waiting = second.waiting = false;
    CHECK(least(first).least == least(second).least);
  }
}

TEST_CASE("prove: packets in transit do not mix with the values of the ranks on their route") {
  if (no_solver()) return;
  Question asked = question(Collective::allreduce, 5, 1, topologies::ring(5, 2));
  asked.steps = 2;
  CHECK(hop_level_only(asked));
  CHECK(subject(asked).ends_with(" at hop level"));
  CHECK(decide(asked, first_solver(), {}).answer == Answer::unsat);
  asked.waiting = false;
  CHECK_FALSE(hop_level_only(asked));
  CHECK(decide(asked, first_solver(), {}).answer == Answer::sat);
  // Collectives of copies, and their reverses, gain nothing from such routes.
  for (const Collective c : {Collective::broadcast, Collective::allgather, Collective::reduce,
                             Collective::reduce_scatter}) {
    CHECK_FALSE(hop_level_only(question(c, 5, 1, topologies::ring(5, 2))));
  }
  CHECK_FALSE(hop_level_only(question(Collective::allreduce, 4, 1, topologies::star(4))));
  CHECK_FALSE(hop_level_only(question(Collective::allreduce, 4, 1, "cbft")));
}

TEST_CASE("prove: a standard collective that is stated as a custom one takes as many steps") {
  if (no_solver()) return;
  const std::pair<const char*, Rank> machines[] = {
      {"duplex", 4}, {"simplex", 4}, {"cbft", 4}, {"logp:L=2,o=1,g=2", 3}};
  for (const auto& [machine, P] : machines) {
    for (const Problem& problem : problems(P, 1)) {
      if (problem.collective == Collective::scan || problem.collective == Collective::exscan)
        continue;
      if (problem.tokens()) continue;  // in a custom collective they have a size
      if (!agreement::chosen()) continue;
      const Question asked = question(problem, machine);
      INFO(describe(asked));
      const Interval known = least(asked);
      CHECK(least(question(customs::restated(problem), machine)).least == known.least);
    }
  }
}

TEST_CASE("prove: the relaxation of a satisfiable question is satisfiable") {
  if (!has_z3()) return;
  const std::pair<Rank, std::string> machines[] = {
      {4, "duplex"}, {4, "simplex"},           {5, "kport:k=2"},
      {4, "cbft"},   {4, topologies::star(4)}, {4, topologies::ring(4)},
  };
  std::uint64_t refuted = 0;
  const auto compare = [&](Question asked) {
    for (asked.steps = 1; asked.steps <= 7; ++asked.steps) {
      if (asked.machine.has_rounds() && asked.waiting) asked.rounds = asked.steps + 1;
      INFO(describe(asked));
      const Encoding encoding = encode(asked);
      const auto query = encoding.relaxation ? encoding.relaxation(nullptr) : std::nullopt;
      if (!query) continue;
      const Answer answer = decide(asked, first_solver(), {}).answer;
      const Answer relaxed = solve_with_z3(*query, "QF_LRA", {});
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
        asked.waiting = !asked.machine.network();
        if (!asked.waiting && !collective.reduction) compare(asked);
      }
    }
  }
  CHECK(refuted > 0);
}

TEST_CASE("prove: the relaxation refutes questions without waiting, too") {
  if (!has_z3()) return;
  // Sixteen packets over the root, and three links before and after it.
  Question asked = question(Collective::alltoall, 8, 1, "cbft", 20);
  asked.waiting = false;
  SolverLimits limits;
  limits.deadline = SolverLimits::Clock::now() + std::chrono::minutes(3);
  CHECK(decide(asked, first_solver(), limits).answer == Answer::unsat);
}

TEST_CASE("prove: the relaxation refutes a question that clauses alone take too long for") {
  if (!has_z3()) return;
  // Total exchange on sixteen leaves: n + 2 log n - 3 = 21 steps are needed.
  const auto folder = topologies::folder().path() / "relaxed";
  std::filesystem::create_directories(folder);
  const std::string path = (folder / "certificate").string();
  const Question asked = question(Collective::alltoall, 16, 1, "ebft", 20);
  SolverLimits limits;
  limits.deadline =
      SolverLimits::Clock::now() + std::chrono::minutes(3);  // clauses alone take much longer
  const Decision decision = decide(asked, first_solver(), limits, {}, {path});
  CHECK(decision.answer == Answer::unsat);
  REQUIRE(decision.refuted.size() == 1);
  CHECK(decision.refuted.front().solver == fractions);
  CHECK(std::filesystem::exists(path + "-relaxed.smt2"));
  CHECK(std::filesystem::exists(path + ".cnf"));
  CHECK_FALSE(std::filesystem::exists(path + ".drat"));
  std::filesystem::remove_all(folder);
}
