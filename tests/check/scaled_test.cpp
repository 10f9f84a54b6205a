// Checks of schedules that differ in the size of their blocks: the report is that of each one's own
// check, byte by byte.

#include <string>
#include <tuple>

#include "algorithm_cases.hpp"
#include "catch.hpp"
#include "check/period/checked_excerpt.hpp"
#include "check/scaled.hpp"
#include "check/threading.hpp"
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

/// The same for the schedule of an algorithm for a request.
void same_report(ScaledChecks& checks, const Algorithm& algorithm, const Request& request,
                 const std::string& spec, const CheckOptions& options = {}) {
  Report alone = check(from_algorithm(algorithm, request, spec), request.machine, options);
  const Report together = checks.check(algorithm, request, spec, options);
  if (!together.max_buffer) alone.max_buffer.reset();
  CHECK(to_json(together) == to_json(alone));
}

/// How many of the schedules of an algorithm for 1..6 chunks follow from that for one chunk, by the
/// way in which they are made.
std::uint64_t followed_in_algorithm(const std::string& text, Collective collective, Rank ranks,
                                    const std::string& machine, const CheckOptions& options = {}) {
  ScaledChecks checks(0);  // nothing is kept, so nothing is compared
  const Spec spec = algorithm_spec(text);
  const auto algorithm = named_algorithm(spec);
  for (std::uint32_t chunks = 1; chunks <= 6; ++chunks) {
    Request request;
    request.problem.collective = collective;
    request.problem.ranks = ranks;
    request.problem.chunks = chunks;
    request.parameters = spec.check(algorithm->parameters, text);
    request.machine = make_machine(machine, ranks);
    same_report(checks, *algorithm, request, text, options);
  }
  return checks.followed();
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
      ScaledChecks compared, checks;
      for (const std::uint32_t chunks : {1, 2, 3, 4, 6}) {
        for (const Rank root : some_roots(c.request.problem.collective, ranks)) {
          Request request = c.request;
          request.problem.chunks = chunks;
          request.problem.root = root;
          if (c.algorithm->reason(request)) continue;
          same_report(compared, from_algorithm(*c.algorithm, request, "algorithm"),
                      request.machine);
          same_report(checks, *c.algorithm, request, "algorithm");
          ++cases;
        }
      }
      CHECK(checks.followed() >= compared.followed());
      followed += compared.followed();
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

TEST_CASE("schedules made from that for one chunk are not made") {
  using enum Collective;
  const std::pair<std::string, Collective> blocks[]{
      {"ring", allgather},        {"pairwise", alltoall},
      {"bucket", reduce_scatter}, {"bruck", alltoall},
      {"bine", scatter},          {"circulant-skips", alltoall},
      {"bsp-butterfly", gather},  {"trivance", allgather},
      {"pat", reduce_scatter},    {"in-network", allgather},
      {"swing", reduce_scatter},  {"linear", gather},
      {"all-pairs", allgather},   {"recexch", reduce_scatter},
      {"binomial-tree", scatter}, {"neighbor-exchange", allgather}};
  for (const auto& [spec, collective] : blocks) {
    for (const Rank ranks : {4, 10}) {
      INFO(spec << ", " << ranks << " ranks");
      const std::string machine = spec == "in-network"                  ? "switch"
                                  : spec == "bsp-butterfly"             ? "bsp:h=2"
                                  : spec == "bucket" || spec == "swing" ? "duplex"
                                                                        : "kport:k=3";
      CHECK(followed_in_algorithm(spec, collective, ranks, machine) == 5);
    }
  }
  for (const char* spec : {"summa", "summa:variant=A", "summa:variant=B,broadcast=linear",
                           "matmul-3d:reduce=knomial-tree"}) {
    for (const Rank ranks : {3, 4, 8, 12, 30}) {
      INFO(spec << ", " << ranks << " ranks");
      CHECK(followed_in_algorithm(spec, custom, ranks, "duplex") == 5);
      CHECK(followed_in_algorithm(spec, custom, ranks, "simplex",
                                  {.blocking = Blocking::send_first}) ==
            followed(spec, custom, ranks, "simplex", {.blocking = Blocking::send_first}));
    }
  }
  CHECK(followed_in_algorithm("summa:broadcast=chain", custom, 9, "duplex") == 0);
  CHECK(followed_in_algorithm("bucket", allgather, 8, "kport:k=2") == 0);  // two trees
  CHECK(followed_in_algorithm("circulant", allgather, 8, "duplex") == 0);
  CHECK(followed_in_algorithm("binomial-tree", broadcast, 8, "logp") == 0);
  CHECK(followed_in_algorithm("ring", allgather, 8, "duplex:width=4") == 0);
  CHECK(followed_in_algorithm("ring", allgather, 8, "fattree:cap=constant") == 0);
  CHECK(followed_in_algorithm("ring", allgather, 8, "duplex", {.max_buffer = 3}) == 0);
  CHECK(followed_in_algorithm("pairwise", alltoall, 8, "simplex") == 0);  // it has findings
}

TEST_CASE("pipelines of several lengths have the reports of their own checks") {
  using enum Collective;
  const std::tuple<const char*, Collective, const char*> pipelines[]{
      {"in-network", allreduce, "switch"},
      {"in-network:owners=2", allreduce, "switch:ports=2"},
      {"chain", broadcast, "duplex"},
      {"chain", reduce, "simplex"},
      {"bsp-pipeline", broadcast, "bsp:h=8"},
      {"circulant", allreduce, "duplex"},
      {"fractional-tree", broadcast, "duplex"},
      {"logp-binomial", broadcast, "logp"},
      {"logp-kary", reduce, "logp:L=9,o=1,g=3"},
      {"chain then chain", allreduce, "duplex"}};
  Random random(8);
  std::size_t wrong = 0;
  for (const auto& [spec, collective, machine_spec] : pipelines) {
    for (const Rank ranks : {2, 3, 5, 8}) {
      ScaledChecks checks;
      const Machine machine = make_machine(machine_spec, ranks);
      for (std::uint32_t chunks = 1; chunks <= 20; ++chunks) {
        INFO(spec << ", " << ranks << " ranks, " << chunks << " chunks");
        Problem problem;
        problem.collective = collective;
        problem.ranks = ranks;
        problem.chunks = chunks;
        const Source source = from_algorithm(spec, problem, machine_spec);
        same_report(checks, source, machine);
        if (chunks % 4 != 0) continue;
        const naive::Plan plan{source.problem, sent(*source.open())};
        const Source changed = source_of(mutant(plan, random));
        wrong += same_report(checks, changed, machine).find("violated") != std::string::npos;
        same_report(checks, source, machine);
      }
    }
  }
  CHECK(wrong > 100);
}

TEST_CASE("an excerpt is checked once for schedules that have it in common") {
  using enum Collective;
  const auto found = [](const char* spec, Collective collective, const std::string& machine) {
    CheckedExcerpt last;
    for (std::uint32_t chunks = 8; chunks <= 20; ++chunks) {
      const Problem problem{collective, 6, 0, chunks, false, nullptr};
      const Source source = from_algorithm(spec, problem, machine);
      const auto report =
          check_by_excerpt(source, make_machine(machine, 6), {}, {.excerpt = &last});
      REQUIRE(report);
      CHECK(to_json(*report) == to_json(check_steps(source, make_machine(machine, 6), {},
                                                    {.threads = 1, .in_full = true})));
    }
    return last.found();
  };
  CHECK(found("in-network", allreduce, "switch") == 12);
  CHECK(found("logp-binomial", broadcast, "logp") == 12);
  CHECK(found("logp-linear", reduce, "logp") == 12);
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

TEST_CASE("queues are followed where they have a limit, or where there is something to report") {
  using enum Collective;
  const auto longest = [](const std::string& machine, const CheckOptions& options) {
    const Problem problem{allgather, 8, 0, 2, false, nullptr};
    const Source source = from_algorithm("bruck", problem);
    ScaledChecks checks;
    const Report together = checks.check(source, make_machine(machine, 8), options);
    Report alone = check(source, make_machine(machine, 8), options);
    if (together.max_buffer) CHECK(together.max_buffer == alone.max_buffer);
    alone.max_buffer = together.max_buffer;
    CHECK(to_json(together) == to_json(alone));
    return together.max_buffer;
  };
  CHECK(!longest("duplex", {}));
  CHECK(!longest("duplex", {.checks = {{"shape", "buffers"}}}));
  CHECK(!longest("duplex", {.checks = {{"buffers", "redundancy", "shape", "bound"}}}));
  CHECK(!longest("duplex", {.checks = {{"shape", "ports"}}}));
  CHECK(longest("duplex", {.max_buffer = 100}));
  CHECK(longest("duplex", {.max_buffer = 0}));
  CHECK(longest("duplex:width=1", {}));
  CHECK(longest("simplex", {}));
  CHECK(longest("fattree:cap=constant", {}));
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
