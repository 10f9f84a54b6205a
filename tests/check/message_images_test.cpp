// Messages that are rotations of one another as sets of chunks: whether that is seen, against a
// comparison chunk by chunk, and the reports of schedules as files have them.

#include "check/symmetry/message_images.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <tuple>

#include "analysis/canonical.hpp"
#include "catch.hpp"
#include "symmetric_rows.hpp"

using namespace symmetric;
using ranges::part;

namespace {

/// A chunk of a message: src, dst, reduce, and its number.
using Item = std::tuple<Rank, Rank, std::uint32_t, Chunk>;

std::multiset<Item> items_of(const Transfers& transfers) {
  std::multiset<Item> result;
  for (const Transfer& t : transfers) {
    for (std::uint32_t i = 0; i < t.count; ++i) result.emplace(t.src, t.dst, t.reduce, t.first + i);
  }
  return result;
}

std::multiset<Item> renamed(const Symmetry& symmetry, Rank by, const std::multiset<Item>& items) {
  std::multiset<Item> result;
  for (const auto& [src, dst, reduce, chunk] : items)
    result.emplace(symmetry.rename(by, src), symmetry.rename(by, dst), reduce,
                   symmetry.rename(by, Run{chunk, 1}).first);
  return result;
}

bool is_symmetric(const Symmetry& symmetry, const Transfers& step) {
  const auto items = items_of(step);
  return renamed(symmetry, 1, items) == items;
}

/// The runs of the chunks, in ascending order; `whole`: adjacent ones are joined, else some.
Transfers message(Rank src, Rank dst, const std::set<Chunk>& chunks, bool reduce, bool whole,
                  Random& random) {
  Transfers result;
  for (const Chunk c : chunks) {
    if (!result.empty() && result.back().first + result.back().count == c &&
        (whole || random.one_in(2))) {
      result.back().count = (result.back().count + 1) & max_transfer_count;
    } else {
      result.push_back({src, dst, c, 1, reduce});
    }
  }
  return result;
}

/// A symmetric step of random messages.
Transfers random_step(const Symmetry& symmetry, bool in_order, Random& random) {
  const Rank P = symmetry.ranks();
  const std::uint32_t orbits = 1 + random.below(3);
  const bool by_orbits = random.one_in(2);
  std::vector<std::vector<Transfers>> messages(orbits);
  for (auto& orbit : messages) {
    const Rank src = random.below(P), dst = random.below(P);
    const bool reduce = random.one_in(2);
    std::set<Chunk> chunks{random.below(symmetry.chunks())};
    const std::uint32_t rare = 1 + random.below(4);
    for (Chunk c = 0; c < symmetry.chunks(); ++c) {
      if (!random.one_in(rare)) chunks.insert(c);
    }
    for (Rank by = 0; by < P; ++by) {
      std::set<Chunk> images;
      for (const Chunk c : chunks) images.insert(symmetry.rename(by, Run{c, 1}).first);
      orbit.push_back(message(symmetry.rename(by, src), symmetry.rename(by, dst), images, reduce,
                              in_order, random));
      if (!in_order) {
        for (std::size_t i = 1; i < orbit.back().size(); ++i)
          std::swap(orbit.back()[i], orbit.back()[random.below(i + 1)]);
      }
    }
  }
  Transfers step;
  for (std::size_t i = 0; i < orbits * P; ++i) {
    const Transfers& next = by_orbits ? messages[i / P][i % P] : messages[i % orbits][i / orbits];
    step.insert(step.end(), next.begin(), next.end());
  }
  return step;
}

/// The rows in canonical form, as files have them.
Rows as_written(const Rows& rows) {
  Rows result;
  for (const Transfers& row : rows) {
    Step step;
    step.transfers = row;
    result.emplace_back();
    for (const WrittenMessage& m : canonical(step)) {
      for (const Run& run : m.runs)
        result.back().push_back(
            {m.src, m.dst, run.first, run.count & max_transfer_count, m.reduce});
    }
  }
  return result;
}

}  // namespace

TEST_CASE("messages that are rotations of one another are seen, and no others") {
  Random random(20);
  std::size_t seen = 0, changed_seen = 0, unlike = 0;
  for (int i = 0; i < part(2000, 20000); ++i) {
    const Symmetry symmetry(Symmetry::Group::rotations, 2 + random.below(6), random.below(3),
                            1 + random.below(3));
    Transfers step = random_step(symmetry, !random.one_in(3), random), seeds;
    REQUIRE(is_symmetric(symmetry, step));
    // Messages of two orbits with the same ends may come one after the other, as one message.
    const bool found = MessageImages(symmetry).read(step, seeds);
    seen += found;
    if (found) {
      std::multiset<Item> images;
      for (Rank by = 0; by < symmetry.ranks(); ++by)
        images.merge(renamed(symmetry, by, items_of(seeds)));
      CHECK(images == items_of(step));
      CHECK(std::ranges::all_of(seeds, [&](const Transfer& t) {
        return symmetry.keeps({t.first, t.count});
      }));
    }
    Transfer& t = step[random.below(static_cast<std::uint32_t>(step.size()))];
    switch (random.below(5)) {
      case 0:
        t.src = random.below(symmetry.ranks() + 1);
        break;
      case 1:
        t.dst = random.below(symmetry.ranks() + 1);
        break;
      case 2:
        t.first = random.below(static_cast<std::uint32_t>(symmetry.chunks()) + 1);
        break;
      case 3:
        t.count = random.below(4) & max_transfer_count;
        break;
      default:
        t.reduce ^= 1;
    }
    seeds.clear();
    const bool valid = std::ranges::all_of(step, [&](const Transfer& u) {
      return u.src < symmetry.ranks() && u.dst < symmetry.ranks() && u.count > 0 &&
             end(Run{u.first, u.count}) <= symmetry.chunks();
    });
    if (MessageImages(symmetry).read(step, seeds)) {
      ++changed_seen;
      CHECK(valid);
      CHECK(is_symmetric(symmetry, step));
    } else {
      unlike += valid && !is_symmetric(symmetry, step);
    }
  }
  CHECK(seen > static_cast<std::size_t>(part(1500, 15000)));
  CHECK(changed_seen > 10);
  CHECK(unlike > 500);
}

TEST_CASE("schedules as files have them are checked by symmetry, and report the same") {
  std::size_t cases = 0, by_symmetry = 0, violated = 0;
  Random random(21);
  for (const Rank ranks : {3, 4, 7, 12}) {
    for_some_cases(ranks, 2 * ranks, part(1, 3), [&](const Case& c) {
      const Source source = source_of_case(c);
      const auto symmetries = likely_symmetries(source, c.request.machine, {});
      if (symmetries.empty()) return;
      INFO(c.text());
      Rows rows = rows_of(source);
      const Source written = source_of_rows(source.problem, as_written(rows));
      same_by_symmetry(written, c.request.machine);
      by_symmetry += check_by_symmetry(written, c.request.machine, {}).has_value();
      ++cases;
      change_everywhere(rows, symmetries.front(), source.problem.reduction(), random);
      std::erase_if(rows, [](const Transfers& row) { return row.empty(); });
      violated += is_violated(
          same_by_symmetry(source_of_rows(source.problem, as_written(rows)), c.request.machine));
    });
  }
  CHECK(cases > 20);
  CHECK(by_symmetry > cases / 2);
  CHECK(violated > 10);
}

TEST_CASE("runs of several blocks are rotated, too") {
  using enum Collective;
  for (const Rank ranks : {2, 3, 6, 8, 300}) {
    INFO(ranks);
    CHECK(seen("bruck", allgather, ranks, 1));
    CHECK(seen("bruck", allgather, ranks, 3));
    CHECK(seen("bruck:radix=4", allgather, ranks, 2));
    CHECK(seen("bruck", reduce_scatter, ranks, 2));
  }
}

namespace {

bool is_read(const Symmetry& symmetry, const Transfers& step) {
  Transfers seeds;
  return MessageImages(symmetry).read(step, seeds);
}

}  // namespace

TEST_CASE("an empty run is not taken for a part of the one before it") {
  const Symmetry symmetry(Symmetry::Group::rotations, 2, 0, 10);
  const Transfers step{copy(0, 1, 5, 3), copy(1, 0, 5, 2), copy(1, 0, 7, 1)};
  CHECK(is_read(symmetry, step));
  for (const Chunk at : {5, 6, 8, 9})
    CHECK_FALSE(is_read(symmetry, {step[0], copy(0, 1, at, 0), step[1], step[2]}));
}

TEST_CASE("runs over many rings are not taken apart") {
  const Symmetry symmetry(Symmetry::Group::rotations, 5, 2, 1);
  for (const std::uint32_t rings : {1, 2, 3, 5}) {
    Transfers step;
    for (Rank by = 0; by < 5; ++by) {
      const std::uint32_t begin = 5 * by, end = begin + 5 * rings;
      const Rank to = (by + 1) % 5;
      if (end > 25) step.push_back(copy(by, to, 0, end - 25));
      step.push_back(copy(by, to, begin, std::min(end, 25U) - begin));
    }
    INFO(rings);
    CHECK(is_symmetric(symmetry, step));
    CHECK(is_read(symmetry, step) == (rings <= 2));
  }
}
