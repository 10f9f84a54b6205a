// Checks by the first block alone: reports against those of checks in full.

#include "check/symmetry/one_block.hpp"

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "catch.hpp"
#include "check/threading.hpp"
#include "schedcc/algorithm.hpp"
#include "schedcc/machine.hpp"

using namespace schedcc;

namespace {

Request circulant(Collective collective, Rank P, std::uint32_t K, const std::string& machine) {
  Request request;
  request.problem.collective = collective;
  request.problem.ranks = P;
  request.problem.chunks = K;
  request.machine = make_machine(machine, P);
  return request;
}

Source source_with(const Request& request, const Steps& steps) {
  Source source;
  source.problem = request.problem;
  source.open = [steps] { return stream(steps); };
  return source;
}

/// Seeds with one change: of a transfer, which may be left out or doubled, or of its row.
Steps with_one_change(const Steps& seeds, const Problem& problem, std::mt19937& random) {
  const Schedule right = collect(*stream(seeds));
  const auto number = [&](std::uint64_t below) {
    return static_cast<std::uint32_t>(random() % below);
  };
  const std::uint64_t mutated_row = number(right.size());
  const std::uint64_t mutated = number(right[mutated_row].transfers.size());
  std::vector<Transfers> rows(right.size());
  for (std::uint64_t row = 0; row < right.size(); ++row) {
    for (std::uint64_t i = 0; i < right[row].transfers.size(); ++i) {
      Transfer t = right[row].transfers[i];
      std::uint64_t to = row;
      int copies = 1;
      switch (row == mutated_row && i == mutated ? number(8) : 8) {
        case 0:
          t.src = number(problem.ranks);
          break;
        case 1:
          t.dst = number(problem.ranks);
          break;
        case 2:
          t.first = number(problem.chunks);
          break;
        case 3:
          t.first = number(problem.total_chunks());
          break;
        case 4:
          t.count = (1 + number(problem.chunks)) & max_transfer_count;
          break;
        case 5:
          to = number(right.size());
          break;
        case 6:
          copies = 0;
          break;
        case 7:
          copies = 2;
          break;
        default:
          break;
      }
      rows[to].insert(rows[to].end(), copies, t);
    }
  }
  const auto result = std::make_shared<Schedule>();
  for (std::uint64_t row = 0; row < rows.size(); ++row) {
    result->begin_step(right[row].number);
    for (const Transfer& t : rows[row]) result->add(t);
  }
  return as_steps(result);
}

/// In full, of rows of which nothing more is known.
Report in_full(const Source& source, const Machine& machine, const CheckOptions& options) {
  Source plain = source;
  plain.open = [rows = std::make_shared<const Schedule>(collect(*source.open()))] {
    return stream(rows);
  };
  return check_steps(plain, machine, options, {.in_full = true});
}

Symmetry rotations(const Problem& problem) {
  return Symmetry(Symmetry::Group::rotations, problem.ranks, 1, problem.chunks);
}

std::uint64_t transfers_of(const Source& source) {
  std::uint64_t result = 0;
  const auto stream = source.open();
  for (Step step; stream->next(step);) result += step.transfers.size();
  return result;
}

}  // namespace

TEST_CASE("the first block has the report of all of them") {
  std::size_t seen = 0;
  for (const Collective collective : {Collective::allgather, Collective::reduce_scatter}) {
    for (Rank P = 2; P <= 19; ++P) {
      for (std::uint32_t K = 1; K <= 11; K += 1 + K / 4) {
        for (const char* const machine : {"duplex", "simplex", "bsp:h=2"}) {
          const Request request = circulant(collective, P, K, machine);
          const Source source = source_with(request, find_algorithm("circulant").steps(request));
          INFO(describe(request.problem) << " on " << machine);
          const auto parts = one_block(source, rotations(source.problem), {});
          REQUIRE(parts);
          CHECK(parts->transfers == transfers_of(parts->block));
          CHECK(parts->transfers * P == transfers_of(source));
          for (const bool bounded : {false, true}) {
            CheckOptions options;
            if (bounded) options.max_buffer = P / 2;
            const Report full = in_full(source, request.machine, options);
            for (const unsigned jobs : {1U, 2U}) {
              options.jobs = jobs;
              CHECK(to_json(check(source, request.machine, options)) == to_json(full));
            }
            seen += full.findings_total == 0 ? 1 : 0;
          }
        }
      }
    }
  }
  CHECK(seen > 500);
}

TEST_CASE("seeds with a change have the report of all their rotations") {
  std::mt19937 random(13);
  std::size_t accepted = 0, violated = 0;
  for (int i = 0; i < 2000; ++i) {
    const Collective collective = i % 2 == 0 ? Collective::allgather : Collective::reduce_scatter;
    const auto P = static_cast<Rank>(2 + random() % 11);
    const auto K = static_cast<std::uint32_t>(1 + random() % 6);
    const Request request = circulant(collective, P, K, "bsp:h=64");
    const Steps seeds = find_algorithm("circulant").steps(request).rotated()->seeds;
    const Steps mutant = with_one_change(seeds, request.problem, random);
    const Source source = source_with(request, Steps::rotations(mutant, P, K));
    INFO("case " << i << ": " << describe(request.problem));
    CheckOptions options;
    const Report full = in_full(source, request.machine, options);
    for (const unsigned jobs : {1U, 2U}) {
      options.jobs = jobs;
      CHECK(to_json(check(source, request.machine, options)) == to_json(full));
    }
    violated += full.verdict() == Verdict::violated ? 1 : 0;
    accepted += full.verdict() == Verdict::holds ? 1 : 0;
  }
  CHECK(accepted > 100);
  CHECK(violated > 1000);
}

TEST_CASE("messages to different ranks in one row, and of several chunks") {
  // Rank 0 sends its block to 1 and 3, in parts, then 1 sends it to 2, of 5 ranks; rank 4 gets it
  // from 3.
  const Request request = circulant(Collective::allgather, 5, 4, "kport:k=2");
  const auto seeds = std::make_shared<Schedule>();
  seeds->begin_step(0);
  seeds->add(copy(0, 1, 0, 2));
  seeds->add(copy(0, 3, 0, 4));
  seeds->add(copy(0, 1, 2, 2));
  seeds->begin_step(3);
  seeds->add(copy(1, 2, 0, 4));
  seeds->add(copy(3, 4, 1, 3));
  seeds->begin_step(4);
  seeds->add(copy(3, 4, 0));
  const Source source = source_with(request, Steps::rotations(as_steps(seeds), 5, 4));
  const Report full = in_full(source, request.machine, {});
  REQUIRE(full.verdict() == Verdict::holds);
  CHECK(full.messages == 20);
  CHECK(full.width == 7);
  CHECK(to_json(check(source, request.machine, {})) == to_json(full));
  CHECK(check(source, make_machine("duplex", 5), {}).verdict() == Verdict::violated);
}

TEST_CASE("other schedules have no block that is enough") {
  const Request request = circulant(Collective::allgather, 6, 2, "duplex");
  const Steps made = find_algorithm("circulant").steps(request);
  const Source source = source_with(request, made);
  CHECK(one_block(source, rotations(source.problem), {2}));
  CHECK_FALSE(one_block(source, Symmetry(Symmetry::Group::reflections, 6, 1, 2), {}));
  CHECK_FALSE(one_block(source, Symmetry(Symmetry::Group::rotations, 6, 1, 1), {}));
  Source plain = source;
  plain.open = [schedule = std::make_shared<const Schedule>(collect(*source.open()))] {
    return stream(schedule);
  };
  CHECK_FALSE(one_block(plain, rotations(source.problem), {}));
}
