// Steps that are made as the rotations of others: their rows, and the reports of checks that do not
// read these, with mutants.

#include <memory>
#include <random>
#include <string>

#include "catch.hpp"
#include "schedcc/algorithm.hpp"
#include "schedcc/check.hpp"
#include "schedcc/machine.hpp"
#include "schedcc/schedule.hpp"

using namespace schedcc;

namespace {

/// The rows in memory, with nothing known of how they were made.
Source plain(const Problem& problem, const Steps& steps) {
  return from_schedule(problem, std::make_shared<const Schedule>(collect(*stream(steps))));
}

/// Changes some of the transfers, within the ranks and the chunks of a block and one beyond.
Steps mutant(const Steps& steps, Rank ranks, std::uint32_t chunks, std::mt19937& random) {
  auto result = std::make_shared<Schedule>();
  for (std::uint64_t row = 0; row < steps.size(); ++row) {
    Transfers transfers;
    result->begin_step(steps.fill(row, transfers));
    for (Transfer t : transfers) {
      const auto what = random() % 60;
      if (what == 0) t.src = static_cast<Rank>(random() % ranks);
      if (what == 1) t.dst = static_cast<Rank>(random() % ranks);
      if (what == 2) t.first = static_cast<Chunk>(random() % (chunks + 1));
      if (what == 3) t.count = random() % 3 & max_transfer_count;
      if (what == 4) t.reduce ^= 1;
      if (what != 5) result->add(t);
    }
  }
  return as_steps(result);
}

}  // namespace

TEST_CASE("rotations are made by all ranks") {
  const auto one = std::make_shared<Schedule>();
  one->begin_step(2);
  one->add(copy(0, 3, 1, 2));
  one->add({4, 1, 0, 1, 1});
  const Steps steps = Steps::rotations(as_steps(one), 5, 10);
  REQUIRE(steps.size() == 1);
  REQUIRE(steps.rotated() != nullptr);
  CHECK(Steps(steps.rotated()->seeds).rotated() == nullptr);
  Transfers row{copy(9, 9, 9)};
  CHECK(steps.fill(0, row) == 2);
  REQUIRE(row.size() == 11);
  CHECK(row[0] == copy(9, 9, 9));
  for (Rank o = 0; o < 5; ++o) {
    CHECK(row[1 + o] == copy(o, (3 + o) % 5, 1 + 10 * o, 2));
    CHECK(row[6 + o] == Transfer{(4 + o) % 5, (1 + o) % 5, 10 * o, 1, 1});
  }
}

TEST_CASE("what is made by rotations has the report of its rows") {
  std::mt19937 random(5);
  std::size_t violated = 0, held = 0;
  for (int i = 0; i < 1000; ++i) {
    Request request;
    request.problem.collective = i % 2 == 0 ? Collective::allgather : Collective::reduce_scatter;
    const Rank P = request.problem.ranks = static_cast<Rank>(2 + random() % 9);
    const std::uint32_t K = request.problem.chunks = static_cast<std::uint32_t>(1 + random() % 4);
    request.machine = make_machine(i % 3 == 0 ? "kport:k=2" : "duplex", P);
    const Steps right = find_algorithm("circulant").steps(request);
    REQUIRE(right.rotated() != nullptr);
    const Steps steps = Steps::rotations(mutant(right.rotated()->seeds, P, K, random), P, K);
    const Source source = plain(request.problem, steps);
    Source made = source;
    made.open = [&] { return stream(steps); };
    const std::string report = to_json(check(source, request.machine));
    INFO(describe(request.problem));
    CHECK(to_json(check(made, request.machine)) == report);
    const bool wrong = report.find("\"verdict\": \"violated\"") != std::string::npos;
    ++(wrong ? violated : held);
  }
  CHECK(violated > 200);
  CHECK(held > 200);
}
