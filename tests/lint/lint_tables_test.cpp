// Tables by which libraries choose: their formats, sets of intervals, and tables of random bytes.

#include <random>
#include <string>
#include <vector>

#include "catch.hpp"
#include "tuning_tables.hpp"

using namespace schedcc;
using namespace tuning_tables;

TEST_CASE("a comma may follow the last item of Open MPI's JSON") {
  const auto places_of = [](const std::string& rules) {
    return places(read_ompi_json(R"({"collectives":{"allreduce":[)" + rules + "]}}", "table"));
  };
  const std::string rule = R"({"a,]":1,"rules":[{"alg":4 } ] } )";
  std::string commas = rule;
  for (char& c : commas) {
    if (c == ' ') c = ',';
  }
  CHECK(places_of(rule) == std::vector<std::string>{"syntax 1:31"});
  CHECK(places_of(commas) == places_of(rule));
  for (const char* text : {",", R"({"rules":[,]})", R"({"rules":[]},,)", R"({,"rules":[]})",
                           R"({"rules":,[]})", R"({"rules",:[]})"}) {
    INFO(text);
    CHECK_THROWS_AS(places_of(text), InputError);
  }
}

TEST_CASE("tables are recognised by their content") {
  CHECK(tuning_format("# x\n2 # y\n") == TuningFormat::ompi_rules);
  CHECK(tuning_format("rule-file-version-2\n2\n") == TuningFormat::ompi_rules);
  CHECK(tuning_format("# x\nallreduce,0,1,ring,ll,1,-1,-1\n") == TuningFormat::nccl_tuner);
  CHECK(tuning_format(" {\"module\": \"tuned\", \"collectives\": {}}") == TuningFormat::ompi_json);
  for (const char* text : {"", "\n", "# x", "schedcc 1\n", "{}", "hello", "<algo/>"})
    CHECK_FALSE(tuning_format(text));
}

TEST_CASE("comments, short rules and long heads do not hide the format") {
  CHECK(tuning_format("2 # a, b, c, d, e\n") == TuningFormat::ompi_rules);
  CHECK(tuning_format("allreduce,0,100\n") == TuningFormat::nccl_tuner);
  CHECK(tuning_format("broadcast , 0\n") == TuningFormat::nccl_tuner);
  CHECK_FALSE(tuning_format("all,0,100\n"));
  CHECK_FALSE(tuning_format("allreduce is a collective\n"));
  const std::string head = R"({"rule_file_version": 3,)" + std::string(10000, ' ');
  CHECK(tuning_format(head + R"("collectives": {}})") == TuningFormat::ompi_json);
}

TEST_CASE("sets of intervals are those of a naive count") {
  std::mt19937 random(13);
  for (int round = 0; round < 300; ++round) {
    IntervalSet set;
    std::vector<bool> in(40);
    for (int i = 0; i < 8; ++i) {
      const std::uint64_t first = random() % 36, last = first + random() % 4;
      set.add({first, last});
      for (std::uint64_t n = first; n <= last; ++n) in[n] = true;
      const std::uint64_t from = random() % 40, to = from + random() % (40 - from);
      std::vector<bool> gaps(40);
      for (const Interval& gap : set.gaps({from, to})) {
        for (std::uint64_t n = gap.first; n <= gap.last; ++n) gaps[n] = true;
      }
      for (std::uint64_t n = 0; n < 40; ++n) {
        CHECK(gaps[n] == (from <= n && n <= to && !in[n]));
      }
    }
  }
  IntervalSet open;
  open.add({5, UINT64_MAX});
  open.add({0, 3});
  CHECK(open.first_gap({}) == Interval{4, 4});
  open.add({4, 9});
  CHECK(open.covers({}));
}

TEST_CASE("ranges are stated in singular and plural") {
  CHECK(sizes_text({1, 1}) == "1 byte");
  CHECK(sizes_text({1, UINT64_MAX}) == "1 byte or more");
  CHECK(sizes_text({0, 1}) == "0..1 bytes");
  CHECK(sizes_text({}) == "all sizes");
  CHECK(ranks_text({1, 1}) == "1 rank");
  CHECK(ranks_text({2, UINT64_MAX}) == "2 ranks or more");
  CHECK(calls_text("bcast", {}, {}) == "bcast");
  CHECK(calls_text("bcast", {2, 4}, {1, 1}) == "bcast of 1 byte on 2..4 ranks");
}

TEST_CASE("tables of random bytes and mutants are read to their end") {
  std::mt19937 random(3);
  const std::string seeds[] = {
      "2 # c\n2 2\n4 2\n0 3 0 0\n81 4 0 0\n8 1\n0 6 0 0x10\n7 1 4 1 0 6 0 0\n",
      "allreduce,0,99,tree,ll,2,-1,8,1\nallgather,1,7,pat,simple,2,1,-1\n"};
  for (int round = 0; round < 2000; ++round) {
    std::string text = seeds[round % 2];
    for (int i = 0; i < 4; ++i) text[random() % text.size()] = static_cast<char>(random());
    if (round % 5 == 0) text.resize(random() % text.size());
    for (const TuningFormat format : {TuningFormat::ompi_rules, TuningFormat::nccl_tuner}) {
      const TuningTable table = linted(text, format);
      for (const LintFinding& f : table.findings) REQUIRE(f.location.line >= 1);
      for (const TuningRule& rule : table.rules) REQUIRE(rule.line >= 1);
    }
  }
}
