// Schedules of fewer chunks, one after another, and with a few steps more than the bound.

#include <cstdint>
#include <optional>
#include <string>

#include "catch.hpp"
#include "prove/sat/fewer_chunks.hpp"
#include "proving.hpp"
#include "topologies.hpp"

using namespace proving;

namespace {

SearchOptions constructing() {
  SearchOptions options;
  options.solvers = first_solver();
  options.constructions = true;
  return options;
}

/// The least steps of an alltoall: K chunks between each two ranks, through the ports of a rank or
/// over the border of a half (of a module).
std::uint64_t expected(std::uint64_t K, std::uint64_t ranks, std::uint64_t inside,
                       std::uint64_t over_border) {
  const std::uint64_t crossing = inside * (ranks - inside) * K;
  return std::max(K * (ranks - 1), (crossing + over_border - 1) / over_border);
}

}  // namespace

TEST_CASE("prove: an alltoall of several chunks is put together from those of fewer") {
  if (no_solver()) return;
  const struct {
    Rank P;
    const char* machine;
    std::uint64_t inside, over_border;
  } cases[] = {{16, "torus:4x4", 8, 8},        {16, "mesh:4x4", 8, 4},
               {16, "crossbar:a=4,b=4", 4, 2}, {15, "crossbar:a=3,b=5", 5, 2},
               {15, "mesh:3x5", 6, 3},         {12, "duplex", 6, 6}};
  for (const auto& [P, machine, inside, over_border] : cases) {
    for (const std::uint32_t K : {2U, 3U, 4U, 6U, 24U}) {
      Question asked = question(Collective::alltoall, P, K, machine);
      asked.steps = expected(K, P, inside, over_border);
      INFO(describe(asked));
      CHECK(counted_bound(asked).steps == asked.steps);
      const auto found = from_fewer_chunks(asked, constructing());
      REQUIRE(found);
      accept(asked, found->schedule);  // throws where it does not hold
      CHECK(found->steps == asked.steps);
      --asked.steps;
      CHECK_FALSE(from_fewer_chunks(asked, constructing()));
    }
  }
}

TEST_CASE("prove: in rounds, two schedules of half of the chunks are one at once") {
  if (no_solver()) return;
  for (const Rank P : {4U, 5U}) {
    for (const std::uint32_t K : {2U, 4U}) {
      Question asked = question(Collective::allgather, P, K, topologies::ring(P));
      const std::uint64_t least = (K * (P - 1) + 1) / 2;  // rounds, by the two links into a rank
      for (asked.steps = 1; asked.steps <= least + 2; ++asked.steps) {
        for (asked.rounds = asked.steps; *asked.rounds <= least + 2; ++*asked.rounds) {
          INFO(describe(asked) << ", at most " << asked.steps);
          const auto found = from_fewer_chunks(asked, constructing());
          if (found) {
            accept(asked, found->schedule);  // throws where it does not hold
            CHECK(decide(asked, first_solver(), {}).answer == Answer::sat);
          }
          if (P == 5) CHECK(found.has_value() == (asked.steps > 1 && *asked.rounds >= least));
        }
      }
      asked.problem.chunks = 3;  // no halves
      CHECK_FALSE(from_fewer_chunks(asked, constructing()));
    }
  }
}

TEST_CASE("prove: the names of sums say their parts") {
  if (no_solver()) return;
  const auto name = [](std::uint32_t K) {
    Question asked = question(Collective::alltoall, 5, K, "duplex");
    asked.steps = 4 * std::uint64_t{K};
    return from_fewer_chunks(asked, constructing()).value().name;
  };
  CHECK(name(2) == "1 + 1 chunks");
  CHECK(name(4) == "1 + 1 + 1 + 1 chunks");
  CHECK(name(5) == "5 * 1 chunks");
}

TEST_CASE("prove: nothing is put together where sums are too long, or have no meaning") {
  if (no_solver()) return;
  for (const Question& asked :
       {question(Collective::broadcast, 8, 4, "duplex", 6),  // a pipeline takes 6 steps
        question(Collective::alltoall, 8, 1, "duplex", 7),   // there are no fewer chunks
        question(Collective::alltoall, 3, 2, "logp:L=1,o=1,g=1", 40)}) {
    INFO(describe(asked));
    CHECK_FALSE(from_fewer_chunks(asked, constructing()));
  }
}

TEST_CASE("prove: plain and assumed bounds use the schedules of fewer chunks") {
  if (no_solver()) return;
  const Question asked = question(Collective::alltoall, 16, 4, "mesh:4x4");
  const SearchOptions options = constructing();
  for (const auto& bound : {std::optional<std::uint64_t>(), std::optional<std::uint64_t>(64)}) {
    const Interval found = least_steps(asked, options, bound);
    REQUIRE(found.decided());
    CHECK(found.least == 64);
    CHECK(found.counted == bound.has_value());
    CHECK(found.tried.back().construction.find("chunks") != std::string::npos);
  }
  Question with_steps = asked;
  with_steps.steps = 64;
  CHECK(decide_steps(with_steps, options).answer == Answer::sat);
}

TEST_CASE("prove: there is an upper bound where no algorithm serves") {
  for (const char* machine : {"torus:2x8", "torus:1x16", "crossbar:a=2,b=8"}) {
    Question asked = question(Collective::alltoall, 16, 1, machine);
    asked.steps = counted_bound(asked).steps.value_or(0);
    INFO(describe(asked));
    const auto found = soon_found(asked, {});
    REQUIRE(found);
    CHECK(found->steps >= asked.steps);
    CHECK(found->steps <= 2 * asked.steps);
    asked.steps = found->steps;
    accept(asked, found->schedule);
  }
}
