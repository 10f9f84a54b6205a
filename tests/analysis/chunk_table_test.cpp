// Values by chunk, in runs and in cells, against an array; bits and times, listed by runs.

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "analysis/alltoall_columns.hpp"
#include "analysis/chunk_table.hpp"
#include "analysis/run_map.hpp"
#include "analysis/time_table.hpp"
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

TEST_CASE("bits are listed by runs, those of a node in the order of its chunks") {
  std::mt19937 random(4);
  for (int i = 0; i < 200; ++i) {
    const std::uint32_t nodes = 1 + below(random, 40), chunks = 1 + below(random, 3000);
    const Layout<512> layout(nodes, chunks);
    SparseBits bits;
    std::vector<std::vector<int>> plain(nodes, std::vector<int>(chunks)), listed = plain;
    for (std::uint32_t n = below(random, 400); n > 0; --n) {
      const Rank node = below(random, nodes);
      const Run run = some_run(random, chunks, 70);
      for (Chunk c = run.first; c < end(run); ++c) {
        bits.set(layout.cell(node, c));
        plain[node][c] = 1;
      }
    }
    std::map<Rank, std::uint64_t> next;
    bool ascending = true;
    for (const std::uint64_t block : layout.blocks_by_nodes(bits)) {
      bits.each_run_in(block, [&](const Cell& first, std::uint32_t count) {
        layout.each_run(first, count, [&](Rank node, Run run) {
          ascending &= run.first >= next[node];
          next[node] = end(run);
          for (Chunk c = run.first; c < end(run); ++c) ++listed[node][c];
        });
      });
    }
    REQUIRE(ascending);
    REQUIRE(listed == plain);
  }
}

TEST_CASE("times are listed by runs of equal ones") {
  std::mt19937 random(5);
  for (int i = 0; i < 200; ++i) {
    const std::uint32_t nodes = 1 + below(random, 20), chunks = 1 + below(random, 500);
    TimeTable table(Layout<TimeTable::block_size>(nodes, chunks));
    std::vector<std::vector<std::uint64_t>> plain(nodes, std::vector<std::uint64_t>(chunks));
    auto listed = plain;
    std::uint64_t now = 1;
    for (std::uint32_t n = below(random, 200); n > 0; --n) {
      now += below(random, i % 2 == 0 ? 2 : 300);  // far apart: times that need 64 bits
      const Rank node = below(random, nodes);
      const Run run = some_run(random, chunks, 30);
      for (Chunk c = run.first; c < end(run); ++c) {
        if (table.put(node, c, now + 1, now)) plain[node][c] = now + 1;
      }
    }
    table.each([&](Rank node, Run run, std::uint64_t time) {
      for (Chunk c = run.first; c < end(run); ++c) listed[node][c] += time;
    });
    REQUIRE(listed == plain);
  }
}

TEST_CASE("positions in columns of an alltoall are listed by runs of chunks") {
  std::mt19937 random(6);
  for (int i = 0; i < 200; ++i) {
    Problem problem;
    problem.collective = Collective::alltoall;
    problem.ranks = 1 + below(random, 9);
    problem.chunks = 1 + below(random, 5);
    const AlltoallColumns columns(problem);
    const auto chunks = static_cast<std::uint32_t>(problem.total_chunks());
    const Run positions = some_run(random, chunks, chunks);
    const Rank node = below(random, problem.ranks);
    std::uint64_t next = positions.first;
    bool same = true;
    columns.each_run(node, positions, [&](Run run) {
      same &= run.count > 0;
      for (Chunk c = run.first; c < end(run); ++c) same &= columns.position(node, c) == next++;
    });
    REQUIRE(same);
    REQUIRE(next == end(positions));
  }
}
