// Numbered sets of ranks, and the properties of contributions, compared with std::set.

#include <algorithm>
#include <bitset>
#include <map>
#include <random>

#include "analysis/contributions.hpp"
#include "analysis/rank_sets.hpp"
#include "catch.hpp"

using namespace schedcc;

namespace {

constexpr std::size_t space = 300;
using Bits = std::bitset<space>;

/// Ranks of the plain set are `spread` apart, starting with `base`.
struct Scale {
  std::uint64_t base, spread;
  Rank rank(std::size_t i) const { return static_cast<Rank>(base + i * spread); }
};

Intervals intervals(const Bits& bits, Scale scale) {
  Intervals result;
  for (std::size_t i = 0; i < space; ++i) {
    if (!bits[i]) continue;
    const Rank rank = scale.rank(i);
    if (result.empty() || std::uint64_t{result.back().last} + 1 != rank)
      result.push_back({rank, rank});
    result.back().last = rank;
  }
  return result;
}

Bits some_bits(std::mt19937& random) {
  Bits bits;
  const auto below = [&](std::size_t n) { return random() % n; };
  const std::size_t dense = 1 + below(40);
  if (below(3) == 0) {
    for (std::size_t i = below(space), n = below(space); n > 0 && i < space; ++i, --n) bits.set(i);
  } else {
    for (std::size_t i = 0; i < space; ++i) bits[i] = below(dense) == 0;
  }
  return below(4) == 0 ? ~bits : bits;
}

}  // namespace

TEST_CASE("operations on numbered sets of ranks give the sets, and equal sets equal numbers") {
  for (const Scale scale : {Scale{0, 1}, Scale{0, 2}, Scale{1000, 1}, Scale{UINT32_MAX - space, 1},
                            Scale{77, 14000000}}) {
    std::mt19937 random(11);
    RankSets sets;
    std::vector<std::pair<RankSets::Id, Bits>> known{{RankSets::empty, Bits()}};
    std::map<std::string, RankSets::Id> numbers{{Bits().to_string(), RankSets::empty}};
    const auto enter = [&](RankSets::Id id, const Bits& bits) {
      const Intervals expected = intervals(bits, scale);
      REQUIRE(sets.intervals(id) == expected);
      REQUIRE(sets.size(id) == expected.size());
      REQUIRE(numbers.emplace(bits.to_string(), id).first->second == id);
      const std::size_t most = random() % 20;
      const Intervals first = sets.intervals(id, most);
      REQUIRE(std::equal(first.begin(), first.end(), expected.begin()));
      REQUIRE(first.size() == std::min(most, expected.size()));
      if (bits.any()) {
        REQUIRE(sets.hull(id).first == expected.front().first);
        REQUIRE(sets.hull(id).last == expected.back().last);
      }
      known.emplace_back(id, bits);
    };
    for (int i = 0; i < 60; ++i) {
      const Bits bits = some_bits(random);
      enter(sets.of(intervals(bits, scale)), bits);
    }
    for (int i = 0; i < 3000; ++i) {
      const auto [a, left] = known[random() % known.size()];
      const auto [b, right] = known[random() % known.size()];
      switch (random() % 3) {
        case 0:
          enter(sets.unite(a, b), left | right);
          break;
        case 1:
          enter(sets.intersect(a, b), left & right);
          break;
        default:
          enter(sets.subtract(a, b), left & ~right);
      }
    }
  }
}

namespace {

struct Contributors {
  Bits once, twice;
};

/// Contributions of the ranks of the scale; `ranks`: as for Contributions.
void check_unions(std::uint64_t ranks, Scale scale, std::mt19937& random) {
  Contributions contributions(ranks);
  std::vector<std::pair<Contributions::Id, Contributors>> known;
  for (std::size_t i = 0; i < space; i += 1 + random() % 4)
    known.emplace_back(contributions.only(scale.rank(i)), Contributors{Bits().set(i), Bits()});
  for (int i = 0; i < 400; ++i) {
    // Of two that are next to each other unions are intervals.
    const std::size_t which = random() % known.size();
    const std::size_t other =
        random() % 2 == 0 ? random() % known.size() : (which + 1) % known.size();
    const auto& [a, left] = known[which];
    const auto& [b, right] = known[other];
    const Contributors both{left.once | right.once,
                            left.twice | right.twice | (left.once & right.once)};
    const Contributions::Id id = contributions.unite(a, b);
    REQUIRE(id == contributions.unite(b, a));
    RankSets& sets = contributions.sets();
    const Intervals expected = intervals(both.once, scale);
    REQUIRE(sets.intervals(contributions.ranks(id)) == expected);
    REQUIRE(sets.intervals(contributions.twice(id)) == intervals(both.twice, scale));
    REQUIRE(contributions.counts_twice(id) == both.twice.any());
    REQUIRE(contributions.is_interval(id) == (expected.size() == 1));
    if (both.twice.none()) {
      REQUIRE(id == contributions.of(expected));
      REQUIRE(id == contributions.of(sets.of(expected)));
    }
    known.emplace_back(id, both);
  }
}

}  // namespace

TEST_CASE("unions of contributions know who is in them, and who more than once") {
  std::mt19937 random(5);
  for (int run = 0; run < 20; ++run) {
    check_unions(0, {3, 2}, random);
    check_unions(0, {0, 1}, random);
    check_unions(space, {0, 1}, random);
    check_unions(std::uint64_t{1} << 15, {(1 << 15) - space, 1}, random);
    check_unions((std::uint64_t{1} << 15) + 1, {(1 << 15) + 1 - space, 1}, random);
    check_unions(std::uint64_t{1} << 26, {(1 << 26) - space, 1}, random);
    check_unions((std::uint64_t{1} << 26) + 1, {(1 << 26) + 1 - space, 1}, random);
  }
}

TEST_CASE("intervals of ranks in a ring are united wherever they begin") {
  for (const Rank ranks : {1, 2, 3, 7, 12}) {
    Contributions contributions(ranks);
    for (Rank first = 0; first < ranks; ++first) {
      Contributions::Id sum = contributions.only(first);
      Bits bits;
      bits.set(first);
      for (Rank i = 1; i < ranks; ++i) {
        const Rank next = (first + i) % ranks;
        bits.set(next);
        sum = i % 2 == 0 ? contributions.unite(sum, contributions.only(next))
                         : contributions.unite(contributions.only(next), sum);
        REQUIRE(sum == contributions.of(intervals(bits, {0, 1})));
        REQUIRE(!contributions.counts_twice(sum));
        REQUIRE(contributions.counts_twice(contributions.unite(sum, contributions.only(first))));
      }
      REQUIRE(sum == contributions.of({{0, ranks - 1}}));
    }
  }
}

TEST_CASE("an interval of many ranks in a ring has one number, however it is made") {
  const auto set_of = [](Rank first, Rank length, Rank ranks) {
    const Rank before_end = std::min(length, ranks - first);
    Intervals result;
    if (length > before_end) result.push_back({0, length - before_end - 1});
    append(result, {first, first + before_end - 1});
    return result;
  };
  for (const Rank ranks :
       {(1 << 15) - 1, 1 << 15, (1 << 15) + 1, 1 << 20, 1 << 26, (1 << 26) + 1}) {
    Contributions contributions(ranks);
    RankSets& sets = contributions.sets();
    for (Rank first : {Rank{0}, Rank{1}, ranks / 2, ranks - 20, ranks - 1}) {
      for (Rank length = 2; length <= 33; ++length) {
        const auto whole = set_of(first, length, ranks);
        const Contributions::Id id = contributions.of(whole);
        REQUIRE(sets.intervals(contributions.ranks(id)) == whole);
        for (Rank part = 1; part < length; ++part) {
          const auto left = contributions.of(set_of(first, part, ranks));
          const auto right = contributions.of(set_of((first + part) % ranks, length - part, ranks));
          REQUIRE(contributions.unite(left, right) == id);
          REQUIRE(contributions.unite(right, left) == id);
        }
      }
      const auto half = contributions.of(set_of(first, ranks / 2, ranks));
      const auto rest =
          contributions.of(set_of((first + ranks / 2) % ranks, ranks - ranks / 2, ranks));
      REQUIRE(contributions.unite(half, rest) == contributions.of({{0, ranks - 1}}));
    }
  }
}
