// In addition to the ledger (docs/ledger): the formulas of the lectures (BL, CC) for ranks,
// machines and packets that the slides do not mention. A cost a alpha + b beta is compared with
// steps and volume: a is the number of steps, b the sum over the steps of the longest message, in
// words. A chunk is a word, s the words of the message or, for collectives of blocks, of all blocks
// of a rank together.

#include "catch.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "algorithm/shapes.hpp"
#include "run.hpp"
#include "support/packet_size.hpp"

using namespace schedcc;

namespace {

struct Cost {
  std::uint64_t steps, volume;
  friend bool operator==(const Cost&, const Cost&) = default;
};

std::ostream& operator<<(std::ostream& out, const Cost& c) {
  return out << c.steps << " steps, volume " << c.volume;
}

/// Of a schedule that holds in the steps that it claims.
Cost cost(const run::Case& c) {
  Report report;
  const std::string fault = run::fault(c, &report);
  if (!fault.empty()) FAIL_CHECK(fault);
  return {report.steps, report.volume};
}

std::uint64_t steps(const std::string& spec, Rank P, std::uint32_t K = 1,
                    const std::string& machine = "") {
  return cost({spec, P, K, machine}).steps;
}

}  // namespace

TEST_CASE("one butterfly for any P: ceil(log P) steps and s (P-1)/P words") {
  for (Rank P = 2; P <= 128; ++P) {
    const Cost once{ceil_log2(P), 2 * (P - 1)};
    CHECK(cost({"bruck", P, 2, "", "allgather"}) == once);
    CHECK(cost({"binomial-tree", P, 2, "", "scatter"}) == once);
    CHECK(cost({"binomial-tree", P, 2, "", "gather"}) == once);
  }
}

TEST_CASE("the ring has the same volume as the butterfly, in 2 (P-1) steps") {
  for (Rank P = 2; P <= 40; ++P) {
    for (const std::uint32_t s : {P, 5 * P}) {
      CHECK(cost({"ring", P, s, "", "allreduce"}) ==
            Cost{2 * (P - 1), 2 * std::uint64_t{s} / P * (P - 1)});
    }
  }
}

TEST_CASE("Rabenseifner's allreduce pays for excess ranks with two steps and two messages of s") {
  for (Rank P = 3; P <= 128; ++P) {
    const Rank acting = std::bit_floor(P);
    if (acting == P) continue;
    const std::uint32_t s = 2 * acting;
    CHECK(cost({"rabenseifner", P, s, "", "allreduce"}) ==
          Cost{2 * ceil_log2(acting) + 2, 2 * s + 4 * (acting - 1)});
  }
}

TEST_CASE("CC, Pipelined binary tree in LogP, where a packet takes less than a gap") {
  for (const std::uint64_t L : {0u, 1u, 3u, 6u, 12u}) {
    for (const std::uint64_t o : {0u, 1u, 2u, 5u}) {
      for (const std::uint64_t g : {1u, 2u, 4u, 8u, 20u}) {
        if (L + o == 0 || L + 2 * o >= g) continue;
        for (const Rank P : {8u, 30u}) {
          const PipelinedBinaryTree tree{.h = std::log2(P),
                                         .L = static_cast<double>(L),
                                         .o = static_cast<double>(o),
                                         .g = static_cast<double>(g),
                                         .G = 0};
          const std::string machine = fmt::format("logp:L={},o={},g={}", L, o, g);
          const std::uint64_t first = steps("logp-binary", P, 1, machine);
          const std::uint64_t more = steps("logp-binary", P, 2, machine) - first;
          const std::uint64_t all = steps("logp-binary", P, 60, machine);
          INFO(machine << " P " << P);
          CHECK(all == first + 59 * more);
          CHECK(more <= 2 * g);  // less where so few ranks make a chain
          CHECK(static_cast<double>(first) <= tree.time_logp(1));
          CHECK(static_cast<double>(all) <= tree.time_logp(60));
        }
      }
    }
  }
}
