// Checks by the symmetries of machines and of exchanges: of tori, of rings with reflections, and of
// fat trees.

#include <fmt/core.h>

#include "catch.hpp"
#include "symmetric_rows.hpp"

using namespace symmetric;
using ranges::part;
using Group = Symmetry::Group;

TEST_CASE("rings along the rows and columns of a torus are checked by symmetry") {
  using enum Collective;
  for (const Rank ranks : {2, 3, 4, 6, 9, 12, 30, 64, 260}) {
    INFO(ranks);
    for (const std::uint32_t chunks : {1, 3}) {
      CHECK(seen("bucket", allgather, ranks, chunks));
      CHECK(seen("bucket", reduce_scatter, ranks, chunks));
    }
    CHECK(seen("bucket", allreduce, ranks, 2 * ranks));
  }
  CHECK_FALSE(seen("bucket", allreduce, 12, 3));  // some ranks have no block
}

TEST_CASE("checks of steps on a torus by symmetry report the same") {
  // Rank 0 sends some chunks, others the same after a translation; the schedule may be changed at
  // one rank, and edges may carry too much.
  Random random(12);
  using enum Collective;
  std::size_t by_symmetry = 0, wrong = 0, overloaded = 0;
  for (int i = 0; i < part(1500, 40000); ++i) {
    const Rank rows = 1 + random.below(4), columns = (rows == 1 ? 2 : 1) + random.below(4);
    const Rank ranks = rows * columns;
    Problem problem;
    problem.collective = random.pick(std::vector{allgather, reduce_scatter, allreduce, barrier});
    problem.ranks = ranks;
    problem.chunks = random.one_in(2) ? ranks : 1 + random.below(2);
    const bool cut = problem.collective == allreduce && problem.chunks == ranks;
    const bool blocks = info(problem.collective).blocks == 1 || cut;
    if (problem.collective != allreduce) problem.chunks = 1 + random.below(2);
    const Symmetry symmetry(Group::translations, ranks, blocks ? 1 : 0, cut ? 1 : problem.chunks,
                            columns);
    Rows steps = random_rows(symmetry, 3, problem.reduction(), random);
    if (random.one_in(5)) steps.front().pop_back();
    const Machine machine = make_machine(
        fmt::format("torus:{}x{},congestion={},ports=4", rows, columns, 1 + random.below(2)),
        ranks);
    CheckOptions asked;
    if (random.one_in(2)) asked.checks = {"shape", "ports", "links"};
    const Source source = source_of_rows(problem, steps);
    const std::string report = same_by_symmetry(source, machine, asked);
    wrong += is_violated(report);
    overloaded += report.find("carries at least") != std::string::npos;
    by_symmetry += check_by_symmetry(source, machine, asked).has_value();
  }
  CHECK(by_symmetry > 50);
  CHECK(wrong > 500);
  CHECK(overloaded > 100);
}

TEST_CASE("exchanges ahead of even ranks and behind odd ones are checked by reflections") {
  using enum Collective;
  Random random(8);
  std::size_t wrong = 0;
  for (const Rank ranks : {4, 6, 8, 10, 12, 22}) {
    for (const char* spec : {"bine", "swing"}) {
      for (const Collective collective : {allgather, reduce_scatter, allreduce, alltoall}) {
        if (collective == alltoall && spec != std::string("bine")) continue;
        INFO(spec << ", " << info(collective).name << ", " << ranks << " ranks");
        CHECK(seen(spec, collective, ranks, collective == allreduce ? 2 * ranks : 2));
        const Problem problem{collective, ranks, 0, collective == allreduce ? ranks : 1};
        const Source source = from_algorithm(spec, problem);
        const unsigned blocks = collective == alltoall ? 2 : 1;
        const Symmetry symmetry(Group::reflections, ranks, blocks, 1);
        for (int i = 0; i < part(5, 50) && ranks < 12; ++i) {
          Rows rows = rows_of(source);
          change_everywhere(rows, symmetry, problem.reduction(), random);
          const Machine machine = make_machine(random.one_in(3) ? "kport:k=2" : "duplex", ranks);
          wrong += is_violated(same_by_symmetry(source_of_rows(problem, rows), machine));
        }
      }
    }
  }
  CHECK(wrong > 50);
}

TEST_CASE("total exchanges on fat trees are checked by symmetry") {
  using enum Collective;
  for (const Rank ranks : {2, 4, 16, 64, 256}) {
    for (const std::uint32_t chunks : {1, 3}) {
      INFO(ranks << ", " << chunks);
      CHECK(seen("xor", alltoall, ranks, chunks));
    }
  }
}

TEST_CASE("checks of exchanges on trees by symmetry report the same") {
  // Rank 0 sends each block in a random step, most of them to the rank that they are for, and all
  // others do the same; then the schedule is changed, at all ranks or at one.
  Random random(11);
  std::size_t by_symmetry = 0, wrong = 0;
  for (int i = 0; i < part(400, 10000); ++i) {
    const Rank ranks = Rank{2} << random.below(4);
    const std::uint32_t K = 1 + random.below(2);
    const Problem problem{Collective::alltoall, ranks, 0, K, false, nullptr};
    const Symmetry symmetry(Group::exclusive_ors, ranks, 2, K);
    const Machine machine =
        make_machine(random.one_in(4) ? "fattree:cap=constant" : "fattree:cap=exponential", ranks);
    std::vector<Transfers> seeds(2 + random.below(6 * ranks));
    for (Rank d = 1; d < ranks; ++d) {
      for (std::uint32_t j = 0; j < K; ++j) {
        Transfer t = copy(0, d, d * K + j);
        if (random.one_in(100)) t.dst = 1 + random.below(ranks - 1);
        if (random.one_in(100)) t.first = random.below(ranks * ranks * K);
        seeds[random.below(seeds.size())].push_back(t);
        if (random.one_in(100)) seeds[random.below(seeds.size())].push_back(t);
      }
    }
    Rows rows;
    for (const Transfers& step : seeds) rows.push_back(orbits(symmetry, step, random.one_in(2)));
    if (random.one_in(4)) {
      Transfers& step = rows[random.below(rows.size())];
      if (!step.empty()) step.pop_back();
    }
    CheckOptions asked;
    if (random.one_in(3)) asked.max_buffer = 0;
    if (random.one_in(3)) asked.checks = {"shape", "causality", "delivery"};
    const Source source = source_of_rows(problem, rows);
    wrong += is_violated(same_by_symmetry(source, machine, asked));
    by_symmetry += check_by_symmetry(source, machine, asked).has_value();
  }
  CHECK(by_symmetry > 50);
  CHECK(wrong > 50);
}
