// The canonical form of steps, against a comparison of all pairs of transfers.

#include "analysis/canonical.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <string>

#include "catch.hpp"
#include "schedcc/error.hpp"

using namespace schedcc;

namespace {

bool same_message(const Transfer& t, const Transfer& u) {
  return t.src == u.src && t.dst == u.dst && t.reduce == u.reduce;
}

/// A run that begins where the last one ends prolongs it.
std::vector<Run> joined(std::vector<Run> runs) {
  std::ranges::stable_sort(runs, {}, &Run::first);
  std::vector<Run> result;
  for (const Run& run : runs) {
    if (!result.empty() && result.back().first + result.back().count == run.first) {
      result.back().count += run.count;
    } else {
      result.push_back(run);
    }
  }
  return result;
}

std::vector<WrittenMessage> by_pairs(const Transfers& transfers) {
  std::vector<WrittenMessage> messages;
  for (std::size_t i = 0; i < transfers.size(); ++i) {
    const Transfer& t = transfers[i];
    const auto same = [&](const Transfer& u) { return same_message(t, u); };
    if (std::any_of(transfers.begin(), transfers.begin() + static_cast<std::ptrdiff_t>(i), same))
      continue;
    WrittenMessage message{t.src, t.dst, t.reduce != 0, {}};
    for (const Transfer& u : transfers) {
      if (same(u)) message.runs.push_back({u.first, u.count});
    }
    message.runs = joined(message.runs);
    messages.push_back(message);
  }
  return messages;
}

bool equal(const std::vector<WrittenMessage>& a, const std::vector<WrittenMessage>& b) {
  return std::ranges::equal(a, b, [](const WrittenMessage& x, const WrittenMessage& y) {
    return x.src == y.src && x.dst == y.dst && x.reduce == y.reduce &&
           std::ranges::equal(x.runs, y.runs, [](const Run& r, const Run& s) {
             return r.first == s.first && r.count == s.count;
           });
  });
}

/// Ranks are multiples of `distance`. With `differ` no two senders are the same, or no two
/// receivers.
Transfers some_transfers(std::mt19937& dice, Rank ranks, Rank distance, bool differ) {
  std::vector<Rank> one(ranks);
  std::iota(one.begin(), one.end(), Rank{0});
  std::ranges::shuffle(one, dice);
  const bool senders = dice() % 2 == 0;
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(dice() % n); };
  Transfers transfers(differ ? dice() % (ranks + 1) : dice() % 60);
  for (std::size_t i = 0; i < transfers.size(); ++i) {
    Transfer& t = transfers[i];
    t = copy(below(ranks), below(ranks), below(50), 1 + below(5));
    if (differ) (senders ? t.src : t.dst) = one[i];
    t.src *= distance;
    t.dst *= distance;
    t.reduce = dice() % 2 == 0;
  }
  return transfers;
}

Step step_of(const Transfers& transfers) {
  Step step;
  step.transfers = transfers;
  return step;
}

}  // namespace

TEST_CASE("messages in canonical form are those found by comparing all pairs of transfers") {
  std::mt19937 dice(1);
  CanonicalMessages messages;
  for (int round = 0; round < 4000; ++round) {
    const Rank distance = std::vector<Rank>{1, 1 << 16, 100'000'000}[dice() % 3];
    const Transfers transfers =
        some_transfers(dice, 1 + static_cast<Rank>(round) % 40, distance, round % 2 == 0);
    const Step step = step_of(transfers);
    std::vector<WrittenMessage> visited;
    messages(step, [&](const WrittenMessage& m) { visited.push_back(m); });
    const std::vector<WrittenMessage> expected = by_pairs(transfers);
    CHECK(equal(visited, expected));
    CHECK(equal(canonical(step), expected));
    CHECK(messages.all_single(step) == (expected.size() == transfers.size()));
  }
}

TEST_CASE("a transfer of no chunks is refused before any message is visited") {
  std::mt19937 dice(2);
  CanonicalMessages messages;
  for (int round = 0; round < 500; ++round) {
    Transfers transfers = some_transfers(dice, 30, 1, round % 2 == 0);
    if (transfers.empty()) continue;
    transfers[dice() % transfers.size()].count = 0;
    bool visited = false;
    CHECK_THROWS_AS(messages(step_of(transfers), [&](const WrittenMessage&) { visited = true; }),
                    InputError);
    CHECK(!visited);
  }
}
