// Costs in LogP, LogGP and BSP, and which models fit a machine.

#include "catch.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "costs.hpp"
#include "schedcc/check.hpp"

using namespace costs;

TEST_CASE("LogP: the schedules of logp machines take the time that the check says") {
  for (const char* text : {"L=6,o=2,g=4", "L=1,o=0,g=1", "L=10,o=3,g=1", "L=3,o=1,g=9"}) {
    std::string model = "logp:" + std::string(text);
    for (const char* key : {",o", ",g"}) model.insert(model.find(key), "s");
    const CostModel seconds = make_cost_model(model + "s");
    for (const Rank P : {2u, 3u, 8u, 30u}) {
      for (const std::uint32_t K : {1u, 3u}) {
        const Request r =
            request(Spec::parse("karp"), Collective::broadcast, P, K, "logp:" + std::string(text));
        const Source source = from_algorithm(find_algorithm("karp"), r, "karp");
        const Report checked = check(source, r.machine);
        const CostReport report = cost(source, r.machine, seconds, {K, true});
        INFO(text << " P " << P << " K " << K);
        CHECK_FALSE(report.synchronous);
        // Ranks that go on as soon as they can may only gain.
        CHECK(*report.asynchronous <= static_cast<double>(checked.steps) + 1e-9);
        if (K == 1) CHECK(close(*report.asynchronous, static_cast<double>(checked.steps)));
        CHECK(close(report.critical_path->back().end, *report.asynchronous));
      }
    }
  }
}

TEST_CASE("LogP: BL's formulas") {
  const CostModel model = make_cost_model("logp:L=6us,o=2us,g=4us");
  for (const Rank P : {2u, 3u, 9u, 64u}) {
    const CostReport report = timed("linear", Collective::broadcast, P, 1, 8, model);
    REQUIRE(report.formulas.size() == 1);  // L + (P - 2) max(o, g) + 2o
    CHECK(close(*report.asynchronous, report.formulas[0].seconds));
  }
  // T(n) = L + (n - 1) max(g, o) + 2o for n messages, and for n packets of one.
  const CostReport packets = timed("chain", Collective::broadcast, 2, 5, 5, model);
  CHECK(close(*packets.asynchronous, 6e-6 + 4 * 4e-6 + 4e-6));
  const CostModel cut = make_cost_model("logp:L=6us,o=2us,g=4us,packet=1");
  CHECK(close(*timed("chain", Collective::broadcast, 2, 1, 5, cut).asynchronous,
              *packets.asynchronous));
  // Binomial tree, L > g: log2 P (L + 2o) is exact for the last rank only if no rank overlaps
  // calls; at most.
  for (const Rank P : {2u, 8u, 64u}) {
    const CostReport report = timed("binomial-tree", Collective::broadcast, P, 1, 8, model);
    CHECK(*report.asynchronous <= report.formulas[0].seconds * (1 + 1e-9));
  }
}

TEST_CASE("LogGP: T(s) = 2o + L + (s - 1) G, and LogP where G is 0") {
  const CostModel model = make_cost_model("loggp:L=6us,o=2us,g=4us,G=1us/B");
  CHECK(close(*timed("linear", Collective::broadcast, 2, 1, 100, model).asynchronous,
              (2 * 2 + 6 + 99) * 1e-6));
  // Two messages of 50 bytes: the second one starts g + 49 G after the first.
  CHECK(close(*timed("linear", Collective::broadcast, 2, 2, 100, model).asynchronous,
              (4 + 49 + 2 * 2 + 6 + 49) * 1e-6));
  const CostModel zero = make_cost_model("loggp:L=6us,o=2us,g=4us,G=0");
  const CostModel logp = make_cost_model("logp:L=6us,o=2us,g=4us");
  for (const Rank P : {2u, 3u, 8u, 21u}) {
    each_service(P, 3, [&](const Algorithm& algorithm, const Request& r, const Spec& spec) {
      if (r.machine.routed() || r.machine.in_network().any()) return;
      const Source source = from_algorithm(algorithm, r, spec.text());
      CHECK(close(cost(source, r.machine, zero, {100, false}).seconds,
                  cost(source, r.machine, logp, {100, false}).seconds));
    });
  }
}

namespace {

/// Transfers one after the other, each in a step of its own; every one copies chunk 0.
Source one_by_one(Rank P, const std::vector<std::pair<Rank, Rank>>& transfers) {
  auto schedule = std::make_shared<Schedule>();
  std::uint64_t step = 0;
  for (const auto& [src, dst] : transfers) {
    schedule->begin_step(step++);
    schedule->add({src, dst, 0, 1, 0});
  }
  Problem problem;
  problem.ranks = P;
  return from_schedule(problem, schedule);
}

/// The time in nanoseconds, for whole ones.
double nanoseconds(const Source& source, std::uint64_t bytes, CostModel model,
                   Receive receive = Receive::call) {
  model.receive = receive;
  const Machine machine = make_machine("duplex", source.problem.ranks);
  return std::round(cost(source, machine, model, {bytes, true}).seconds * 1e9);
}

struct Times {
  double L, o, g, G;
  CostModel model() const {
    return make_cost_model(fmt::format("loggp:L={}ns,o={}ns,g={}ns,G={}ns/B", L, o, g, G));
  }
};

/// o above and below g, and with the bytes above and below both.
const Times loggp_times[] = {{2500, 1500, 1000, 6}, {2500, 1500, 1000, 1},  {100, 40, 7, 5},
                             {7, 2, 5, 1},          {0, 9, 0, 2},           {10, 0, 3, 4},
                             {1000, 1, 1, 300},     {3000, 4000, 3999, 10}, {5, 5, 5, 5}};

}  // namespace

TEST_CASE("LogGP: sends, and receives, are max(o, g + (n - 1) G) apart") {
  const CostModel simulators = Times{2500, 1500, 1000, 6}.model();
  const CostReport linear = timed("linear", Collective::broadcast, 8, 1, 100, simulators);
  CHECK(close(*linear.asynchronous, 15658e-9));
  for (const Times& t : loggp_times) {
    for (const std::uint64_t bytes : {1u, 2u, 17u, 100u, 1000u}) {
      const double x = static_cast<double>(bytes - 1) * t.G;
      const double apart = std::max(t.o, t.g + x), message = 2 * t.o + t.L + x;
      INFO(t.L << " " << t.o << " " << t.g << " " << t.G << ", " << bytes << " bytes");
      for (const Rank P : {2u, 3u, 8u}) {
        std::vector<std::pair<Rank, Rank>> out, in;
        for (Rank r = 1; r < P; ++r) out.emplace_back(0, r), in.emplace_back(r, 0);
        CHECK(nanoseconds(one_by_one(P, out), bytes, t.model()) == message + (P - 2) * apart);
        CHECK(nanoseconds(one_by_one(P, in), bytes, t.model()) == message + (P - 2) * apart);
      }
      // Nothing but the processor is shared by a send and the receive before it, or after it.
      CHECK(nanoseconds(one_by_one(3, {{0, 1}, {1, 2}}), bytes, t.model()) == 2 * message);
      CHECK(nanoseconds(one_by_one(2, {{0, 1}, {1, 0}}), bytes, t.model()) == 2 * message);
      // Rank 0 receives between two sends: from rank 1, when that one's message is there.
      const double received = std::max(t.o, t.o + t.L + x) + t.o;
      CHECK(nanoseconds(one_by_one(3, {{0, 2}, {1, 0}, {0, 1}}), bytes, t.model()) ==
            std::max(received, apart) + message);
    }
  }
}

TEST_CASE("LogP: sends, and receives, of packets are max(o, g) apart, whichever is larger") {
  for (const Times& t : loggp_times) {
    CostModel model = make_cost_model(fmt::format("logp:L={}ns,o={}ns,g={}ns", t.L, t.o, t.g));
    for (const std::uint64_t packets : {1u, 2u, 5u}) {
      model.packet = packets == 1 ? 0 : 10;
      const double spacing = std::max(t.o, t.g), n = static_cast<double>(packets);
      std::vector<std::pair<Rank, Rank>> out, in;
      for (Rank r = 1; r < 6; ++r) out.emplace_back(0, r), in.emplace_back(r, 0);
      for (const auto& transfers : {out, in}) {
        CHECK(nanoseconds(one_by_one(6, transfers), 10 * packets, model) ==
              2 * t.o + t.L + (5 * n - 1) * spacing);
      }
    }
  }
}

TEST_CASE("a receive is charged at the call, or on arrival") {
  // L = 7, o = 2, g = 5, G = 1, 10 bytes: a message takes 7 + 4 + 9.
  const CostModel model = Times{7, 2, 5, 1}.model();
  const auto both = [&](const Source& source) {
    return std::pair(nanoseconds(source, 10, model),
                     nanoseconds(source, 10, model, Receive::arrival));
  };
  CHECK(both(one_by_one(2, {{0, 1}})) == std::pair(20.0, 20.0));
  // Rank 1 hears from rank 2 at 40, and then calls for the message that rank 0 sent at 0.
  const Source early = one_by_one(4, {{3, 2}, {2, 1}, {0, 1}});
  CHECK(both(early) == std::pair(38 + 5 + 9 + 2.0, 40.0));
  // Rank 1 has to send at once, and does so at the call; on arrival the message, which came while
  // it sent, is taken before the second send.
  CHECK(both(one_by_one(3, {{1, 2}, {0, 1}})) == std::pair(20.0, 20.0));
  // One message alone, or one after the other, takes the same.
  for (const Times& t : loggp_times) {
    for (Rank P = 2; P < 9; ++P) {
      std::vector<std::pair<Rank, Rank>> chain, out;
      for (Rank r = 1; r < P; ++r) chain.emplace_back(r - 1, r), out.emplace_back(0, r);
      for (const auto& transfers : {chain, out}) {
        const Source source = one_by_one(P, transfers);
        CHECK(nanoseconds(source, 100, t.model()) ==
              nanoseconds(source, 100, t.model(), Receive::arrival));
      }
    }
  }
}

TEST_CASE("the critical path leads to the end, with receives charged on arrival, too") {
  CostModel model = Times{100, 40, 7, 5}.model();
  model.receive = Receive::arrival;
  for (const Rank P : {2u, 5u, 8u}) {
    each_service(P, 2, [&](const Algorithm& algorithm, const Request& r, const Spec& spec) {
      if (r.machine.routed()) return;
      const Source source = from_algorithm(algorithm, r, spec.text());
      const CostReport report = cost(source, r.machine, model, {64, true});
      INFO(spec.text() << " " << describe(r.problem));
      if (report.messages == 0) return;
      REQUIRE(!report.critical_path->empty());
      CHECK(report.critical_path->front().start == 0);
      CHECK(close(report.critical_path->back().end, *report.asynchronous));
    });
  }
}

TEST_CASE("CC: the best packet of the pipelined binary tree in LogGP") {
  // k = sqrt(s/h) sqrt(g/G), by differentiation: no packet of whole bytes does better.
  const CostModel model = make_cost_model("loggp:L=6us,o=2us,g=4us,G=1ns/B");
  const std::uint64_t bytes = 1 << 20;
  double least = 1e300;
  std::uint64_t best = 0;
  for (std::uint32_t K = 1; K <= 400; ++K) {
    Problem problem;
    problem.ranks = 1024;
    problem.chunks = K;
    const auto formulas =
        time_formulas(Spec::parse("binary-tree"), problem, Machine{}, model, bytes);
    REQUIRE(formulas.size() == 2);
    CHECK(formulas[0].seconds >= formulas[1].seconds * (1 - 1e-12));
    if (formulas[0].seconds < least) best = K;
    least = std::min(least, formulas[0].seconds);
  }
  const double k = std::sqrt(static_cast<double>(bytes) / 10 * 4e-6 / 1e-9);
  CHECK(std::abs(static_cast<double>(bytes) / static_cast<double>(best) - k) < k / 20);
}

TEST_CASE("BSP: h-relations, and supersteps of at most h messages") {
  auto schedule = std::make_shared<Schedule>();
  schedule->begin_step(0);
  for (Rank r = 1; r < 5; ++r) schedule->add({0, r, r, 1, 0});
  Problem problem;
  problem.collective = Collective::scatter;
  problem.ranks = 5;
  const Source source = from_schedule(problem, schedule);
  const Machine machine = make_machine("bsp:h=4", 5);
  const auto seconds = [&](const char* model) {
    return cost(source, machine, make_cost_model(model), {10, false}).seconds;
  };
  CHECK(close(seconds("bsp:l=100s,g=1s/B"), 100 + 4 * 10));
  CHECK(close(seconds("bsp:l=100s,g=1s/B,h=4"), 100 + 4 * 10));
  CHECK(close(seconds("bsp:l=100s,g=1s/B,h=3"), 200 + 4 * 10));
  CHECK(close(seconds("bsp:l=100s,g=1s/B,h=1"), 400 + 4 * 10));
}

TEST_CASE("models that do not fit a machine say so") {
  const auto message = [](const std::string& algorithm, Collective c, const std::string& machine,
                          const std::string& model) {
    try {
      timed(algorithm, c, 8, 1, 1, make_cost_model(model), machine);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(message("karp", Collective::broadcast, "logp", "alpha-beta:alpha=1s,beta=1s/B") ==
        "cost model 'alpha-beta' does not fit machine 'logp:L=6,o=2,g=4': the steps of a logp "
        "machine "
        "are cycles, in which messages overlap; use the models logp or loggp");
  CHECK_FALSE(message("xor", Collective::alltoall, "ebft", "bsp:l=1s,g=1s/B").empty());
  CHECK_FALSE(message("xor", Collective::alltoall, "ebft", "logp:L=1s,o=1s,g=1s").empty());
  CHECK_THROWS_WITH(make_cost_model("alpha-beta:alpha=1us"),
                    "cost model 'alpha-beta' needs 'beta': time per byte, or a bandwidth");
  CHECK_THROWS_AS(make_cost_model("alpha-beta:alpha=1,beta=1s/B"), InputError);
  CHECK_THROWS_AS(make_cost_model("alpha-bta:alpha=1us"), InputError);
}
