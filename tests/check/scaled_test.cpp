// Checks of schedules that differ in the size of their blocks: the report is that of each one's own
// check, byte by byte.

#include <string>

#include "algorithm_cases.hpp"
#include "catch.hpp"
#include "check/scaled.hpp"
#include "random_plans.hpp"
#include "schedcc/error.hpp"
#include "schedcc/format.hpp"

using namespace agreement;
using ranges::part;

namespace {

/// Checks a source in both ways; returns the report.
std::string same_report(ScaledChecks& checks, const Source& source, const Machine& machine,
                        const CheckOptions& options = {}) {
  Report alone = check(source, machine, options);
  const Report together = checks.check(source, machine, options);
  if (!together.max_buffer) alone.max_buffer.reset();
  CHECK(to_json(together) == to_json(alone));
  return to_json(alone);
}

/// How many of the schedules of an algorithm for 1..6 chunks are compared with others.
std::uint64_t followed(const std::string& spec, Collective collective, Rank ranks,
                       const std::string& machine = {}, const CheckOptions& options = {},
                       std::uint64_t most = 1 << 20) {
  ScaledChecks checks(most);
  for (std::uint32_t chunks = 1; chunks <= 6; ++chunks) {
    Problem problem;
    problem.collective = collective;
    problem.ranks = ranks;
    problem.chunks = chunks;
    const Source source = from_algorithm(spec, problem);
    same_report(checks, source, make_machine(machine.empty() ? source.machine : machine, ranks),
                options);
  }
  return checks.followed();
}

/// A plan with every chunk replaced by `by` of them.
naive::Plan scaled(naive::Plan plan, std::uint32_t by) {
  plan.problem.chunks *= by;
  for (naive::Sent& sent : plan.sent) {
    sent.transfer.first *= by;
    sent.transfer.count = (sent.transfer.count * by) & max_transfer_count;
  }
  return plan;
}

}  // namespace

TEST_CASE("schedules of several sizes of blocks have the reports of their own checks") {
  std::size_t cases = 0;
  std::uint64_t followed = 0;
  for (const Rank ranks : {2, 3, 4, 6, 8, 9, 16}) {
    for_some_cases(ranks, 1, part(2, 6), [&](const Case& c) {
      INFO(c.text());
      ScaledChecks checks;
      for (const std::uint32_t chunks : {1, 2, 3, 4, 6}) {
        for (const Rank root : some_roots(c.request.problem.collective, ranks)) {
          Request request = c.request;
          request.problem.chunks = chunks;
          request.problem.root = root;
          if (c.algorithm->reason(request)) continue;
          same_report(checks, from_algorithm(*c.algorithm, request, "algorithm"), request.machine);
          ++cases;
        }
      }
      followed += checks.followed();
    });
  }
  CHECK(cases > 1000);
  CHECK(followed > cases / 6);
}

TEST_CASE("rules that move whole blocks are checked once") {
  using enum Collective;
  for (const Rank ranks : {2, 3, 5, 8, 12}) {
    INFO(ranks);
    CHECK(followed("ring", allgather, ranks) == 5);
    CHECK(followed("pairwise", alltoall, ranks) == 5);
    CHECK(followed("bucket", allgather, ranks) == 5);
    CHECK(followed("linear", scatter, ranks) == 5);
    CHECK(followed("karp", broadcast, ranks) < 5);
    CHECK(followed("in-network", reduce_scatter, ranks) == 5);
  }
}

TEST_CASE("rules that move packet by packet are checked once") {
  using enum Collective;
  for (const Rank ranks : {3, 5, 8, 12}) {
    INFO(ranks);
    CHECK(followed("binomial-tree", broadcast, ranks) == 5);
    CHECK(followed("binomial-tree", broadcast, ranks, {}, {.blocking = Blocking::send_first}) == 5);
    CHECK(followed("summa", custom, ranks) == 5);
    CHECK(followed("summa:grid=" + std::to_string(ranks) + "x1,variant=A", custom, ranks) == 5);
  }
}

TEST_CASE("rules that depend on the number of chunks, and machines that count them, are not") {
  using enum Collective;
  CHECK(followed("chain", broadcast, 8) == 0);
  CHECK(followed("circulant", broadcast, 8) == 0);
  CHECK(followed("ring", allgather, 8, "duplex:width=4") == 0);
  CHECK(followed("ring", allgather, 8, "fattree:cap=constant") == 0);
  CHECK(followed("ring", allgather, 8, {}, {.max_buffer = 3}) == 0);
}

TEST_CASE("schedules that are too long to be kept are checked by themselves") {
  using enum Collective;
  CHECK(followed("ring", allgather, 8, {}, {}, 55) == 0);
  CHECK(followed("ring", allgather, 8, {}, {}, 56) == 5);
}

TEST_CASE("nothing follows from a schedule with a finding") {
  using enum Collective;
  CHECK(followed("pairwise", alltoall, 8, "simplex") == 0);
}

TEST_CASE("schedules that are not quite those of larger blocks are checked by themselves") {
  Random random(7);
  std::size_t wrong = 0, right = 0;
  for (const Rank ranks : {2, 3, 4, 8}) {
    for_some_cases(ranks, 1, 2, [&](const Case& c) {
      const naive::Plan whole = plan(c);
      if (whole.sent.empty() || whole.problem.custom) return;
      for (int i = 0; i < part(4, 20); ++i) {
        const std::uint32_t by = 2 + random.below(3);
        CheckOptions options;
        options.strict = random.one_in(3);
        INFO(c.text());
        ScaledChecks checks;
        same_report(checks, source_of(whole), c.request.machine, options);
        const bool changed = !random.one_in(3);
        const naive::Plan larger = scaled(whole, by);
        const std::string report =
            same_report(checks, source_of(changed ? mutant(larger, random) : larger),
                        c.request.machine, options);
        wrong += report.find("\"verdict\": \"violated\"") != std::string::npos;
        right += checks.followed();
      }
    });
  }
  CHECK(wrong > 100);
  CHECK(right > 100);
}
