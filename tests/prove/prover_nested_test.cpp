// Exchanges of nested groups: what ranks send and receive, for any halves that lead, is a schedule
// without channels, and the schedules found hold and take the steps of the bound.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "catch.hpp"
#include "prove/sat/exchange_run.hpp"
#include "prove/sat/nested_exchange.hpp"
#include "prove/sat/nested_groups.hpp"
#include "proving.hpp"

using namespace proving;

namespace {

/// Packets by rank, of a broadcast in which a rank may receive from any other that sends a packet.
class Holders {
 public:
  Holders(std::size_t ranks, std::int64_t packets, Rank root)
      : packets_(packets), holds_(ranks, std::vector<bool>(static_cast<std::size_t>(packets))) {
    holds_[root].assign(static_cast<std::size_t>(packets), true);
  }

  /// The packets of a step are sent by ranks that hold them, each to as many as receive it.
  void make(const std::vector<Trade>& trades) {
    std::vector<std::int64_t> spare(static_cast<std::size_t>(packets_));
    const auto before = holds_;
    for (std::size_t v = 0; v < trades.size(); ++v) {
      const auto [sends, receives] = trades[v];
      REQUIRE((sends >= -1 && sends < packets_ && receives >= -1 && receives < packets_));
      if (sends >= 0) {
        REQUIRE(before[v][static_cast<std::size_t>(sends)]);
        ++spare[static_cast<std::size_t>(sends)];
      }
      if (receives >= 0) {
        holds_[v][static_cast<std::size_t>(receives)] = true;
        --spare[static_cast<std::size_t>(receives)];
      }
    }
    REQUIRE(std::ranges::all_of(spare, [](std::int64_t left) { return left >= 0; }));
  }

  bool complete() const {
    return std::ranges::all_of(holds_,
                               [](const auto& all) { return std::ranges::count(all, false) == 0; });
  }

 private:
  std::int64_t packets_;
  std::vector<std::vector<bool>> holds_;
};

}  // namespace

TEST_CASE("prove: nested groups complete a broadcast, whichever halves lead") {
  Dice dice;
  for (std::uint64_t rows = 1; rows <= 6; ++rows) {
    for (std::uint64_t columns = 2; columns <= 8; ++columns) {
      const std::uint64_t P = rows * columns;
      for (Rank root = 0; root < P; ++root) {
        const std::uint64_t K = 1 + root % 9;
        INFO(rows << " x " << columns << ", root " << root << ", K = " << K);
        const NestedGroups groups({rows, columns, true, false}, root, K);
        NestedGroups::Leaders leaders = groups.random(dice);
        Holders holders(P, static_cast<std::int64_t>(K), root);
        for (std::uint64_t t = 0; t < exchange_steps(P, K); ++t) {
          CHECK_FALSE(holders.complete());
          const NestedStep step = groups.step(t, leaders);
          REQUIRE(step.trades.size() == P);
          CHECK(step.trades[root].receives == -1);
          holders.make(step.trades);
        }
        CHECK(holders.complete());
      }
    }
  }
}

TEST_CASE("prove: other halves lead only in groups that trade, and never where the root is") {
  Dice dice;
  const NestedGroups groups({4, 8, true, false}, 5, 8);
  const NestedGroups::Leaders before = groups.random(dice);
  NestedGroups::Leaders after = before;
  const NestedStep first = groups.step(0, after);
  CHECK(after != before);
  for (int i = 0; i < 100; ++i) {
    NestedGroups::Leaders changed = before;
    groups.change(changed, first.trading, 2, dice);
    for (std::size_t group = 0; group < before.size(); ++group) {
      if (std::ranges::count(first.trading, group) == 0) CHECK(changed[group] == before[group]);
    }
    NestedGroups::Leaders then = changed;
    CHECK(groups.step(0, then).trades[5].sends == 0);  // the root sends the first packet
  }
}

TEST_CASE("prove: exchanges of nested groups meet the bound on grids") {
  if (no_solver()) return;
  for (const std::string machine :
       {"mesh:4x8", "mesh:5x5", "mesh:6x6", "mesh:8x8", "torus:3x9", "torus:4x12", "torus:7x8"}) {
    const std::size_t by = machine.find('x');
    const auto side = [&](std::size_t from) { return std::stoull(machine.substr(from)); };
    const std::uint64_t rows = side(machine.find(':') + 1), columns = side(by + 1);
    for (const std::uint32_t K : {1U, 3U, 8U}) {
      INFO(machine << ", K = " << K);
      const auto P = static_cast<Rank>(rows * columns);
      Question asked = at_bound(Collective::broadcast, P, P / 2, K, machine);
      const RankRows grid{rows, columns, true, machine[0] == 't'};
      const auto found = [&] {
        return found_in_a_minute(asked, [&](const CopyQuestion& copies, const auto&... how) {
          return nested_exchange(copies.instance, copies.chunks, grid, how...);
        });
      };
      CHECK(found());
      --asked.steps;
      CHECK_FALSE(found());
    }
  }
}
