// The prover: optima that are known from theory, and frontiers.

#include "catch.hpp"
#include "core/process_memory.hpp"
#include "prove/sat/constructions.hpp"
#include "prove/sat/question/symmetry.hpp"
#include "proving.hpp"
#include "schedcc/error.hpp"
#include "topologies.hpp"

using namespace proving;

namespace {

std::uint64_t log2_up(std::uint64_t n) {
  std::uint64_t h = 0;
  while ((std::uint64_t{1} << h) < n) ++h;
  return h;
}

}  // namespace

TEST_CASE("prove: without a solver it is an error") {
  if (!no_solver()) return;
  CHECK_THROWS_WITH(chosen_solvers("cadical"),
                    "schedcc was built without a solver; prove needs Z3 or CaDiCaL");
  CHECK_FALSE(has_z3());
  // Questions can still be written for other solvers.
  const std::string query = smtlib(question(Collective::broadcast, 3, 1, "duplex", 2));
  CHECK(query.find("(check-sat)") != std::string::npos);
}

TEST_CASE("prove: known optima") {
  if (no_solver()) return;
  for (Rank P = 2; P <= 8; ++P) {
    for (std::uint32_t K = 1; K <= 3; ++K) {
      INFO("P = " << P << ", K = " << K);
      // Bar-Noy and Kipnis; the reduction is the reversed broadcast.
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
  // Total exchange on the exponential tree: BFT's n + 2 log n - 2 = 12 steps are not necessary for
  // n = 8. On the constant one all that goes from half to half needs the root's branches one after
  // the other.
  CHECK(least_of(Collective::alltoall, 4, 1, "ebft") == 6);
  CHECK(least_of(Collective::alltoall, 8, 1, "ebft") == 11);
  CHECK(least_of(Collective::alltoall, 8, 1, "cbft") == 21);
}

TEST_CASE("prove: machines whose messages share channels") {
  if (no_solver()) return;
  // Through the middle of a row of four ranks a message a step, each way: 4 chunks that must cross,
  // and with two at once on an edge the ports are the limit again.
  CHECK(least_of(Collective::alltoall, 4, 1, "mesh:1x4") == 4);
  CHECK(least_of(Collective::alltoall, 4, 1, "mesh:1x4,congestion=2") == 3);
  // Three modules of two ranks: 8 messages must leave each module, over one link. With two links,
  // the default, the ports are the limit.
  CHECK(least_of(Collective::alltoall, 6, 1, "crossbar:a=3,b=2,in=1,out=1") == 8);
  CHECK(least_of(Collective::alltoall, 6, 1, "crossbar:a=3,b=2") == 5);
  CHECK(least_of(Collective::broadcast, 6, 2, "torus:2x3") == 4);
  CHECK(least_of(Collective::allgather, 6, 1, "mesh:2x3") == 5);
  CHECK(least_of(Collective::reduce_scatter, 6, 1, "torus:2x3") == 5);
  CHECK(least_of(Collective::allreduce, 4, 1, "cluster:2x2,nics=2") == 2);
  CHECK(least_of(Collective::allreduce, 4, 1, "cluster:2x2") == 3);  // two cannot cross at once
}

TEST_CASE("prove: counting alone refutes alltoall on narrow channels, and allreduce") {
  const auto refuted = [](Collective collective, Rank ranks, std::uint32_t chunks,
                          const char* machine, std::uint64_t steps) {
    return encode(question(collective, ranks, chunks, machine, steps)).formula.refuted();
  };
  CHECK(refuted(Collective::alltoall, 16, 1, "mesh:4x4", 15));
  CHECK_FALSE(refuted(Collective::alltoall, 16, 1, "mesh:4x4", 16));
  CHECK(refuted(Collective::alltoall, 16, 1, "crossbar:a=4,b=4", 23));
  CHECK_FALSE(refuted(Collective::alltoall, 16, 1, "crossbar:a=4,b=4", 24));
  CHECK(refuted(Collective::allreduce, 8, 8, "duplex", 13));
  CHECK_FALSE(refuted(Collective::allreduce, 8, 8, "duplex", 14));
}

TEST_CASE("prove: schedules of algorithms are answers, and never better than the least") {
  if (no_solver()) return;
  std::uint64_t found = 0, optimal = 0;
  for (const char* machine : {"duplex", "duplex:width=2", "simplex", "kport:k=2", "mesh:2x2",
                              "torus:1x4", "crossbar:a=2,b=2,in=1,out=1"}) {
    for (const CollectiveInfo& collective : collectives()) {
      if (collective.collective == Collective::custom) continue;
      for (std::uint32_t K = 1; K <= 2; ++K) {
        Question asked = question(collective.collective, 4, K, machine);
        const auto best = best_construction(asked, {});
        if (!best) continue;
        ++found;
        INFO(describe(asked) << ": " << best->name << ", " << best->steps);
        asked.steps = best->steps;
        accept(asked, best->schedule);  // throws where it does not
        SearchOptions options;
        options.solvers = first_solver();
        options.limits.deadline = SolverLimits::Clock::now() + std::chrono::milliseconds(300);
        const Interval alone = least_steps(asked, options);
        CHECK(alone.least <= best->steps);
        options.constructions = true;
        const Interval both = least_steps(asked, options);
        CHECK(both.most <= best->steps);
        if (alone.decided() && both.decided()) CHECK(both.least == alone.least);
        optimal += both.decided() && both.least == best->steps ? 1 : 0;
      }
    }
  }
  CHECK(found > 100);
  CHECK(optimal > 60);
}

TEST_CASE("prove: pairings move every rank, and so do their products") {
  if (no_solver()) return;
  std::uint64_t found = 0;
  for (const std::string& machine :
       {std::string("duplex"), std::string("mesh:2x4"), std::string("torus:2x4"),
        std::string("crossbar:a=4,b=2,in=1,out=1"), std::string("ebft"), topologies::ring(8),
        topologies::star(8)}) {
    for (const Collective collective : {Collective::alltoall, Collective::allgather}) {
      const Question asked = question(collective, 8, 1, machine, 12);
      INFO(describe(asked));
      const Instance instance = make_instance(asked);
      const std::vector<Delivery> chunks = deliveries(asked.problem);
      const std::vector<Symmetry> all = pairings(instance, chunks);
      found += all.size();
      for (unsigned product = 1; product < 1U << all.size(); ++product) {
        for (Rank v = 0; v < 8; ++v) {
          Rank image = v;
          for (std::size_t i = 0; i < all.size(); ++i) {
            if ((product >> i) % 2 != 0) image = all[i].node[image];
          }
          CHECK(image != v);
        }
      }
      for (const auto& [node, chunk] : all) {
        for (Rank v = 0; v < instance.nodes; ++v) CHECK(node[node[v]] == v);
        for (Chunk c = 0; c < chunks.size(); ++c) {
          CHECK(chunks[chunk[c]].sources.front() == node[chunks[c].sources.front()]);
        }
      }
      // A schedule that pairings preserve passes the checker.
      Hints hints;
      hints.order = hints.guess = false;
      hints.pairings = SIZE_MAX;
      const Encoding encoding = encode(asked, hints);
      CHECK(encoding.pairings == all.size());
      Model model;
      if (first_solver().front()->solve(encoding.formula, {}, model, "") == Answer::sat) {
        accept(asked, encoding.schedule(model));
      }
    }
  }
  CHECK(found > 20);
  const Question rooted = question(Collective::broadcast, 8, 1, "duplex", 12);
  CHECK(pairings(make_instance(rooted), deliveries(rooted.problem)).empty());
}

TEST_CASE("prove: a schedule that pairings preserve decides what clauses alone take too long for") {
  if (no_solver()) return;
  CHECK(least_of(Collective::alltoall, 16, 1, "torus:4x4") == 15);
}

TEST_CASE("prove: schedules of fewer chunks, joined, change no frontier") {
  if (no_solver()) return;
  std::uint64_t joined = 0;
  for (const std::string& machine :
       {std::string("duplex"), std::string("mesh:2x2"), std::string("ebft"), topologies::ring(4)}) {
    for (const Collective collective :
         {Collective::broadcast, Collective::reduce_scatter, Collective::allreduce}) {
      const Question asked = question(collective, 4, 3, machine);
      INFO(describe(asked));
      SearchOptions options;
      options.solvers = first_solver();
      const Frontier alone = frontier(asked, options);
      options.constructions = true;
      const Frontier together = frontier(asked, options);
      REQUIRE(together.optima.size() == alone.optima.size());
      for (std::size_t i = 0; i < alone.optima.size(); ++i) {
        CHECK(together.optima[i].steps == alone.optima[i].steps);
        CHECK(together.optima[i].rounds == alone.optima[i].rounds);
      }
      for (const SearchResult& entry : together.tried) {
        joined += entry.construction.ends_with("chunks") ? 1 : 0;
      }
    }
  }
  CHECK(joined > 10);
}

TEST_CASE("prove: a limit on memory leaves it undecided, and says so") {
  if (no_solver()) return;
  const Question asked = question(Collective::allgather, 12, 3, "simplex", 66);
  SolverLimits limits;
  limits.memory = 1;
  Decision decision = decide(asked, first_solver(), limits);
  CHECK(decision.answer == Answer::unknown);
  CHECK(decision.exhausted);
  CHECK(decision.limit == "the limit of 0 MiB of memory (--memory) is reached");
  // Room for the formula, and not for a solver.
  limits.memory = used_memory() + (std::uint64_t{1} << 20);
  decision = decide(asked, first_solver(), limits);
  CHECK(decision.exhausted);
  CHECK_FALSE(decision.limit.empty());
}

TEST_CASE("prove: the least broadcast time on LogP is Karp's") {
  if (no_solver()) return;
  for (const std::string machine : {"logp", "logp:L=2,o=1,g=1", "logp:L=3,o=0,g=2"}) {
    for (Rank P = 2; P <= 6; ++P) {
      const Question asked = question(Collective::broadcast, P, 1, machine);
      INFO(asked.machine.spec() << ", P = " << P);
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
    return std::ranges::any_of(found.tried, [&](const SearchResult& entry) {
      return entry.chunks == o.chunks && entry.steps == std::min(steps, rounds) &&
             entry.rounds.value_or(entry.steps) == rounds && entry.answer == Answer::unsat;
    });
  };
  for (const Optimum& o : found.optima) {
    CHECK(refuted(o, o.steps - 1, o.rounds));
    CHECK(refuted(o, o.steps, o.rounds - 1));
  }
  // If it is stopped at once, nothing was tried; if later, the known interval is reported.
  const Question hard = question(Collective::allgather, 6, 4, "simplex");
  options.limits.deadline = SolverLimits::Clock::now() - std::chrono::seconds(1);
  CHECK(frontier(hard, options).untried == 1);
  options.limits.deadline = std::nullopt;
  std::atomic<bool> stop = false;
  options.limits.stop = &stop;
  options.after = [&](const SearchResult& entry) { stop = entry.chunks == 2 && entry.steps == 5; };
  const Frontier some = frontier(hard, options);
  CHECK_FALSE(some.complete());
  REQUIRE(some.optima.size() == 1);
  REQUIRE(some.open.size() == 1);
  CHECK(some.open.front().chunks == 2);
  CHECK(some.open.front().least == 6);
  CHECK(some.untried == 3);
}

TEST_CASE("prove: a frontier that takes the bound by counting as proved is the same") {
  if (no_solver()) return;
  SearchOptions options;
  options.solvers = first_solver();
  std::uint64_t counted = 0, refuted = 0;
  for (const Question& asked : {question(Collective::broadcast, 5, 3, "duplex"),
                                question(Collective::alltoall, 4, 1, "torus:1x4"),
                                question(Collective::allreduce, 3, 2, "simplex"),
                                question(Collective::allgather, 4, 3, topologies::ring(4))}) {
    INFO(subject(asked));
    const Frontier proved = frontier(asked, options), assumed = frontier(asked, options, true);
    CHECK(proved.complete());
    CHECK(assumed.complete());
    REQUIRE(assumed.optima.size() == proved.optima.size());
    for (std::size_t i = 0; i < proved.optima.size(); ++i) {
      const Optimum &a = proved.optima[i], &b = assumed.optima[i];
      CHECK(a.chunks == b.chunks);
      CHECK(a.steps == b.steps);
      CHECK(a.rounds == b.rounds);
      CHECK_FALSE(a.counted);
      Question entry = asked;
      entry.problem.chunks = static_cast<std::uint32_t>(b.chunks);
      // An entry above the bound is refuted below, by a solver, whatever was assumed.
      CHECK(b.counted == (counted_bound(entry).steps == b.rounds));
      ++(b.counted ? counted : refuted);
    }
  }
  CHECK(counted > 5);
  CHECK(refuted > 0);
}

TEST_CASE("prove: steps and rounds on a ring") {
  if (no_solver()) return;
  SearchOptions options;
  options.solvers = first_solver();
  // Each rank has two incoming arcs and needs 7 K chunks; the farthest one is four arcs away.
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
  // No link leads to the root of a gather.
  CHECK_THROWS_AS(least_steps(question(Collective::gather, 3, 1,
                                       topologies::machine("away", 3, 0, {{0, 1, 1}, {1, 2, 1}})),
                              options),
                  InputError);
}
