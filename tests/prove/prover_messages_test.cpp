// Chunks for one rank each: messages that are placed in steps meet the bound on every kind of
// machine with ports, and what prices of ports and channels, or of messages, refute no solver
// finds.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "catch.hpp"
#include "prove/sat/bounds/best_step.hpp"
#include "prove/sat/placing/message_steps.hpp"
#include "prove/sat/solve/dice.hpp"
#include "proving.hpp"
#include "topologies.hpp"

using namespace proving;

namespace {

/// Is there a schedule whose messages are placed in the steps? If so it has passed the checker.
bool placed(const Question& asked, std::uint64_t moves = 200'000) {
  const auto copies = copy_question(asked);
  REQUIRE(copies);
  const auto schedule = place_messages(copies->instance, copies->chunks, moves);
  if (schedule) accept(asked, copies->schedule(schedule));  // throws where it does not hold
  return schedule != nullptr;
}

bool priced_out(const Question& asked) {
  const auto copies = copy_question(asked);
  REQUIRE(copies);
  return copies->prices().has_value();
}

/// Do ports and channels admit this set of arcs in a step?
bool is_step(const Instance& instance, std::uint64_t set) {
  std::vector<std::uint64_t> sent(instance.ranks), received(instance.ranks);
  std::vector<std::uint64_t> carried(instance.channels.size());
  for (std::size_t a = 0; a < instance.arcs.size(); ++a) {
    if ((set >> a & 1) == 0) continue;
    const Arc& arc = instance.arcs[a];
    if (++sent[arc.from] > instance.ports->send) return false;
    if (++received[arc.to] > instance.ports->receive) return false;
    for (const std::size_t c : arc.channels) {
      if (++carried[c] > instance.channels[c]) return false;
    }
  }
  return true;
}

std::uint64_t worth(const std::vector<std::uint64_t>& price, std::uint64_t set) {
  std::uint64_t result = 0;
  for (std::size_t a = 0; a < price.size(); ++a) result += (set >> a & 1) * price[a];
  return result;
}

/// Machines of each kind on a number of ranks.
std::vector<std::string> machines(Rank P) {
  std::vector<std::string> result{"duplex", "kport:k=2", "kport:k=3"};
  result.push_back("duplex:width=2");
  for (Rank a = 1; a <= P; ++a) {
    if (P % a != 0) continue;
    if (a == 1 || a < P) {
      result.push_back(fmt::format("torus:{}x{}", a, P / a));
      result.push_back(fmt::format("mesh:{}x{}", a, P / a));
    }
    if (a == 1 || a == P) continue;
    result.push_back(fmt::format("crossbar:a={},b={}", a, P / a));
    result.push_back(fmt::format("crossbar:a={},b={},in=1,out=3", a, P / a));
  }
  return result;
}

/// The least steps for an alltoall that prices leave.
Question least_by_prices(Question asked) {
  while (priced_out(asked)) ++asked.steps;
  return asked;
}

}  // namespace

TEST_CASE("prove: messages of an alltoall that are placed in steps meet the bound of prices") {
  std::uint64_t all = 0, met = 0;
  for (Rank P = 2; P <= 10; ++P) {
    for (const std::string& machine : machines(P)) {
      const std::uint32_t K = machine == "duplex:width=2" ? 2 : 1;
      Question asked = question(Collective::alltoall, P, K, machine);
      asked.steps = counted_bound(asked).steps.value_or(0);
      INFO(describe(asked));
      --asked.steps;  // by ports or a cut alone
      CHECK(priced_out(asked));
      CHECK_FALSE(placed(asked, 1000));
      ++asked.steps;
      asked = least_by_prices(asked);
      ++all;
      met += placed(asked, 30'000) ? 1 : 0;
    }
  }
  INFO(met << " of " << all);
  CHECK(all > 80);
  CHECK(met + 4 >= all);  // some rings take more steps, or more moves
}

TEST_CASE("prove: scatter and gather are placed, from every root") {
  for (const Collective collective : {Collective::scatter, Collective::gather}) {
    for (const char* machine :
         {"duplex", "kport:k=3", "torus:2x4", "mesh:2x4", "crossbar:a=2,b=4"}) {
      for (Rank root = 0; root < 8; ++root) {
        Question asked = question(Problem{collective, 8, root, 2, false, nullptr}, machine);
        asked = least_by_prices(asked);
        INFO(describe(asked));
        CHECK(placed(asked));
        CHECK(counted_bound(asked).steps.value_or(0) <= asked.steps);
      }
    }
  }
}

TEST_CASE("prove: a packet whose route is full goes by way of another rank") {
  // In each row eleven steps would have to carry twelve messages over each channel upwards.
  CHECK(priced_out(question(Collective::alltoall, 12, 1, "torus:2x6", 11)));
  CHECK_FALSE(priced_out(question(Collective::alltoall, 12, 1, "torus:2x6", 12)));
  CHECK(placed(question(Collective::alltoall, 12, 1, "torus:2x6", 12)));
  CHECK(priced_out(question(Collective::alltoall, 12, 2, "torus:2x6", 22)));
}

TEST_CASE("prove: channels may have a step less, where full ones leave no schedule") {
  // With as few detours as the channels need, no schedule of 11 steps is found.
  CHECK(placed(question(Collective::alltoall, 6, 2, "torus:1x6", 11)));
}

TEST_CASE("prove: prices are looked for once, however many parts of the prover ask") {
  const auto copies = copy_question(question(Collective::alltoall, 12, 1, "torus:2x6", 11));
  REQUIRE(copies);
  int polls = 0;
  const PollLimits count = [&polls] { ++polls; };
  const std::optional<RefutingPrices>& first = copies->prices(count);
  CHECK(first);
  CHECK(polls > 0);
  const int before = polls;
  CHECK(&copies->prices(count) == &first);
  CHECK(polls == before);
}

TEST_CASE("prove: the step that is worth most is the best of all sets of messages") {
  Dice dice;
  for (Rank P = 2; P <= 4; ++P) {
    for (const std::string& machine : machines(P)) {
      const Instance instance = make_instance(question(Collective::alltoall, P, 2, machine));
      std::vector<std::uint64_t> price;
      for (std::size_t a = 0; a < instance.arcs.size(); ++a) {
        price.push_back(static_cast<std::uint64_t>(8 * dice.fraction()));
      }
      std::uint64_t most = 0;
      for (std::uint64_t set = 0; set < std::uint64_t{1} << instance.arcs.size(); ++set) {
        if (is_step(instance, set)) most = std::max(most, worth(price, set));
      }
      INFO(machine);
      std::uint64_t effort = 100'000, little = 1;
      const auto best = best_step(instance, price, effort);
      REQUIRE(best);
      CHECK(best->worth == most);
      std::uint64_t set = 0;
      for (const std::size_t arc : best->arcs) set |= std::uint64_t{1} << arc;
      CHECK(is_step(instance, set));
      CHECK(worth(price, set) == most);
      CHECK_FALSE(best_step(instance, price, little));
    }
  }
}

TEST_CASE("prove: prices of messages have the least steps of rings with few ports") {
  for (std::uint32_t K = 1; K <= 8; ++K) {  // where ports and channels leave 3 K
    Question asked = question(Collective::alltoall, 4, K, "torus:1x4", 4 * K - 1);
    INFO(describe(asked));
    CHECK(priced_out(asked));
    ++asked.steps;
    CHECK_FALSE(priced_out(asked));
    CHECK(placed(asked));
  }
  for (std::uint32_t K = 1; K <= 6; ++K) {  // an enumeration of all steps has 16 K / 3
    Question asked = question(Collective::alltoall, 6, K, "torus:1x6", (16 * K + 2) / 3 - 1);
    CHECK(priced_out(asked));
    ++asked.steps;
    CHECK_FALSE(priced_out(asked));
  }
}

TEST_CASE("prove: solvers without hints confirm what prices refute") {
  if (no_solver()) return;
  std::uint64_t refuted = 0, left = 0;
  const std::vector<std::string> machines = {"duplex",
                                             "kport:k=2",
                                             "mesh:1x4",
                                             "torus:1x4",
                                             "mesh:2x2",
                                             "crossbar:a=2,b=2,in=1,out=1",
                                             topologies::ring(4),
                                             topologies::star(4),
                                             topologies::cluster(4)};
  for (const std::string& machine : machines) {
    for (const Collective collective :
         {Collective::alltoall, Collective::scatter, Collective::gather}) {
      for (std::uint64_t T = 1; T <= 5; ++T) {
        const Question asked = question(collective, 4, 1, machine, T);
        INFO(describe(asked));
        const bool none = decide(asked, first_solver(), {}, Hints::none()).answer == Answer::unsat;
        if (priced_out(asked)) {
          ++refuted;
          CHECK(none);
          CHECK(encode(asked).formula.refuted());
        } else {
          left += none ? 1 : 0;
        }
        if (placed(asked, 2000)) CHECK_FALSE(none);
      }
    }
  }
  CHECK(refuted > 10);
  INFO(left);
  CHECK(left <= 6);
}

TEST_CASE("prove: prices of links have the least rounds of alltoalls on DGX-1") {
  if (no_solver()) return;
  const std::string dgx1 = "topology:" SCHEDCC_SOURCE "/schedules/topologies/dgx1.json";
  for (std::uint32_t K = 1; K <= 12; ++K) {
    // Six links join the quads each way, for four times four blocks.
    const std::uint32_t least = (16 * K + 5) / 6;
    Question asked = question(Collective::alltoall, 8, K, dgx1, least - 1);
    INFO(describe(asked));
    CHECK(priced_out(asked));
    asked.steps = 2;
    asked.rounds = least - 1;
    CHECK(priced_out(asked));
    asked.rounds = least;
    CHECK_FALSE(priced_out(asked));
  }
  const Outcome outcome = prove(question(Collective::alltoall, 8, 11, dgx1, 0));
  CHECK(outcome.conclusion == Conclusion::optimal);
  CHECK(outcome.steps == 30);
}

TEST_CASE("prove: messages are placed only where every chunk goes to one rank, any way") {
  for (const Question& asked : {question(Collective::broadcast, 4, 2, "duplex", 9),
                                question(Collective::allgather, 4, 2, "duplex", 9),
                                question(Collective::alltoall, 4, 1, "simplex", 9),
                                question(Collective::alltoall, 4, 1, "ebft", 9)}) {
    INFO(describe(asked));
    CHECK_FALSE(placed(asked));
    CHECK_FALSE(priced_out(asked));
  }
}

TEST_CASE("prove: an alltoall that meets its bound is decided by placed messages") {
  if (no_solver()) return;
  const struct {
    Rank P;
    const char* machine;
    std::uint64_t steps;
  } cases[] = {{12, "torus:2x6", 12},        {15, "torus:3x5", 14},        {15, "mesh:3x5", 18},
               {15, "crossbar:a=3,b=5", 25}, {15, "crossbar:a=5,b=3", 18}, {16, "torus:4x4", 15}};
  for (const auto& [P, machine, steps] : cases) {
    INFO(machine);
    CHECK(least_of(Collective::alltoall, P, 1, machine) == steps);
  }
}
