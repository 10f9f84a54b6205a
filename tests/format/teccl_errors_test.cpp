// TE-CCL's JSON: volumes become fractions with a common denominator, and contradictions are refused
// with the location.

#include <random>

#include <fmt/core.h>

#include "format/teccl/parts.hpp"
#include "formats.hpp"
#include "schedcc/check.hpp"

using namespace schedcc;
using namespace formats;

namespace {

/// Two GPUs and a switch, number 0; a chunk of GPU 1 goes to GPU 2 in thirds, over two paths.
const std::string thirds = R"J({"1-Epoch_Duration": 5e-07,
"2-Expected_Epoch_Duration": 5e-07,
"3-Epochs_Required": 3,
"4-Collective_Finish_Time": 1.5e-06,
"7-Flows": [
"Chunk 1 from 1 traveled over 1->2 with volume 0.333333 in epoch 0",
"Chunk 1 from 1 traveled over 1->2 with volume 0.666667 in epoch 1 via switches 0",
"Chunk 0 from 2 traveled over 2->1 with volume 1.0 in epoch 2"],
"8-Chunk paths": {
"Demand at 1 for chunk 0 from 2 met by epoch 2": [
[[2, "2->1 with volume 1.0 in epoch 2"]]],
"Demand at 2 for chunk 1 from 1 met by epoch 1": [
[[0, "1->2 with volume 0.333333 in epoch 0"]],
[[1, "1->2 with volume 0.666667 in epoch 1 via switches 0"]]]},
"Solver_Time": 0.5}
)J";

/// An allgather of two GPUs.
const std::string both = R"J({"1-Epoch_Duration": 2,
"3-Epochs_Required": 1,
"6-Demand_Met": {"GPU 0": {"GPU 1": {"Chunk 0": 2.0}},
"GPU 1": {"GPU 0": {"Chunk 0": 2.0}}},
"7-Flows": [
"Chunk 0 from 0 traveled over 0->1 in epoch 0",
"Chunk 0 from 1 traveled over 1->0 in epoch 0 via switches 3 -> 4"],
"8-Chunk paths": {
"Demand at 0 for chunk 0 from 1 met by epoch 0": [
"1->0 in epoch 0 via switches 3->4"],
"Demand at 1 for chunk 0 from 0 met by epoch 0": [
"0->1 in epoch 0"]}}
)J";

std::string both_in(const std::string& text, const std::string& from, const std::string& to) {
  return replaced(replaced(text, from, to), from, to);
}

}  // namespace

TEST_CASE("TE-CCL's volumes are read as fractions with a common denominator") {
  CHECK(written(read(thirds, "teccl"), "sched") ==
        "schedcc 1\ncollective alltoall\nranks 2\nchunks 3\nmachine kport:k=1\n"
        "step 0\n0 -> 1 : 3\nstep 1\n0 -> 1 : 4-5\nstep 2\n1 -> 0 : 6-8\n");
  const Source source = read(thirds, "teccl");
  REQUIRE(source.notes.size() == 1);
  CHECK(source.notes.front().message == "ranks 0-1 are the GPUs 1-2");
  CHECK(read(both, "teccl").notes.empty());
  CHECK(written(read(both, "teccl"), "sched") ==
        "schedcc 1\ncollective allgather\nranks 2\nchunks 1\nmachine kport:k=1\n"
        "step 0\n0 -> 1 : 0\n1 -> 0 : 1\n");

  using teccl::common_parts;
  using teccl::split;
  using teccl::Volumes;
  constexpr std::uint64_t one = 1'000'000'000'000;
  CHECK(common_parts({}) == 1);
  CHECK(common_parts({{one}}) == 1);
  CHECK(common_parts({{one / 3, one - one / 3}, {one / 4, 3 * (one / 4)}}) == 12);
  // Differences of rounded numbers.
  CHECK(common_parts({{99'999'000'000, 900'001'000'000}}) == 10);
  CHECK(split(Volumes{99'999'000'000, 900'001'000'000}, 10) == std::vector<std::uint32_t>{1, 9});
  // All denominators come back from six decimals, up to where two fractions are as near.
  for (std::uint64_t q = 1; q <= 400; ++q) {
    const auto decimals = [&](std::uint64_t n) { return (n * 1'000'000 + q / 2) / q * 1'000'000; };
    Volumes volumes;
    if (q > 1) volumes = {decimals(1), decimals(q - 1)};
    if (q == 1) volumes = {one};
    CHECK(common_parts({volumes}) == q);
  }
  // At the end of the tolerance, and beyond.
  CHECK(teccl::fit(Volumes{one - teccl::tolerance}, 1));
  CHECK(!teccl::fit(Volumes{one - teccl::tolerance - 1}, 1));
  // No small denominator: six decimals are one.
  Volumes odd{141'592'000'000, 858'408'000'000};
  std::vector<Volumes> several{odd};
  std::mt19937 random(3);
  for (int i = 0; i < 40; ++i) {
    const std::uint64_t volume = (1 + random() % 499'999) * 1'000'000;
    several.push_back({volume, one - volume});
  }
  CHECK(common_parts(several) == teccl::max_parts);
  CHECK(split(odd, teccl::max_parts) == std::vector<std::uint32_t>{141'592, 858'408});
}

TEST_CASE("what a file of TE-CCL says twice is checked at its location") {
  const auto changed = [](const std::string& text, const std::string& from, const std::string& to,
                          std::uint32_t line, std::uint32_t column, const std::string& message) {
    at("teccl", replaced(text, from, to), line, column, message);
  };
  changed(thirds, "Chunk 1", "chunk 1", 6, 2,
          "'Chunk ' is missing before 'chunk 1 from 1 trave...'");
  changed(thirds, "from 1 traveled over 1->2", "from 1 traveled over 1-2", 6, 32,
          "'->' is missing before '-2 with volume 0.333...'");
  changed(thirds, "in epoch 2\"]", "in epoch 2 \"]", 8, 62, "the end is missing before ' '");
  changed(thirds, "in epoch 2\"]", "in epoch \"]", 8, 61, "an epoch is missing at the end");
  changed(thirds, "in epoch 2\"]", "in epoch 4294967295\"]", 8, 61,
          "an epoch must be below 2^32 - 1, not 4294967295");
  changed(thirds, "volume 1.0", "volume 1.5", 8, 48, "a volume is above 0 and at most 1, not 1.5");
  changed(thirds, "volume 1.0", "volume 0", 8, 48, "a volume is above 0 and at most 1, not 0");
  changed(thirds, "volume 1.0", "volume 1e-999", 8, 48,
          "a volume is above 0 and at most 1, not 1e-999");
  changed(thirds, "volume 1.0", "volume nan", 8, 48, "a volume is missing before 'nan in epoch 2'");
  changed(thirds, "volume 1.0", "volume 1.0.0", 8, 48,
          "a volume is missing before '1.0.0 in epoch 2'");
  changed(thirds, "over 1->2", "over 1->1", 6, 31, "GPU 1 sends to itself");
  changed(thirds, "\"Chunk 0", "7, \"Chunk 0", 8, 1, "a flow must be a string, not a number");
  changed(thirds, "[[2, \"2", "[[1, \"2", 11, 6,
          "the hop states epoch 2, but it is listed under 1");
  changed(thirds, "[[0, \"1->2 with volume 0.333333 in epoch 0\"]]",
          "\"1->2 with volume 0.333333 in epoch 0\"", 14, 1,
          "a path among hops; the list must contain only hops");
  changed(thirds, "[[1, \"1->2 with volume 0.666667 in epoch 1 via switches 0\"]]",
          "\"1->2 with volume 0.666667 in epoch 1 via switches 0\"", 14, 1,
          "a hop among paths; the list must contain only paths");
  changed(thirds, "[[2, \"2->1 with volume 1.0 in epoch 2\"]]", "[]", 11, 1,
          "a path must have at least 1 item, not 0");
  changed(thirds, "[[2, \"2->1 with volume 1.0 in epoch 2\"]]", "[[[[2]]]]", 11, 3,
          "the epoch of a hop must be a number, not an array");
  changed(thirds, "epoch 2\": [", "epoch 3\": [", 10, 1,
          "the demand is met in epoch 3, but the last epoch is 2");
  changed(thirds, "epoch 1\": [", "epoch 0\": [", 14, 6,
          "the hop is in epoch 1, but the demand is met in epoch 0");
  changed(thirds, "1.5e-06", "1.5e-05", 4, 29, "3 epochs of 5e-07 s take 1.5e-06 s, not 1.5e-05 s");
  changed(thirds, "0.333333", "0.333334", 13, 6,
          "'7-Flows' does not have this hop, of chunk 1 from 1");
  changed(thirds, "\"7-Flows\": [",
          R"J("7-Flows": ["Chunk 1 from 1 traveled over 1->2 in epoch 0",)J", 5, 13,
          "no path of '8-Chunk paths' has this flow");
  changed(thirds, "\"8-Chunk paths\"", R"J("6-Flows": [], "8-Chunk paths")J", 9, 12,
          "duplicate '7-Flows'");
  changed(thirds, "\"7-Flows\"", "\"7-Flow\"", 5, 1,
          "a schedule of TE-CCL has no field '7-Flow'; did you mean '7-Flows'?");
  changed(thirds, "\"3-Epochs_Required\": 3,", "", 1, 1,
          "a schedule of TE-CCL needs the field '3-Epochs_Required'");
  changed(thirds, "\"2-Expected", R"J("1-Epoch_Duration": 1, "2-Expected)J", 2, 1,
          "duplicate field '1-Epoch_Duration'");
  changed(thirds, "at 1 for chunk 0 from 2", "at 2 for chunk 0 from 2", 10, 1,
          "GPU 2 demands a chunk of its own");
  changed(thirds, "Required\": 3", "Required\": 3.5", 3, 22,
          "'3-Epochs_Required' must be a whole number of at least 0");
  changed(thirds, "Time\": 0.5", R"J(Time": "x")J", 15, 16,
          "a figure must be a number, not a string");
  at("teccl", both_in(thirds, "0.333333", "0.3"), 12, 1,
     "the paths carry 0.966667 of chunk 1 from 1 to 2, not all of it");
  at("teccl", both_in(thirds, "switches 0", "switches 2"), 14, 6,
     "node 2 is both a switch and a GPU");
  at("teccl", R"J({"1-Epoch_Duration": 1, "3-Epochs_Required": 1, "7-Flows": []})J", 1, 1,
     "a schedule of TE-CCL needs the field '8-Chunk paths': without it, nothing says which GPUs "
     "must get a chunk, and which nodes are switches");
  at("teccl",
     R"J({"1-Epoch_Duration": 1, "3-Epochs_Required": 1, "7-Flows": [], "8-Chunk paths": {}})J", 1,
     1, "the file has no demand");

  changed(both, "Chunk 0\": 2.0}},", "Chunk 0\": 3.0}},", 3, 38,
          "the demand is met at 3 s, and by epoch 0, which ends at 2 s");
  changed(both, R"J("GPU 1": {"Chunk)J", R"J("GPU 2": {"Chunk)J", 3, 38,
          "'8-Chunk paths' has no demand at 0 for chunk 0 from 2");
  changed(both, R"J(,
"GPU 1": {"GPU 0": {"Chunk 0": 2.0}})J",
          "", 3, 17, "'6-Demand_Met' has 1 demands, and '8-Chunk paths' has 2");
  changed(both, "\n\"GPU 1\"", "\n\"GPU 0\"", 4, 1, "duplicate 'GPU 0'");
  changed(
      both, "\"Demand at 0 for chunk 0 from 1 met by epoch 0\"",
      R"J("Demand at 1 for chunk 0 from 0 met by epoch 0": [], "Demand at 0 for chunk 0 from 1 met )J"
      "by epoch 0\"",
      11, 1, "duplicate demand at 1 for chunk 0 from 0");
}

TEST_CASE("demands of no other form make a custom collective") {
  // The broadcast of GPU 3, by GPU 5 to GPU 9.
  const std::string text = R"J({"1-Epoch_Duration": 1, "3-Epochs_Required": 3, "6-Flows": [
"Chunk 7 from 3 traveled over 3->5 in epoch 0", "Chunk 7 from 3 traveled over 5->9 in epoch 2"],
"7-chunk paths": {
"Demand at 5 for chunk 7 from 3 met by epoch 0": ["3->5 in epoch 0"],
"Demand at 9 for chunk 7 from 3 met by epoch 2": ["3->5 in epoch 0", "5->9 in epoch 2"]}})J";
  CHECK(written(read(text, "teccl"), "sched") ==
        "schedcc 1\ncollective custom\nranks 3\nchunks 1\nmachine kport:k=2\n"
        "pre 0 : 0\npost 1 : 0\npost 2 : 0\n"
        "step 0\n0 -> 1 : 0\nstep 2\n1 -> 2 : 0\n");
  const Source source = read(text, "teccl");
  CHECK(check(source, make_machine(source.machine, source.problem.ranks)).verdict() ==
        Verdict::holds);
  // A path with a gap, which the flows fill: a note.
  const Source gap = read(replaced(text, R"J(["3->5 in epoch 0", "5)J", "[\"5"), "teccl");
  REQUIRE(gap.notes.size() == 2);
  CHECK(gap.notes[1].message == "the hops of this path do not lead from GPU 3 to GPU 9");
  CHECK(gap.notes[1].line == 5);
  CHECK(gap.notes[1].column == 51);
  // Several GPUs want the chunk, and nothing says which part of it they share.
  at("teccl",
     R"J({"1-Epoch_Duration": 1, "3-Epochs_Required": 1, "7-Flows": [
"Chunk 0 from 0 traveled over 0->1 with volume 0.5 in epoch 0",
"Chunk 0 from 0 traveled over 0->2 in epoch 0"],
"8-Chunk paths": {
"Demand at 1 for chunk 0 from 0 met by epoch 0": [
[[0, "0->1 with volume 0.5 in epoch 0"]],
[[0, "0->1 with volume 0.5 in epoch 0"]]],
"Demand at 2 for chunk 0 from 0 met by epoch 0": [[[0, "0->2 in epoch 0"]]]}})J",
     5, 1, "chunk 0 from 0 is divided, and goes to several GPUs");
}
