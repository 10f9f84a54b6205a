// Tuning: the search for the best packets and parameters against trying all of them.

#include "catch.hpp"

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "algorithm/fractional_tree/fractional_tree.hpp"
#include "cost/optimum.hpp"
#include "costs.hpp"

using namespace costs;

TEST_CASE("the steps that single chunks take grow with their number, on one port by one at least") {
  for (const Rank P : {2u, 3u, 5u, 8u, 13u, 16u, 33u}) {
    each_service(P, 1, [&](const Algorithm& algorithm, const Request& given, const Spec& spec) {
      Request r = given;
      std::uint64_t before = 0;
      for (std::uint32_t K = 1; K <= 64; ++K) {
        r.problem.chunks = K;
        const CostClaim claim = algorithm.claim(r);
        if (claim.width != 1) return;
        INFO(spec.text() << " P " << P << " K " << K);
        const bool one_port = r.machine.ports() && r.machine.ports()->send == 1;
        REQUIRE(claim.steps >= before + (one_port && K > 1 ? 1 : 0));
        before = claim.steps;
      }
    });
  }
}

TEST_CASE("best_packets finds what trying every number finds") {
  std::mt19937_64 random(7);
  for (int i = 0; i < 3000; ++i) {
    // A staircase: offset, slope a/b rounded up, and sometimes flat parts.
    const std::uint64_t offset = random() % 60, a = 1 + random() % 5, b = 1 + random() % 9;
    const std::uint64_t flat = 1 + random() % 7;
    const bool pipeline = i % 2 == 0;
    const auto steps = [&](std::uint64_t s) {
      return offset + (s / flat * a + b - 1) / b + 1 + (pipeline ? s : 0);
    };
    const Growth growth = pipeline ? Growth::step_each : Growth::any;
    const PacketCost cost{random() % 5000, static_cast<double>(random() % 50),
                          static_cast<double>(random() % 4)};
    const std::uint64_t most = 1 + random() % 3000;
    PacketChoice best;
    for (std::uint64_t s = 1; s <= most; ++s) {
      const double seconds = static_cast<double>(steps(s)) * cost.packet(s);
      if (seconds < best.seconds) best = {s, steps(s), seconds};
    }
    const PacketChoice found = best_packets(steps, most, cost, {}, growth);
    REQUIRE(found.packets == best.packets);
    REQUIRE(found.seconds == best.seconds);
    REQUIRE(found.steps == best.steps);
    // With a limit that nothing is below, nothing is found.
    PacketChoice limit;
    limit.seconds = best.seconds;
    const PacketChoice none = best_packets(steps, most, cost, limit, growth);
    REQUIRE(none.packets == 0);
  }
}

TEST_CASE(
    "tuning finds the best r and s of the fractional tree, and of every single-chunk algorithm") {
  for (const Rank P : {2u, 3u, 9u, 40u, 100u}) {
    for (const auto& [alpha, beta] :
         {std::pair(1.0, 1.0), std::pair(20.0, 1.0), std::pair(300.0, 1.0)}) {
      for (const std::uint64_t bytes : {1u, 50u, 700u}) {
        double best = 1e300;
        for (std::uint64_t r = 1; r < std::max(P, 2u); ++r) {
          for (std::uint64_t s = 1; s <= bytes; ++s) {
            const std::uint64_t packet = (bytes - 1) / s + 1;
            best = std::min(best, static_cast<double>(fractional_tree_steps(P, s, r)) *
                                      (alpha + beta * static_cast<double>(packet)));
          }
        }
        auto found = tuner({"fractional-tree"}, Collective::broadcast, P, alpha_beta(alpha, beta));
        const auto choice = found.best(bytes);
        REQUIRE(choice);
        CHECK(close(choice->seconds, best));
        // The schedule with these parameters takes no longer than that, and as long where its
        // chunks are all of one size.
        const CostReport report = timed(choice->spec.text(), Collective::broadcast, P,
                                        choice->chunks, bytes, alpha_beta(alpha, beta));
        CHECK(report.steps == choice->steps);
        CHECK(report.seconds <= choice->seconds * (1 + 1e-12));
        if (bytes % choice->chunks == 0) CHECK(close(report.seconds, choice->seconds));
      }
    }
  }
}

TEST_CASE("tuning compares by what the schedules take") {
  // Every algorithm's choice against its own schedule, with sizes that P and K divide, and others.
  constexpr double alpha = 2, beta = 0.01;
  for (const Collective collective :
       {Collective::broadcast, Collective::reduce, Collective::allgather, Collective::allreduce,
        Collective::scatter, Collective::alltoall, Collective::reduce_scatter}) {
    std::vector<std::string> names;
    for (const Algorithm* a : algorithms()) {
      if (a->serves(collective)) names.emplace_back(a->name);
    }
    for (const Rank P : {8u, 12u}) {
      auto all = tuner(names, collective, P, alpha_beta(alpha, beta));
      for (const std::uint64_t bytes : {8u * 12 * 100, 8u * 12 * 100 + 5, 30u}) {
        double before = 0;
        for (const Choice& choice : all.choices(bytes)) {
          INFO(choice.spec.text() << " " << choice.chunks << " P " << P << ", " << bytes);
          CHECK(choice.seconds >= before);
          before = choice.seconds;
          const CostReport report = timed(choice.spec.text(), collective, P, choice.chunks, bytes,
                                          alpha_beta(alpha, beta));
          CHECK(report.steps == choice.steps);
          // Where all K were tried, without a schedule, chunks are rounded up: by less than a byte
          // in each step.
          if (bytes % choice.chunks == 0 || !choice.tried.empty()) {
            CHECK(close(report.seconds, choice.seconds));
          } else {
            CHECK(report.seconds <= choice.seconds * (1 + 1e-9));
            CHECK(report.seconds + beta * static_cast<double>(choice.steps) >= choice.seconds);
          }
        }
      }
    }
  }
}

TEST_CASE("a crossover is the first byte at which another algorithm is better") {
  auto all = tuner({"binomial-tree", "circulant", "chain", "binary-tree"}, Collective::broadcast,
                   100, make_cost_model("alpha-beta:alpha=10us,beta=10GB/s"));
  const auto crossovers = all.crossovers({1024, 1 << 20, 1 << 30});
  REQUIRE_FALSE(crossovers.empty());
  for (const Crossover& c : crossovers) {
    CHECK(all.best(c.bytes - 1)->algorithm->name == c.from);
    CHECK(all.best(c.bytes)->algorithm->name == c.to);
    const auto best = all.choices(c.bytes);
    CHECK(best.front().algorithm->name == c.to);
  }
}

TEST_CASE("algorithms that do not serve the problem are skipped with the reason") {
  auto simplex = tuner({"linear", "karp"}, Collective::broadcast, 9, alpha_beta(1, 1), "simplex");
  CHECK(simplex.choices(100).size() == 1);
  REQUIRE(simplex.skipped().size() == 1);
  CHECK(simplex.skipped()[0].reason == "its tree is made from the L, o and g of a logp machine");
  auto exchanges =
      tuner({"ring", "recursive-doubling"}, Collective::allgather, 8, alpha_beta(1, 1), "simplex");
  CHECK(exchanges.choices(100).empty());
  REQUIRE(exchanges.skipped().size() == 2);
  CHECK(exchanges.skipped()[0].reason ==
        "ports: rank 1 takes part in 2 messages in step 0; on simplex it takes part in at most 1");
  auto ports =
      tuner({"linear", "butterfly"}, Collective::broadcast, 9, alpha_beta(1, 1), "kport:k=2");
  CHECK(ports.choices(100).size() == 1);  // schedules for one port hold on two
  REQUIRE(ports.skipped().size() == 1);
  CHECK(ports.skipped()[0].reason == "it needs P = 2^h ranks, and 9 is not a power of two");
  CHECK_FALSE(tuner({"butterfly"}, Collective::broadcast, 9, alpha_beta(1, 1)).best(100));
  CHECK(tuner({"chain"}, Collective::broadcast, 1, alpha_beta(1, 1)).best(100)->seconds == 0);
}
