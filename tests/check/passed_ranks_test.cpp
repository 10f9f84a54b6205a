// Endpoint schedules on networks whose routes pass through ranks, which do not hold the chunks in
// transit.

#include "agreement.hpp"
#include "catch.hpp"
#include "format/table_order.hpp"
#include "formats.hpp"
#include "machine/lowering.hpp"
#include "random_plans.hpp"
#include "simulator/networks.hpp"
#include "topologies.hpp"

using namespace agreement;

namespace {

Report report_of(const naive::Plan& plan, const std::string& machine) {
  return check(source_of(plan), make_machine(machine, plan.problem.ranks));
}

Transfer reduce(Rank src, Rank dst, Chunk chunk) {
  Transfer t = copy(src, dst, chunk);
  t.reduce = 1;
  return t;
}

Problem problem(Collective collective, Rank ranks, std::uint32_t chunks = 1) {
  return {collective, ranks, 0, chunks, false, nullptr};
}

bool passes_a_rank(const naive::Plan& plan, const Machine& machine) {
  return std::any_of(plan.sent.begin(), plan.sent.end(), [&](const Sent& s) {
    std::vector<Rank> path;
    machine.network()->route(s.transfer.src, s.transfer.dst, path);
    return std::any_of(path.begin() + 1, path.end() - 1,
                       [&](Rank v) { return v < plan.problem.ranks; });
  });
}

/// The schedule at hop level; none where there is no such form.
std::optional<Source> hop_level(const naive::Plan& plan, const Machine& machine) {
  try {
    return at_hop_level(source_of(plan), machine);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

bool has_table(const naive::Plan& plan, const Machine& machine) {
  try {
    cpp::refuse_reordered(source_of(plan), machine, "a table");
    return true;
  } catch (const InputError&) {
    return false;
  }
}

/// The verdict on the program for GPUs; none where there is none.
std::optional<Verdict> verdict_of_program(const naive::Plan& plan, const std::string& machine) {
  Source source = source_of(plan);
  source.machine = machine;
  try {
    return check(formats::read(formats::written(source, "msccl"), "msccl"), {}).verdict();
  } catch (const InputError&) {
    return std::nullopt;
  }
}

std::vector<std::string> networks(Rank P) {
  return {topologies::line(P, 1), topologies::line(P, 3), topologies::ring(P, 1),
          topologies::ring(P, 2), topologies::cluster(P), topologies::star(P, 2)};
}

/// A schedule that is right but for the loads of links: trees of random shape, or all ranks to all
/// ranks. Chunks are forwarded when they arrive, or a little later.
naive::Plan some_schedule(Random& random, const std::string& machine, Rank P) {
  const auto model = naive::model(machine, P);
  const std::vector<Collective> kinds{Collective::broadcast, Collective::reduce,
                                      Collective::allreduce, Collective::alltoall,
                                      Collective::allgather};
  const Collective kind = random.pick(kinds);
  naive::Plan plan{problem(kind, P), {}, 0};
  std::vector<std::uint64_t> ready(P);  // when a rank holds what it forwards
  const auto send = [&](const Transfer& t) {
    const std::uint64_t step = ready[t.src] + random.below(3);
    plan.sent.push_back({step, t});
    ready[t.dst] = std::max(ready[t.dst], step + naive::links_between(model, t.src, t.dst, P));
  };
  if (kind == Collective::reduce || kind == Collective::allreduce) {
    for (Rank v = P - 1; v > 0; --v) send(reduce(v, random.below(v), 0));
  }
  if (kind == Collective::broadcast || kind == Collective::allreduce) {
    for (Rank v = 1; v < P; ++v) send(copy(random.below(v), v, 0));
  }
  const bool from_all = plan.sent.empty();
  for (Rank u = 0; u < P && from_all; ++u) {
    for (Rank v = 0; v < P; ++v) {
      const Chunk chunk = kind == Collective::alltoall ? u * P + v : u;
      if (u != v) plan.sent.push_back({random.below(3 * P), copy(u, v, chunk)});
    }
  }
  sort_by_step(plan);
  return plan;
}

}  // namespace

TEST_CASE("a rank on the route does not hold what passes it") {
  const std::string line = topologies::line(3);
  naive::Plan plan{problem(Collective::broadcast, 3), {{0, copy(0, 2, 0)}}, 0};
  const Report report = report_of(plan, line);
  CHECK(violated(report) == std::set<std::string>{"delivery"});
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].message ==
        "rank 1 ends without chunk 0: no transfer brings it there; the last to receive it is "
        "rank 2, by 0 -> 2 (step 0, line 1)");
  plan.sent.push_back({1, copy(0, 1, 0)});
  CHECK(report_of(plan, line).verdict() == Verdict::holds);
  plan.sent.push_back({2, copy(1, 2, 0)});  // it is there since step 1
  CHECK(violated(check(source_of(plan), make_machine(line, 3), library_options({}))) ==
        std::set<std::string>{"redundancy"});
  const naive::Plan early{
      problem(Collective::broadcast, 3), {{0, copy(0, 2, 0)}, {1, copy(1, 0, 0)}}, 0};
  CHECK(violated(report_of(early, line)).count("causality") == 1);
}

TEST_CASE("what passes a rank leaves its own contribution alone") {
  const std::string line = topologies::line(3, 2);
  for (const std::uint64_t step : {0, 1, 2}) {
    naive::Plan plan{
        problem(Collective::reduce, 3), {{0, reduce(2, 0, 0)}, {step, reduce(1, 0, 0)}}, 0};
    CHECK(report_of(plan, line).verdict() == Verdict::holds);
    CHECK(verdict_of_program(plan, line) == Verdict::holds);
  }
}

TEST_CASE("packets of one chunk pass a rank at once, as many as its links carry") {
  // Recursive doubling: in its second step 0 and 2, 1 and 3 change sums over ranks between them.
  naive::Plan plan{problem(Collective::allreduce, 4), {}, 0};
  for (const Rank r : {0u, 1u, 2u, 3u}) plan.sent.push_back({0, reduce(r, r ^ 1, 0)});
  for (const Rank r : {0u, 1u, 2u, 3u}) plan.sent.push_back({1, reduce(r, r ^ 2, 0)});
  CHECK(report_of(plan, topologies::ring(4)).verdict() == Verdict::holds);
  CHECK(report_of(plan, topologies::line(4)).verdict() == Verdict::holds);
  const naive::Plan two{
      problem(Collective::reduce, 3), {{0, reduce(2, 0, 0)}, {1, reduce(1, 0, 0)}}, 0};
  CHECK(violated(report_of(two, topologies::line(3))) == std::set<std::string>{"links"});
  CHECK(report_of(two, topologies::line(3, 2)).verdict() == Verdict::holds);
}

TEST_CASE("routes that pass ranks: checker, simulator, hop level, tables and programs agree") {
  Random random(13);
  int passing = 0, programs = 0, tables = 0;
  for (int i = 0; i < 600; ++i) {
    const Rank P = 3 + random.below(3);
    const std::string spec = random.pick(networks(P));
    const Machine machine = make_machine(spec, P);
    const naive::Plan plan = some_schedule(random, spec, P);
    for (const naive::Plan& p : {plan, mutant(plan, random)}) {
      const std::string found = disagreement(p, spec);
      if (!found.empty()) FAIL_CHECK(found);
    }
    const bool passes = passes_a_rank(plan, machine);
    const Verdict verdict = report_of(plan, spec).verdict();
    const auto hops = hop_level(plan, machine);
    CHECK(hops.has_value() != passes);
    if (hops) CHECK(check(*hops, machine).verdict() == verdict);
    if (verdict != Verdict::holds) continue;
    passing += passes;

    // A program makes its calls step by step; that is a schedule on a machine with ports enough.
    if (has_table(plan, machine)) {
      ++tables;
      auto found = naive::simulate(plan, naive::model("kport:k=16", P)).violated;
      for (const char* warning : {"redundancy", "agreement"}) found.erase(warning);
      CHECK(join(found) == "{}");
    }
    const auto program = verdict_of_program(plan, spec);
    programs += program.has_value();
    if (program && *program != Verdict::holds) FAIL_CHECK(text(plan, spec));
  }
  CHECK(passing > 50);
  CHECK(tables > 100);
  CHECK(programs > 100);
}

TEST_CASE("a reduction that depends on what arrives late has no table") {
  // Rank 0 sends its own contribution on while that of rank 2 is on its way to it.
  auto custom =
      std::make_shared<Custom>(std::vector<Holding>{{0, {{0, 1}}}, {1, {{0, 1}}}, {2, {{0, 1}}}},
                               std::vector<Holding>{{1, {{0, 1}}, true}});
  const Problem sum{Collective::custom, 3, 0, 1, false, custom};
  naive::Plan plan{sum, {{0, reduce(2, 0, 0)}, {1, reduce(0, 1, 0)}, {1, reduce(2, 1, 0)}}, 0};
  const std::string line = topologies::line(3, 2);
  CHECK(report_of(plan, line).verdict() == Verdict::holds);
  CHECK_FALSE(has_table(plan, make_machine(line, 3)));
  CHECK(has_table(plan, make_machine("kport:k=2", 3)));
  plan.sent[1].step = 0;  // before
  sort_by_step(plan);
  CHECK(has_table(plan, make_machine(line, 3)));
}

TEST_CASE("the hop level of a route that passes a rank is refused, with the reason") {
  const naive::Plan plan{
      problem(Collective::broadcast, 3), {{0, copy(0, 1, 0)}, {4, copy(0, 2, 0)}}, 0};
  try {
    at_hop_level(source_of(plan), make_machine(topologies::line(3), 3));
    FAIL_CHECK("not refused");
  } catch (const InputError& error) {
    CHECK(error.location.line == 2);
    CHECK(std::string(error.what()).find("the route of 0 -> 2 in step 4 passes through rank 1") !=
          std::string::npos);
  }
}
