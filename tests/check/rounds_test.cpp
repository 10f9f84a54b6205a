// Rounds and capacities of any size, and rounds of steps in which no transfer starts.

#include "agreement.hpp"
#include "analysis/bounds.hpp"
#include "catch.hpp"
#include "formats.hpp"
#include "machine/lowering.hpp"
#include "random_plans.hpp"
#include "schedcc/cost.hpp"
#include "topologies.hpp"

using namespace agreement;

namespace {

constexpr std::uint64_t two_31 = std::uint64_t{1} << 31, two_32 = std::uint64_t{1} << 32;
constexpr std::uint64_t numbers[] = {1, two_31 - 1, two_31, two_32 - 1};

/// Sends from every rank that starts with a chunk to every rank that must end with it: all in one
/// step, or `apart` steps apart.
naive::Plan direct(Collective collective, Rank P, std::uint32_t K, std::uint64_t apart) {
  naive::Plan plan{{collective, P, 0, K, false, nullptr}, {}, 0};
  std::uint64_t step = 0;
  for (Rank u = 0; u < P; ++u) {
    for (Rank v = 0; v < P; ++v) {
      if (u == v) continue;
      Transfer t = copy(u, v, 0, K);
      if (collective == Collective::broadcast && u != 0) continue;
      if (collective == Collective::reduce && v != 0) continue;
      if (collective == Collective::allgather) t.first = u * K;
      if (collective == Collective::alltoall) t.first = (u * P + v) * K;
      t.reduce = collective == Collective::reduce;
      plan.sent.push_back({step, t});
      step += apart;
    }
  }
  return plan;
}

void bound_is_no_more(const naive::Plan& plan, const std::string& machine) {
  const Report report = check(source_of(plan), make_machine(machine, plan.problem.ranks));
  const bool right = report.verdict() == Verdict::holds;
  const auto& bound = report.lower_bound;
  REQUIRE(bound);
  if (report.below_bound || (right && bound->steps && *bound->steps > report.steps)) {
    FAIL_CHECK(text(plan, machine));
  }
  const std::string found = disagreement(plan, machine);
  if (!found.empty()) FAIL_CHECK(found);
}

Report report_of(const Source& source) {
  return check(source, make_machine(source.machine, source.problem.ranks));
}

}  // namespace

TEST_CASE(
    "rounds times capacity: no bound exceeds the steps of a schedule, for numbers of any size") {
  for (const std::uint64_t capacity : numbers) {
    for (const std::uint64_t rounds : numbers) {
      for (const Rank P : {2u, 5u}) {
        for (const std::string& machine :
             {topologies::star(P, capacity), topologies::ring(P, capacity),
              topologies::hub(P, capacity), topologies::line(P, capacity)}) {
          for (const Collective collective : {Collective::broadcast, Collective::allgather,
                                              Collective::alltoall, Collective::reduce}) {
            for (const std::uint64_t apart : {0u, 4u}) {
              naive::Plan plan = direct(collective, P, 3, apart);
              for (std::uint64_t t = 0; t < 64 && rounds > 1; ++t) {
                plan.rounds[t] = static_cast<std::uint32_t>(rounds);
              }
              bound_is_no_more(plan, machine);
            }
          }
        }
      }
    }
  }
}

TEST_CASE(
    "capacities of other networks: no bound exceeds the steps of a schedule, for numbers of any "
    "size") {
  const std::string huge[] = {"2147483648", "4294967295", "9223372036854775808",
                              "18446744073709551615"};
  for (const std::string& n : huge) {
    for (const Collective collective :
         {Collective::broadcast, Collective::allgather, Collective::alltoall}) {
      for (const std::uint64_t apart : {0u, 4u}) {
        bound_is_no_more(direct(collective, 4, 2, apart), "fattree:cap=" + n + "," + n);
        if (n.size() > 10) continue;
        bound_is_no_more(direct(collective, 4, 2, apart), "mesh:2x2,congestion=" + n);
        bound_is_no_more(direct(collective, 4, 2, apart), "torus:2x2,congestion=" + n);
        bound_is_no_more(direct(collective, 4, 2, apart), "crossbar:a=2,b=2,in=" + n + ",out=" + n);
      }
    }
  }
}

TEST_CASE("the time of a step of many rounds is computed without a loop over the rounds") {
  naive::Plan plan{{Collective::broadcast, 2, 0, 1, false, nullptr}, {{0, copy(0, 1, 0)}}, 0};
  plan.rounds[0] = UINT32_MAX;
  CostOptions options;
  options.bytes = 1;
  const CostReport report = cost(source_of(plan), make_machine(topologies::line(2), 2),
                                 make_cost_model("alpha-beta:alpha=0s,beta=1s/B"), options);
  CHECK(report.synchronous == static_cast<double>(UINT32_MAX));
  // Products of bytes and rounds beyond 64 bits are refused, as their sums are.
  options.bytes = std::uint64_t{1} << 40;
  CHECK_THROWS_AS(cost(source_of(plan), make_machine(topologies::line(2), 2),
                       make_cost_model("alpha-beta:alpha=0s,beta=1s/B"), options),
                  InputError);
}

TEST_CASE("rounds take time on topologies only") {
  naive::Plan plan{{Collective::broadcast, 2, 0, 1, false, nullptr}, {{0, copy(0, 1, 0)}}, 0};
  plan.rounds[0] = 3;
  CostOptions options;
  options.bytes = 1;
  const CostModel model = make_cost_model("alpha-beta:alpha=0s,beta=1s/B");
  for (const std::string machine : {"duplex", "bsp", "mesh:1x2", "crossbar:a=2,b=1"}) {
    INFO(machine);
    CHECK(cost(source_of(plan), make_machine(machine, 2), model, options).synchronous == 1);
  }
  CHECK(cost(source_of(plan), make_machine(topologies::line(2), 2), model, options).synchronous ==
        3);
}

TEST_CASE("idle steps with rounds: hops under way use them") {
  naive::Plan plan{{Collective::broadcast, 2, 0, 2, false, nullptr}, {{0, copy(0, 1, 0, 2)}}, 0};
  plan.rounds = {{0, 2}, {1, 2}};
  Source source = source_of(plan);
  source.machine = topologies::star(2, 1);
  CHECK(report_of(source).verdict() == Verdict::holds);
  CHECK(formats::written(source, "sched")
            .ends_with("step 0 rounds 2\n0 -> 1 : 0-1\n"
                       "step 1 rounds 2\n"));
  CHECK(formats::written(source, "csv").ends_with("0,0,1,0,1,copy,2\n1,,,,,,2\n"));
  for (const std::string_view format : {"sched", "binary", "json", "csv"}) {
    CHECK(report_of(formats::read(formats::written(source, format), format)).verdict() ==
          Verdict::holds);
  }
  // These formats have no rounds, not even of idle steps.
  CHECK_THROWS_AS(formats::written(source, "goal"), InputError);
  CHECK_THROWS_AS(formats::written(source, "ti"), InputError);
}

TEST_CASE("a step that its reader would refuse is not written") {
  naive::Plan plan{
      {Collective::broadcast, 2, 0, 1, false, nullptr}, {{UINT32_MAX, copy(0, 1, 0)}}, 0};
  Source source = source_of(plan);
  source.machine = "cbft";
  const Source hops = at_hop_level(source, make_machine("cbft", 2));
  for (const std::string_view format : {"sched", "binary", "json", "csv"}) {
    CHECK(formats::read(formats::written(source, format), format).open() != nullptr);
    CHECK_THROWS_AS(formats::written(hops, format), InputError);
  }
}

TEST_CASE("idle steps without rounds are left out") {
  const std::string head =
      "schedcc 1\ncollective broadcast\nranks 2\nroot 0\nchunks 1\nmachine duplex\n";
  const Source source = formats::read(head + "step 0\nstep 3\n0 -> 1 : 0\nstep 7\n", "sched");
  CHECK(formats::written(source, "sched") == head + "step 3\n0 -> 1 : 0\n");
  for (const std::string_view format : {"binary", "json", "csv"}) {
    const Source back = formats::read(formats::written(source, format), format);
    CHECK(formats::written(back, "sched") == head + "step 3\n0 -> 1 : 0\n");
  }
}

TEST_CASE("writing changes no verdict: idle steps, rounds, every format that has them") {
  Random random(14);
  int holding = 0, idle = 0;
  for (int i = 0; i < 1500; ++i) {
    const Rank P = 2 + random.below(3);
    const std::string machine = random.pick(std::vector<std::string>{
        topologies::star(P, 1), topologies::ring(P), topologies::cluster(P), "duplex"});
    naive::Plan plan = random.one_in(2) ? direct(Collective::broadcast, P, 2, random.below(4))
                                        : direct(Collective::allgather, P, 1, random.below(4));
    for (std::uint64_t t = 0; t < 12; ++t) {
      if (random.one_in(2)) plan.rounds[t] = 1 + random.below(4);
    }
    if (random.one_in(3)) plan = mutant(plan, random);
    for (const auto& [step, rounds] : plan.rounds) {
      idle += std::none_of(plan.sent.begin(), plan.sent.end(),
                           [at = step](const Sent& s) { return s.step == at; });
    }
    Source source = source_of(plan);
    source.machine = machine;
    const Report before = report_of(source);
    holding += before.verdict() == Verdict::holds;
    for (const std::string_view format : {"sched", "binary", "json", "csv"}) {
      std::string written;
      try {
        written = formats::written(source, format);
      } catch (const InputError&) {  // a transfer of no chunks
        continue;
      }
      const Source back = formats::read(written, format);
      const Report after = report_of(back);
      if (after.verdict() != before.verdict() || after.steps != before.steps ||
          join(violated(after)) != join(violated(before))) {
        FAIL_CHECK(format << " changes the verdict of\n" << text(plan, machine));
      }
      if (formats::written(back, format) != written) {
        FAIL_CHECK(format << " changes\n" << written);
      }
    }
  }
  CHECK(holding > 100);
  CHECK(idle > 1000);
}

TEST_CASE("csv: a line without a transfer has none of its fields") {
  const std::string head =
      "# schedcc 1\n# collective broadcast\n# ranks 2\n# root 0\n# chunks 1\n"
      "step,src,dst,first,last,mode,rounds\n";
  CHECK(formats::error(head + "0,,1,0,0,copy,1\n", "csv").message ==
        "column 'src' is empty, and 'dst' is not");
  CHECK(formats::error(head + "0,0,,0,0,copy,1\n", "csv").message ==
        "the receiver must be a whole number, not ',0'");
  CHECK(formats::error(head + "0,,,,,,0\n", "csv").message == "a step must take at least 1 round");
  CHECK(formats::error(head + "0,,,,,,2\n", "csv").message == "no error");
}
