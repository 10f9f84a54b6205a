// In addition to the ledger (docs/ledger), whose LogP models have gaps below the time of a packet:
// CC, Pipelined binary tree, where a packet takes less than a gap.

#include "catch.hpp"

#include <fmt/core.h>

#include <cmath>

#include "run.hpp"
#include "support/packet_size.hpp"

using namespace schedcc;

namespace {

/// The steps of a schedule that holds in the steps that it claims.
std::uint64_t steps(Rank P, std::uint32_t K, const std::string& machine) {
  Report report;
  const std::string fault = run::fault({"logp-binary", P, K, machine}, &report);
  if (!fault.empty()) FAIL_CHECK(fault);
  return report.steps;
}

}  // namespace

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
          const std::uint64_t first = steps(P, 1, machine);
          const std::uint64_t more = steps(P, 2, machine) - first;
          const std::uint64_t all = steps(P, 60, machine);
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
