// Exchanges of nested groups: what ranks send and receive, whichever halves lead, is a schedule
// where channels do not limit messages, and the schedules found hold and take the steps of the
// bound.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "machine/rank_rows.hpp"
#include "prove/sat/exchange/exchange_run.hpp"
#include "prove/sat/exchange/nested_exchange.hpp"
#include "prove/sat/exchange/nested_groups.hpp"
#include "proving.hpp"

using namespace proving;

namespace {

/// The packets of ranks in a broadcast in which a packet may come from any rank that sends it.
class Holders {
 public:
  Holders(std::size_t ranks, std::uint64_t packets, Rank root)
      : packets_(static_cast<std::int64_t>(packets)), holds_(ranks, std::vector<bool>(packets)) {
    holds_[root].assign(packets, true);
  }

  /// Makes a step, in which each packet is sent by at least as many ranks as receive it, by as many
  /// unless it is the last one. Senders hold it, receivers do not.
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
        REQUIRE_FALSE(before[v][static_cast<std::size_t>(receives)]);
        holds_[v][static_cast<std::size_t>(receives)] = true;
        --spare[static_cast<std::size_t>(receives)];
      }
    }
    REQUIRE(spare.back() >= 0);
    spare.pop_back();
    REQUIRE(std::ranges::all_of(spare, [](std::int64_t left) { return left == 0; }));
  }

  bool complete() const {
    return std::ranges::all_of(holds_,
                               [](const auto& all) { return std::ranges::count(all, false) == 0; });
  }

 private:
  std::int64_t packets_;
  std::vector<std::vector<bool>> holds_;
};

/// The schedule of nested groups that is found within a minute; it has passed the checker.
std::shared_ptr<const Schedule> nested(const Question& asked, const RankRows& rows) {
  return found_by(asked, [&](const CopyQuestion& copies, const auto&... how) {
    return nested_exchange(copies.instance, copies.chunks, rows, how...);
  });
}

std::shared_ptr<const Schedule> nested(const Question& asked) {
  return nested(asked, *rank_rows(asked.machine, asked.problem.ranks));
}

}  // namespace

TEST_CASE("prove: nested groups complete a broadcast, whichever halves lead") {
  Dice dice;
  for (std::uint64_t rows = 1; rows <= 6; ++rows) {
    for (std::uint64_t columns = 2; columns <= 8; ++columns) {
      const std::uint64_t P = rows * columns;
      for (std::uint64_t i = 0; i < 3 * P; ++i) {
        const auto root = static_cast<Rank>(i % P);
        const std::uint64_t K = 1 + i % 11;
        INFO(rows << " x " << columns << ", root " << root << ", K = " << K);
        const NestedGroups groups({rows, columns, true, false}, root, K);
        LeadingHalves leaders = groups.random(dice);
        Holders holders(P, K, root);
        for (std::uint64_t t = 0; t < exchange_steps(P, K); ++t) {
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
  const LeadingHalves before = groups.random(dice);
  for (int i = 0; i < 100; ++i) {
    LeadingHalves now = before, then = before;
    const NestedStep step = groups.step(0, now);
    LeadingHalves changed = before;
    groups.change(changed, step.trading, 0.1, dice);
    CHECK(changed != before);
    for (std::size_t group = 0; group < before.size(); ++group) {
      if (std::ranges::count(step.trading, group) == 0) CHECK(changed[group] == before[group]);
    }
    CHECK(groups.step(0, changed).trades[5].sends == 0);  // the root sends the first packet
    groups.change(then, {0}, 1, dice);                    // the group of all
    CHECK(then == before);
  }
}

TEST_CASE("prove: exchanges of nested groups meet the bound on grids") {
  if (no_solver()) return;
  const std::vector<std::pair<std::string, Rank>> grids = {
      {"mesh:3x11", 33}, {"mesh:4x8", 32},  {"mesh:5x5", 25},   {"mesh:6x6", 36}, {"mesh:8x8", 64},
      {"mesh:3x12", 36}, {"torus:3x9", 27}, {"torus:4x12", 48}, {"torus:7x8", 56}};
  for (const auto& [machine, P] : grids) {
    for (const std::uint32_t K : {1U, 3U, 8U}) {
      const Collective collective = K == 3 ? Collective::reduce : Collective::broadcast;
      Question asked = at_bound(collective, P, 5 * K % P, K, machine);
      INFO(describe(asked));
      CHECK(nested(asked));
      --asked.steps;
      CHECK_FALSE(nested(asked));
    }
  }
}

TEST_CASE("prove: other questions have no exchanges of nested groups") {
  if (no_solver()) return;
  const RankRows grid{4, 4, true, false};
  const Problem problem{Collective::broadcast, 16, 3, 3, false, nullptr};
  CHECK(nested(question(problem, "mesh:4x4", 6), grid));
  CHECK_FALSE(nested(question(problem, "mesh:4x4", 6), {4, 5, true, false}));
  CHECK_FALSE(nested(question(problem, "mesh:4x4", 6), {4, 4, false, false}));
  CHECK_FALSE(nested(question(problem, "simplex", 9), grid));
  CHECK_FALSE(nested(question(problem, "kport:k=2", 6), grid));
  CHECK_FALSE(nested(question(Collective::allgather, 16, 1, "mesh:4x4", 15), grid));
  CHECK_FALSE(nested(question(Collective::scatter, 16, 1, "mesh:4x4", 15), grid));
}

TEST_CASE("prove: grids are decided by nested groups, or by windows where those fail") {
  if (no_solver()) return;
  for (const auto& [machine, P] : {std::pair("mesh:4x8", 32U), {"mesh:5x6", 30U}}) {
    const Decision decision =
        decide(at_bound(Collective::broadcast, P, 0, 8, machine), first_solver(), {});
    INFO(machine);
    CHECK(decision.answer == Answer::sat);
    CHECK(decision.construction == "exchanges");
  }
}
