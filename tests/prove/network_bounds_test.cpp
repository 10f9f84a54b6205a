// The bounds of cuts against the least numbers of steps that the prover finds, on random networks.

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>

#include "networks_of_links.hpp"
#include "proving.hpp"
#include "ranges.hpp"
#include "run.hpp"

using namespace proving;
using namespace networks_of_links;

TEST_CASE("no schedule of a small network is below the bound of its narrowest cut") {
  if (no_solver()) return;
  std::mt19937_64 random(24);
  int reached = 0, decided = 0;
  for (int i = 0; i < ranges::part(8, 60); ++i) {
    const LinkNetwork n = eulerian(4, 1, random, "bounded" + std::to_string(i) + "-");
    for (const char* collective :
         {"allgather", "reduce-scatter", "allreduce", "broadcast", "reduce"}) {
      const Collective c = find_collective(collective);
      const std::uint32_t K = 1 + static_cast<std::uint32_t>(random() % 2);
      const std::uint64_t least = least_of(c, n.ranks, K, n.machine());  // and not below the bound
      const auto bound = lower_bound(Problem{c, n.ranks, 0, K, false, nullptr},
                                     make_machine(n.machine(), n.ranks), 1);
      Report report;
      CHECK(run::fault({"forest", n.ranks, K, n.machine(), collective}, &report).empty());
      CHECK(report.steps >= least);
      reached += *bound.steps == least ? 1 : 0;
      ++decided;
    }
  }
  CHECK(2 * reached > decided);
}
