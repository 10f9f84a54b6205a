// Checks by symmetry: the report is that of the check transfer by transfer, byte by byte.

#include "catch.hpp"
#include "symmetric_rows.hpp"

using namespace symmetric;
using ranges::part;
using Group = Symmetry::Group;

TEST_CASE("checks by symmetry report the same for every algorithm") {
  std::size_t cases = 0, by_symmetry = 0;
  for (const Rank ranks : {2, 3, 4, 6, 8, 9, 16}) {
    for (const std::uint32_t chunks : {1, 2, 3, 12, 16}) {
      for_some_cases(ranks, chunks, part(2, 5), [&](const Case& c) {
        INFO(c.text());
        const Source source = source_of_case(c);
        same_by_symmetry(source, c.request.machine);
        same_by_symmetry(source, make_machine("simplex", ranks));
        by_symmetry += check_by_symmetry(source, c.request.machine, {}).has_value();
        ++cases;
      });
    }
  }
  CHECK(cases > 100);
  CHECK(by_symmetry > 100);
}

TEST_CASE("algorithms that treat all ranks alike are checked by symmetry") {
  using enum Collective;
  for (const Rank ranks : {2, 3, 5, 8, 12}) {
    INFO(ranks);
    CHECK(seen("ring", allgather, ranks, 2));
    CHECK(seen("ring", reduce_scatter, ranks, 2));
    CHECK(seen("ring", allreduce, ranks, 2 * ranks));
    CHECK(seen("pairwise", alltoall, ranks, 2));
    CHECK(seen("bruck", alltoall, ranks, 2));
    CHECK(seen("circulant", allgather, ranks, 3));
    CHECK(seen("circulant", reduce_scatter, ranks, 3));
  }
  for (const Rank ranks : {2, 8, 32}) {
    INFO(ranks);
    CHECK(seen("recursive-doubling", allgather, ranks, 3));
    CHECK(seen("recursive-doubling", allreduce, ranks, 3));
  }
}

TEST_CASE("schedules and machines that are not symmetric are not checked by symmetry") {
  using enum Collective;
  CHECK_FALSE(seen("circulant", broadcast, 8, 4));
  CHECK_FALSE(seen("circulant", allreduce, 8, 8));
  CHECK_FALSE(seen("ring", allreduce, 8, 9));
  const Problem problem{alltoall, 8, 0, 1, false, nullptr};
  const Source source = from_algorithm("pairwise", problem);
  for (const char* machine :
       {"crossbar:a=2,b=4", "mesh:2x4", "fattree:cap=constant", "logp:L=6,o=2,g=4", "cluster:2x4"})
    CHECK_FALSE(check_by_symmetry(source, make_machine(machine, 8), {}));
  CHECK_FALSE(check_by_symmetry(source, {}, {.blocking = Blocking::send_first}));
  CHECK_FALSE(check_by_symmetry(source, {}, {.checks = {{"ports"}}}));
}

TEST_CASE("checks by symmetry report the same for mutants") {
  Random random(3);
  std::size_t wrong = 0;
  for (const Rank ranks : {2, 4, 5, 8}) {
    for_some_cases(ranks, ranks, 1, [&](const Case& c) {
      const naive::Plan whole = plan(c);
      for (int i = 0; i < part(3, 12) && !whole.sent.empty(); ++i) {
        naive::Options options;
        if (random.one_in(3)) options.max_buffer = random.below(4);
        CheckOptions asked = library_options(options);
        asked.strict = random.one_in(2);
        asked.fail_fast = random.one_in(5);
        INFO(c.text());
        wrong += is_violated(
            same_by_symmetry(source_of(mutant(whole, random)), c.request.machine, asked));
      }
    });
  }
  CHECK(wrong > 100);
}

TEST_CASE("checks by symmetry report the same for schedules that all ranks have wrong") {
  Random random(5);
  std::size_t wrong = 0, right = 0;
  for (const Rank ranks : {2, 3, 4, 6, 8}) {
    for_some_cases(ranks, 2 * ranks, 2, [&](const Case& c) {
      const Source source = source_of_case(c);
      const auto symmetries = likely_symmetries(source, c.request.machine, {});
      if (symmetries.empty()) return;
      const bool reduces = source.problem.reduction();
      const Rows rows = rows_of(source);
      for (int i = 0; i < part(30, 300); ++i) {
        Rows changed = rows;
        const Symmetry& symmetry = random.pick(symmetries);
        for (int n = 0; n < 1 + random.one_in(3); ++n)
          change_everywhere(changed, symmetry, reduces, random);
        CheckOptions asked;
        asked.strict = random.one_in(3);
        if (random.one_in(3)) asked.max_buffer = random.below(4);
        const Machine machine =
            random.one_in(3) ? make_machine("kport:k=2", ranks) : c.request.machine;
        INFO(c.text());
        const Source made = source_of_rows(source.problem, changed);
        wrong += is_violated(same_by_symmetry(made, machine, asked));
        right += check_by_symmetry(made, machine, asked).has_value();
      }
    });
  }
  CHECK(wrong > 500);
  CHECK(right > 100);
}

TEST_CASE("checks by symmetry report the same for random schedules") {
  Random random(6);
  using enum Collective;
  std::size_t right = 0;
  for (int i = 0; i < part(3000, 100000); ++i) {
    Problem problem;
    problem.collective =
        random.pick(std::vector{allgather, reduce_scatter, allreduce, alltoall, barrier});
    problem.ranks = random.one_in(4) ? 6 : 2 + random.below(3);
    problem.chunks = 1 + random.below(2) * (problem.ranks - 1);
    const int blocks = info(problem.collective).blocks;
    const bool power = power_of_two(problem.ranks);
    const Group turns = problem.ranks % 2 == 0 && problem.ranks > 2 && random.one_in(2)
                            ? Group::reflections
                            : Group::rotations;
    const Symmetry symmetry(
        power && random.one_in(2) ? Group::exclusive_ors : turns, problem.ranks,
        blocks == 0 && problem.chunks == problem.ranks && random.one_in(2) ? 1U : unsigned(blocks),
        blocks == 0 && problem.chunks == problem.ranks ? 1 : problem.chunks);
    const Rows rows = random_rows(symmetry, 4, problem.reduction(), random);
    const Source source = source_of_rows(problem, rows);
    const Machine machine = make_machine(
        random.pick(std::vector<std::string>{"duplex", "kport:k=3", "simplex"}), problem.ranks);
    same_by_symmetry(source, machine);
    right += check_by_symmetry(source, machine, {}).has_value();
  }
  CHECK(right > 5);
}
