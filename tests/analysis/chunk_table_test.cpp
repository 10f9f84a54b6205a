// Values by chunk, in runs and in cells, against an array; loads of channels against a count.

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "analysis/chunk_table.hpp"
#include "analysis/run_map.hpp"
#include "catch.hpp"

using namespace schedcc;

namespace {

std::uint32_t below(std::mt19937& random, std::uint32_t n) {
  return static_cast<std::uint32_t>(random() % n);
}

Run some_run(std::mt19937& random, std::uint32_t chunks, std::uint32_t most) {
  const std::uint32_t first = below(random, chunks);
  return {first, 1 + below(random, std::min(most, chunks - first))};
}

/// Does `each` give the values of a run, in order and without a gap?
template <typename Each>
bool agrees(const std::vector<int>& plain, Run run, Each each) {
  std::uint64_t next = run.first;
  bool same = true;
  each(run, [&](Run part, int value) {
    same &= part.first == next && part.count > 0;
    next = end(part);
    same &= next <= end(run) && std::all_of(plain.begin() + part.first,
                                            plain.begin() + static_cast<std::ptrdiff_t>(next),
                                            [&](int v) { return v == value; });
  });
  return same && next == end(run);
}

}  // namespace

TEST_CASE("a map of runs gives what was assigned last") {
  std::mt19937 random(3);
  for (int run = 0; run < 300; ++run) {
    const std::uint32_t chunks = 1 + below(random, 60);
    RunMap<int> map;
    std::vector<int> plain(chunks);
    for (int i = 0; i < 40; ++i) {
      const Run where = some_run(random, chunks, chunks);
      const int value = static_cast<int>(random() % 3);
      map.assign(where, value);
      std::fill_n(plain.begin() + where.first, where.count, value);
      REQUIRE(agrees(plain, some_run(random, chunks, chunks),
                     [&](Run asked, auto f) { map.each(asked, f); }));
    }
  }
}

TEST_CASE("a map of runs reaches to the last chunk there is") {
  RunMap<int> map;
  map.assign({0, UINT32_MAX}, 1);
  map.assign({UINT32_MAX - 1, 1}, 2);
  std::vector<std::pair<Run, int>> parts;
  map.each({0, UINT32_MAX}, [&](Run run, int value) { parts.emplace_back(run, value); });
  REQUIRE(parts ==
          std::vector<std::pair<Run, int>>{{{0, UINT32_MAX - 1}, 1}, {{UINT32_MAX - 1, 1}, 2}});
}

TEST_CASE("a table by node and chunk is the same whether transfers are short or long") {
  std::mt19937 random(9);
  for (int run = 0; run < 60; ++run) {
    const std::uint32_t nodes = 1 + below(random, 40), chunks = 1 + below(random, 3000);
    ChunkTable<int, 16> table(Layout<16>(nodes, chunks));
    std::vector<std::vector<int>> plain(nodes, std::vector<int>(chunks));
    const int first_long = static_cast<int>(random() % 80);
    for (int i = 0; i < 60; ++i) {
      const Rank node = below(random, nodes);
      const Run where = some_run(random, chunks, i < first_long ? 30 : chunks);
      const int value = static_cast<int>(random() % 3);
      table.expect(where.count);
      table.assign(node, where, value);
      std::fill_n(plain[node].begin() + where.first, where.count, value);
      const Rank other = below(random, nodes);
      REQUIRE(agrees(plain[other], some_run(random, chunks, chunks),
                     [&](Run asked, auto f) { table.each(other, asked, f); }));
      const Run one = some_run(random, chunks, 1);
      REQUIRE(table.get(other, one.first) == plain[other][one.first]);
    }
    table.prepare_reads(chunks, nodes);
    std::vector<Rank> touched = table.touched();
    for (Rank node = 0; node < nodes; ++node) {
      const bool set =
          std::any_of(plain[node].begin(), plain[node].end(), [](int v) { return v != 0; });
      if (set) REQUIRE(std::find(touched.begin(), touched.end(), node) != touched.end());
      REQUIRE(
          agrees(plain[node], {0, chunks}, [&](Run asked, auto f) { table.each(node, asked, f); }));
    }
  }
}
