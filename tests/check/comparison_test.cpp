// The comparison of rows by which a schedule is seen to be symmetric, by several threads.

#include "check/symmetry/comparison.hpp"

#include "analysis/abandoned.hpp"
#include "catch.hpp"
#include "symmetric_rows.hpp"

using namespace symmetric;
using ranges::part;

TEST_CASE("several threads compare the rows of a schedule, by parts or as a whole") {
  for (const Rank ranks : {4, 6, 8, 64}) {
    for_some_cases(ranks, ranks, 1, [&](const Case& c) {
      const Source source = source_of_case(c);
      const auto symmetries = likely_symmetries(source, c.request.machine, {});
      if (symmetries.empty()) return;
      INFO(c.text());
      const Rows rows = rows_of(source);
      const auto made = source.open()->rows();
      const auto held = source_of_rows(source.problem, rows).open()->rows();
      for (const Symmetry& symmetry : symmetries) {
        std::vector<Transfers> expected;
        bool symmetric = true;
        for (const Transfers& step : rows) {
          Orbits orbits(symmetry);
          symmetric = symmetric && orbits.read(step);
          if (symmetric && !step.empty()) expected.push_back(orbits.of_rank_zero());
        }
        for (const std::size_t threads : {1, 3}) {
          for (const auto& steps : {made, held}) {
            REQUIRE(steps);
            if (!symmetric) {
              CHECK_THROWS_AS(Comparison(*steps, symmetry, {threads}).run({}), Abandoned);
              continue;
            }
            const auto schedule = Comparison(*steps, symmetry, {threads}).run({});
            std::vector<Transfers> found;
            for (std::uint64_t row = 0; row < schedule->size(); ++row) {
              const auto transfers = (*schedule)[row].transfers;
              if (!transfers.empty()) found.emplace_back(transfers.begin(), transfers.end());
            }
            CHECK(found == expected);
          }
        }
      }
    });
  }
}

TEST_CASE("a transfer that differs in any part of a long row is found") {
  const Problem problem{Collective::alltoall, 300, 0, 1, false, nullptr};
  for (const char* spec : {"pairwise", "bruck", "pairwise:ports=7"}) {
    const Source source = from_algorithm(spec, problem);
    const Machine machine = make_machine(source.machine, 300);
    const Rows rows = rows_of(source);
    CHECK(check_by_symmetry(source_of_rows(problem, rows), machine, {}, {2}));
    Random random(7);
    for (int i = 0; i < part(20, 200); ++i) {
      Rows changed = rows;
      Transfers& step = changed[random.below(changed.size())];
      Transfer& t = step[random.below(step.size())];
      switch (random.below(4)) {
        case 0:
          t.dst = (t.dst + 1) % 300;
          break;
        case 1:
          t.first = (t.first + 1) % 90000;
          break;
        case 2:
          t.reduce = 1;
          break;
        default:
          std::swap(t, step[random.below(step.size())]);
          if (step == rows[static_cast<std::size_t>(&step - changed.data())]) continue;
      }
      CHECK_FALSE(check_by_symmetry(source_of_rows(problem, changed), machine, {}, {2}));
    }
  }
}
