// Groups of transfers, against a comparison of all pairs.

#include "analysis/message_groups.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <tuple>

#include "analysis/digest.hpp"
#include "analysis/receivers.hpp"
#include "catch.hpp"

using namespace schedcc;

namespace {

Transfers some_transfers(std::mt19937& dice, std::uint32_t ranks) {
  Transfers transfers(dice() % 40);
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(dice() % n); };
  for (Transfer& t : transfers) {
    t = copy(below(ranks), below(ranks), below(50), 1 + below(5));
    t.reduce = dice() % 2 == 0;
  }
  return transfers;
}

std::pair<Rank, Rank> ends(const Transfer& t) { return {t.src, t.dst}; }

/// Of some rounds: senders with one receiver each, ranks far apart, ends that ascend.
void vary(Transfers& transfers, int round) {
  for (Transfer& t : transfers) {
    if (round % 3 == 1) t.dst = t.src / 2;
    if (round % 5 == 1) t.src *= UINT32_MAX / 16;
    if (round % 5 == 2) t.dst *= UINT32_MAX / 16;
  }
  if (round % 7 == 1) std::ranges::stable_sort(transfers, {}, ends);
}

}  // namespace

TEST_CASE("groups are the transfers with the same ends, numbered by their first transfers") {
  std::mt19937 dice(1);
  MessageGroups groups;
  for (int round = 0; round < 4000; ++round) {
    const bool apart = round % 2 == 1;
    Transfers transfers = some_transfers(dice, 1 + round % 17);
    vary(transfers, round);
    groups.read(transfers, apart ? MessageGroups::Modes::apart : MessageGroups::Modes::together);
    std::size_t count = 0;
    for (std::size_t i = 0; i < transfers.size(); ++i) {
      const Transfer& t = transfers[i];
      const auto same = [&](const Transfer& u) {
        return t.src == u.src && t.dst == u.dst && (!apart || t.reduce == u.reduce);
      };
      const auto first =
          static_cast<std::size_t>(std::ranges::find_if(transfers, same) - transfers.begin());
      CHECK(groups.of(i) == (first == i ? count++ : groups.of(first)));
      CHECK(groups.firsts()[groups.of(i)] == first);
    }
    CHECK(groups.size() == count);
  }
}

TEST_CASE("every transfer's chunks are in its message") {
  std::mt19937 dice(2);
  Digest digest;
  for (int round = 0; round < 2000; ++round) {
    const Transfers transfers = some_transfers(dice, 1 + round % 30);
    Step step;
    step.transfers = transfers;
    digest.read(step);
    std::vector<std::uint64_t> chunks(digest.size());
    for (std::size_t i = 0; i < transfers.size(); ++i) {
      const std::size_t message = digest.message_of(i);
      REQUIRE(message < chunks.size());
      CHECK(digest.messages()[message].src == transfers[i].src);
      CHECK(digest.messages()[message].dst == transfers[i].dst);
      chunks[message] += transfers[i].count;
    }
    for (std::size_t m = 0; m < chunks.size(); ++m) CHECK(digest.messages()[m].chunks == chunks[m]);
  }
}

TEST_CASE("a repeat among few receivers is found, and none is found where there is none") {
  std::mt19937 dice(3);
  Receivers receivers;
  for (int round = 0; round < 4000; ++round) {
    Transfers transfers = some_transfers(dice, 1 + round % 40);
    vary(transfers, round);
    transfers.resize(std::min<std::size_t>(transfers.size(), 1 + round % 11));
    std::set<std::tuple<Rank, Rank, bool>> messages;
    std::map<std::pair<Rank, bool>, std::set<Rank>> receivers_of;
    for (const Transfer& t : transfers) {
      messages.insert({t.src, t.dst, t.reduce != 0});
      receivers_of[{t.src, t.reduce != 0}].insert(t.dst);
    }
    const std::optional<bool> repeat = receivers.repeat(transfers);
    const bool many =
        std::ranges::any_of(receivers_of, [](const auto& of) { return of.second.size() > 4; });
    if (repeat) {
      CHECK(*repeat == (messages.size() < transfers.size()));
    } else {
      CHECK(many);
    }
  }
}
