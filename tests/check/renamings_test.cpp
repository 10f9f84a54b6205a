// The renamings of symmetric schedules.

#include "catch.hpp"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "check/symmetry/symmetry.hpp"
#include "rows.hpp"

using namespace schedcc;

using Group = Symmetry::Group;

TEST_CASE("renamings are a group, of which one takes rank 0 to each rank") {
  const auto require_group = [](const Symmetry& symmetry) {
    for (Rank a = 0; a < symmetry.ranks(); ++a) {
      REQUIRE(symmetry.rename(a, Rank{0}) == a);
      REQUIRE(symmetry.rename(symmetry.inverse(a), a) == 0);
      for (Rank b = 0; b < symmetry.ranks(); ++b) {
        const Rank both = symmetry.rename(a, b);  // where it takes rank 0
        for (Rank x = 0; x < symmetry.ranks(); ++x)
          REQUIRE(symmetry.rename(a, symmetry.rename(b, x)) == symmetry.rename(both, x));
      }
    }
  };
  for (const Group group : {Group::rotations, Group::exclusive_ors, Group::reflections}) {
    for (const Rank ranks : {2u, 4u, 6u, 8u, 10u, 16u}) {
      if (group == Group::exclusive_ors && !std::has_single_bit(ranks)) continue;
      require_group(Symmetry(group, ranks, 0, 1));
    }
  }
  for (const auto& [rows, columns] : {std::pair<Rank, Rank>{1, 5}, {5, 1}, {3, 4}, {4, 3}})
    require_group(Symmetry(Group::translations, rows * columns, 0, 1, columns));
}

TEST_CASE("translations are those of rows and columns") {
  for (const auto& [rows, columns] : {std::pair<Rank, Rank>{1, 5}, {5, 1}, {3, 4}, {4, 3}}) {
    const Symmetry symmetry(Group::translations, rows * columns, 1, 1, columns);
    for (Rank by = 0; by < rows * columns; ++by) {
      for (Rank rank = 0; rank < rows * columns; ++rank) {
        const Rank row = (rank / columns + by / columns) % rows,
                   column = (rank % columns + by % columns) % columns;
        REQUIRE(symmetry.rename(by, rank) == row * columns + column);
        REQUIRE(symmetry.rename(symmetry.inverse(by), symmetry.rename(by, rank)) == rank);
      }
    }
  }
}

TEST_CASE("renamings of runs are those of their chunks") {
  for (const Group group :
       {Group::rotations, Group::exclusive_ors, Group::reflections, Group::translations}) {
    for (const unsigned coordinates : {0U, 1U, 2U}) {
      if (group == Group::translations && coordinates == 2) continue;
      const Symmetry symmetry(group, 4, coordinates, 3, 2);
      for (std::uint32_t first = 0; first < symmetry.chunks(); ++first) {
        for (std::uint32_t count = 1; first + count <= symmetry.chunks(); ++count) {
          if (!symmetry.keeps({first, count})) continue;
          for (Rank by = 0; by < 4; ++by) {
            const Run run = symmetry.rename(by, Run{first, count});
            std::vector<Chunk> chunks;
            for (std::uint32_t i = 0; i < count; ++i)
              chunks.push_back(symmetry.rename(by, Run{first + i, 1}).first);
            std::ranges::sort(chunks);
            REQUIRE(chunks.front() == run.first);
            REQUIRE(chunks.back() == end(run) - 1);
            REQUIRE(std::ranges::adjacent_find(chunks) == chunks.end());
            REQUIRE(symmetry.rename(symmetry.inverse(by), run) == Run{first, count});
          }
        }
      }
    }
  }
}
