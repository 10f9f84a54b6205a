// Groups of rows that a few bytes stand for: a step in which so many transfers repeat others that
// no schedule can have it is refused before there are any, and no step that a schedule can have is.

#include "catch.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <random>
#include <set>
#include <span>
#include <string>

#include <fmt/core.h>

#include "binary_files.hpp"
#include "format/binary/group_reader.hpp"
#include "format/binary/layout.hpp"
#include "formats.hpp"

using namespace schedcc;

namespace {

/// A file of one step with these groups, and what is wrong with it.
std::string message_of_step(const std::string& sizes, const std::string& groups,
                            std::uint64_t transfers) {
  using namespace binary_files;
  const std::string header = "schedcc 1\ncollective broadcast\n" + sizes;
  return formats::error(head() + block(0, 1, header) +
                            block(1, 4, std::string("\0\0\1", 3) + groups) +
                            end_block(2, 1, transfers),
                        "binary")
      .message;
}

const std::string one_transfer = binary_files::group(1, 0, 0, {0, 1, 0, 1});

/// All transfers of one chunk among P ranks in one step, which is all that can differ.
Source all_to_all(Rank P) {
  auto schedule = std::make_shared<Schedule>();
  schedule->begin_step(0);
  for (Rank src = 0; src < P; ++src) {
    for (Rank dst = 0; dst < P; ++dst) {
      if (src != dst) schedule->add(copy(src, dst, 0, 1));
    }
  }
  Problem problem;
  problem.ranks = P;
  return from_schedule(problem, schedule);
}

}  // namespace

TEST_CASE("no more rows of a group differ than are counted before they are made") {
  using binary_files::group;
  std::mt19937 random(7);
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  std::uint64_t repeated = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    const unsigned bits = 25 + below(7);
    const auto difference = [&] { return below(3) == 0 ? below(128) << bits : 0; };
    const binary::Row base{difference(), difference(), difference(), below(2)};
    const std::uint32_t before = 1 + below(6), distance = below(before + 1), rows = 1 + below(300);
    std::string bytes;
    for (std::uint32_t i = 0; i < before; ++i)
      bytes += group(1, 0, 0, {below(9), below(9), below(9), 1});
    bytes += group(rows, distance, 0, base);
    binary::ByteReader in(bytes, 0, "test");
    binary::GroupReader reader(1000);
    std::uint64_t counted = 0;
    std::set<std::array<std::uint32_t, 3>> found;
    while (!in.empty()) {
      in.fixed<std::uint8_t>("an item");
      found.clear();
      reader.read(
          in, false,
          [&](std::uint64_t n, std::uint64_t distinct) {
            CHECK(distinct <= n);
            counted = distinct;
          },
          [&](std::span<const Transfer> part) {
            for (const Transfer& t : part) found.insert({t.src, t.dst, t.first});
          });
    }
    if (found.size() > counted || (distance <= 1 && found.size() != counted))
      FAIL_CHECK("trial " << trial << ": " << found.size() << ", not " << counted);
    repeated += static_cast<std::uint64_t>(counted < rows);
  }
  CHECK(repeated > 1000);
}

TEST_CASE("steps of transfers that repeat others are refused before they are made") {
  using binary_files::group;
  const auto refused = [](std::uint64_t transfers, std::uint64_t most) {
    return fmt::format(
        "of the {} transfers of step 0 up to here at most {} can differ; a message "
        "has each chunk once",
        transfers, most);
  };
  const auto ends_with = [](const std::string& text, const std::string& end) {
    INFO(text);
    CHECK(text.ends_with(end));
  };
  const std::string few = "ranks 4\nroot 0\nchunks 4\n",
                    many = "ranks 9\nroot 0\nchunks 2000000000\n";
  for (const std::uint32_t rows : {std::uint32_t{1} << 20, 60000000U, UINT32_MAX - 1}) {
    for (const std::string& sizes : {few, many}) {
      // The same transfer; two in turn; other numbers of chunks from the same one on.
      ends_with(message_of_step(sizes, one_transfer + group(rows, 1, 0, {0, 0, 0, 0}), 0),
                refused(rows + 1ULL, 2));
      ends_with(
          message_of_step(sizes, one_transfer + one_transfer + group(rows, 2, 0, {0, 0, 0, 0}), 0),
          refused(rows + 2ULL, 4));
      ends_with(message_of_step(sizes, one_transfer + group(rows, 1, 0, {1U << 31, 0, 0, 0}), 0),
                refused(rows + 1ULL, 3));
      ends_with(message_of_step(sizes, one_transfer + group(rows, 1, 0, {0, 0, 0, 1}), 0),
                refused(rows + 1ULL, 2));
    }
    // 4 ranks send to 3 others, 4 chunks each.
    ends_with(message_of_step(few, one_transfer + group(rows, 1, 0, {0, 0, 1, 0}), 0),
              refused(rows + 1ULL, 48));
  }
  // Each of many groups is small.
  std::string groups = one_transfer;
  for (int i = 0; i < 17; ++i) groups += group(1 << 16, 1, 0, {0, 0, 0, 0});
  ends_with(message_of_step(few, groups, 0), refused((1 << 20) + 1, 17));
}

TEST_CASE("steps of as many transfers as can differ are read") {
  using binary_files::group;
  // Those that repeat others are left to the check `shape` in steps of up to 2^20.
  CHECK(message_of_step("ranks 4\nroot 0\nchunks 4\n",
                        one_transfer + group((1 << 20) - 1, 1, 0, {0, 0, 0, 0}),
                        1 << 20) == "no error");
  CHECK(message_of_step("ranks 2\nroot 0\nchunks 3000000\n",
                        one_transfer + group(2999999, 1, 0, {0, 0, 1, 0}), 3000000) == "no error");
  const Source source = all_to_all(1030);  // 1059870 transfers, above 2^20
  const Source back = formats::read(formats::written(source, "binary"), "binary");
  const auto stream = back.open();
  Step step;
  REQUIRE(stream->next(step));
  CHECK(step.transfers.size() == 1030 * 1029);
  CHECK_FALSE(stream->next(step));
}
