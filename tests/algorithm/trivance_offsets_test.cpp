// Trivance's formula for the blocks that a rank sends (kernel/trivance.hpp) compared with the tree
// of a block, grown rank by rank, for every P up to 800: in each exchange the holders, in the
// order in which they got the block, reach the ranks at the distance above and then below, unless
// these have it. All ranks are alike, so that of rank 0's blocks, one of a chunk for each rank, all
// are known.

#include <cstdint>
#include <set>
#include <tuple>
#include <vector>

#include "algorithm/kernel/trivance.hpp"
#include "catch.hpp"

using namespace schedcc;

namespace {

/// A block that passes from rank 0, or to it: its step, the other rank, and its number.
using Passed = std::set<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>>;

struct Both {
  Passed sent, received;
};

/// The distances on a ring, the first one of the allgather last.
std::vector<std::uint64_t> distances(std::uint64_t P) {
  std::vector<std::uint64_t> result;
  for (std::uint64_t d = 1; d < P; d *= 3) result.push_back(3 * d < P ? d : (P - d + 1) / 2);
  return result;
}

Both grown(std::uint64_t P) {
  const std::vector<std::uint64_t> all = distances(P);
  std::vector<std::uint64_t> holders{0};
  std::vector<bool> has(P);
  has[0] = true;
  Both result;
  for (std::uint64_t step = 0; step < all.size(); ++step) {
    const std::uint64_t d = all[all.size() - 1 - step], before = holders.size();
    for (std::uint64_t k = 0; k < before; ++k) {
      const std::uint64_t x = holders[k];
      for (const std::uint64_t move : {d, P - d}) {
        const std::uint64_t to = (x + move) % P;
        if (has[to]) continue;
        has[to] = true;
        holders.push_back(to);
        // For the block of rank P - x, rank 0 has the offset x; for that of P - to, the offset to.
        result.sent.emplace(step, move, (P - x) % P);
        result.received.emplace(step, P - move, P - to);
      }
    }
  }
  return result;
}

Both computed(std::uint64_t P) {
  const auto own = local::TrivanceAllgather(P, P).at(0);
  Both result;
  for (std::uint64_t step = 0; step < own.kernel.steps(); ++step) {
    const auto add_to = [&](Passed& passed) {
      return [&passed, step](const local::RankTransfer& part) {
        CHECK(part.count == 1);
        CHECK(passed.emplace(step, part.peer, part.first).second);
      };
    };
    own.sends(step, add_to(result.sent));
    own.receives(step, add_to(result.received));
  }
  return result;
}

}  // namespace

TEST_CASE("trivance sends the blocks that the trees of all ranks say, for every P up to 800") {
  for (std::uint64_t P = 2; P <= 800; ++P) {
    INFO(P << " ranks");
    const Both expected = grown(P), found = computed(P);
    REQUIRE(expected.sent.size() == P - 1);
    REQUIRE(found.sent == expected.sent);
    REQUIRE(found.received == expected.received);
  }
}
