// Broadcasts on machines with k ports by deadlines: they hold, and take no more steps than the
// receptions of all ranks and the messages of the root require.

#include <algorithm>
#include <memory>
#include <string>
#include <tuple>

#include <fmt/core.h>

#include "catch.hpp"
#include "prove/sat/bounds/step_bounds.hpp"
#include "prove/sat/placing/deadlines.hpp"
#include "proving.hpp"

using namespace proving;

namespace {

/// The steps that counting leaves for a broadcast.
std::uint64_t counted_steps(Question asked) {
  for (;; ++asked.steps) {
    const auto copies = copy_question(asked);
    if (!too_many(copies->instance, copies->chunks)) return asked.steps;
  }
}

/// Is there a schedule by deadlines? If so it has passed the checker.
bool found(const Question& asked, std::uint64_t arcs) {
  const auto copies = copy_question(asked);
  REQUIRE(copies);
  const auto schedule = by_deadlines(copies->instance, copies->chunks, arcs);
  if (schedule) accept(asked, copies->schedule(schedule));  // throws where it does not hold
  return schedule != nullptr;
}

}  // namespace

TEST_CASE("prove: broadcasts by deadlines take as many steps as counting requires") {
  std::uint64_t all = 0, met = 0;
  for (std::uint64_t k = 1; k <= 4; ++k) {
    for (Rank P = 2; P <= 64; ++P) {
      for (std::uint32_t K = 1 + (P + k) % 4; K <= 12; K += 4) {
        const auto collective = (P + K) % 2 == 0 ? Collective::broadcast : Collective::reduce;
        Question asked = with_ports(collective, P, (7 * K) % P, K, k, 0);
        asked.steps = counted_steps(asked);
        INFO(describe(asked));
        CHECK(counted_bound(asked).steps.value_or(0) <= asked.steps);
        CHECK(receivable(P, K, std::min<std::uint64_t>(k, P - 1), asked.steps));
        ++all;
        met += found(asked, 20'000'000) ? 1 : 0;
        --asked.steps;
        CHECK_FALSE(found(asked, 1'000'000));
      }
    }
  }
  CHECK(all == 756);
  INFO(met);
  CHECK(met + 2 >= all);
}

TEST_CASE("prove: broadcasts with two and three ports that need every port") {
  using Case = std::tuple<Rank, std::uint32_t, std::uint64_t, std::uint64_t>;
  for (const auto& [P, K, k, T] : {Case{27, 5, 2, 5},
                                   {27, 7, 2, 6},
                                   {36, 8, 2, 7},
                                   {64, 5, 2, 6},
                                   {64, 7, 2, 7},
                                   {32, 8, 3, 5},
                                   {48, 7, 3, 5},
                                   {64, 7, 3, 5},
                                   {81, 7, 2, 7},
                                   {125, 9, 4, 5}}) {
    const Question asked = with_ports(Collective::broadcast, P, P - 1, K, k, T);
    INFO(describe(asked));
    CHECK(found(asked, 30'000'000));
    CHECK(counted_steps(asked) == T);
  }
  // Packets of two chunks, and the last one of a single chunk.
  CHECK(found(with_ports(Collective::broadcast, 27, 1, 9, 2, 5, 2), 30'000'000));
}

TEST_CASE("prove: what is found by deadlines is the same each time") {
  for (const Rank P : {9U, 15U, 41U}) {
    Question asked = with_ports(Collective::broadcast, P, 2, 6, 2, 0);
    asked.steps = counted_steps(asked);
    const auto copies = copy_question(asked);
    const auto text = [&] {
      const auto schedule = by_deadlines(copies->instance, copies->chunks, 30'000'000);
      REQUIRE(schedule);
      std::string result;
      for (std::uint64_t row = 0; row < schedule->size(); ++row) {
        for (const Transfer& t : (*schedule)[row].transfers) {
          result += fmt::format("{} {} {} {}\n", row, t.src, t.dst, t.first);
        }
      }
      return result;
    };
    CHECK(text() == text());
  }
}

TEST_CASE("prove: other questions have no schedules by deadlines") {
  for (const Question& asked : {question(Collective::scatter, 8, 2, "kport:k=2", 9),
                                question(Collective::allgather, 8, 2, "kport:k=2", 9),
                                question(Collective::broadcast, 8, 2, "simplex", 9),
                                question(Collective::broadcast, 8, 2, "mesh:2x4", 9),
                                question(Collective::broadcast, 8, 2, "ebft", 19),
                                question(Collective::broadcast, 8, 2, "logp:L=2,o=1,g=1", 19),
                                question(Collective::broadcast, 1, 2, "kport:k=2", 9),
                                question(Collective::broadcast, 8, 2, "kport:k=2", 0)}) {
    INFO(describe(asked));
    CHECK_FALSE(found(asked, 1'000'000));
  }
}
