// Exchanges of pairs: which ranks are pairs, and broadcasts on grids that take the steps of the
// bound for one port.

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "catch.hpp"
#include "prove/sat/clauses/pair_exchange.hpp"
#include "proving.hpp"

using namespace proving;

namespace {

std::string grid(const char* kind, std::uint64_t rows, std::uint64_t columns) {
  return std::string(kind) + ":" + std::to_string(rows) + "x" + std::to_string(columns);
}

Answer in_pairs(const Question& asked, const MixedFrom& mixed_from = {}) {
  return answer_with(Hints{.pairs = mixed_from}, asked);
}

}  // namespace

TEST_CASE("prove: the pairs of a grid are neighbours, and so many that each plays two roles") {
  for (std::uint64_t rows = 1; rows <= 9; ++rows) {
    for (std::uint64_t columns = 2; columns <= 33; ++columns) {
      INFO(rows << " x " << columns);
      const auto pairs = rank_pairs({rows, columns, true, false});
      const std::uint64_t ranks = rows * columns;
      CHECK(pairs.size() == std::bit_ceil(ranks) / 2);
      std::set<Rank> seen;
      std::size_t members = 0, apart = 0;
      for (const auto& [first, second] : pairs) {
        seen.insert({first, second});
        members += first == second ? 1 : 2;
        const bool beside = first / columns == second / columns && second - first <= 1;
        apart += beside || second - first == columns ? 0 : 1;
      }
      CHECK(members == ranks);
      CHECK((seen.size() == ranks && *seen.rbegin() == ranks - 1));
      CHECK(apart == 0);
    }
  }
}

TEST_CASE(
    "prove: pairs exchange packets in the steps of the bound on grids of two and three rows") {
  if (no_solver()) return;
  for (const char* kind : {"mesh", "torus"}) {
    for (const auto& [rows, columns] : {std::pair<std::uint64_t, std::uint64_t>{2, 6},
                                        {2, 5},
                                        {7, 2},
                                        {2, 8},
                                        {2, 11},
                                        {3, 3},
                                        {3, 4},
                                        {5, 3},
                                        {3, 7}}) {
      const Rank P = static_cast<Rank>(rows * columns);
      for (const std::uint32_t K : {1U, 2U, 3U, 8U}) {
        for (const Collective collective : {Collective::broadcast, Collective::reduce}) {
          const Question asked = at_bound(collective, P, K * 5 % P, K, grid(kind, rows, columns));
          INFO(describe(asked));
          CHECK(in_pairs(asked) == Answer::sat);
          CHECK(in_pairs(asked, {0}) == Answer::sat);
        }
      }
    }
  }
}

TEST_CASE("prove: pairs exchange packets of several chunks, the last of which may have fewer") {
  if (no_solver()) return;
  Question asked = question(Collective::broadcast, 10, 5, "mesh:2x5,width=2");
  asked.steps = exchange_steps(10, 3);
  CHECK(in_pairs(asked) == Answer::sat);
  --asked.steps;
  CHECK(in_pairs(asked) == Answer::unsat);
}

TEST_CASE("prove: pairs decide broadcasts on long grids of two and three rows") {
  if (no_solver()) return;
  for (const auto& [machine, P] :
       {std::pair("mesh:2x17", 34U), {"mesh:3x12", 36U}, {"torus:2x24", 48U}}) {
    const Decision decision =
        decide(at_bound(Collective::broadcast, P, 0, 8, machine), first_solver(), {});
    INFO(machine);
    CHECK(decision.answer == Answer::sat);
    CHECK(decision.construction == "exchanges of pairs");
  }
}

TEST_CASE("prove: there are no exchanges of pairs for other questions") {
  for (const Question& asked : {question(Collective::scatter, 4, 2, "mesh:2x2", 9),
                                question(Collective::broadcast, 4, 2, "duplex", 9),
                                question(Collective::broadcast, 4, 2, "crossbar:a=2,b=2", 9),
                                question(Collective::broadcast, 4, 2, "ebft", 9)}) {
    INFO(describe(asked));
    CHECK(encode(asked, Hints{.pairs = MixedFrom{}}).formula.refuted());
  }
}
