// Steps taken in parts, against the same steps as a whole.

#include "analysis/written_steps.hpp"

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

#include "analysis/canonical.hpp"
#include "catch.hpp"

using namespace schedcc;

namespace {

/// The seeds of some rows, of which some are empty.
Steps some_seeds(std::mt19937& dice, Rank ranks, Chunk block) {
  auto seeds = std::make_shared<Schedule>();
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(dice() % n); };
  for (std::uint64_t row = 0; row < 4; ++row) {
    seeds->begin_step(2 * row);
    for (std::uint32_t count = below(3) == 0 ? 0 : below(20); count > 0; --count) {
      Transfer t = copy(below(ranks), below(ranks), below(block), 1 + below(3));
      t.reduce = below(4) == 0;
      seeds->add(t);
    }
  }
  return as_steps(seeds);
}

bool alike(const WrittenMessage& a, const WrittenMessage& b) {
  return a.src == b.src && a.dst == b.dst && a.reduce == b.reduce &&
         std::ranges::equal(a.runs, b.runs, [](const Run& r, const Run& s) {
           return r.first == s.first && r.count == s.count;
         });
}

/// Compares the parts of all steps with the steps of the source.
void compare(const Source& source, std::size_t at_once, std::size_t most) {
  WrittenSteps written(source, at_once);
  CanonicalMessages messages;
  const auto stream = source.open();
  Step step;
  for (Step whole; stream->next(whole);) {
    if (whole.transfers.empty()) continue;
    REQUIRE(written.next(step));
    CHECK(step.number == whole.number);
    CHECK(!step.transfers.empty());
    std::vector<WrittenMessage> found;
    std::size_t transfers = 0;
    written.each_part([&](const Step& part) {
      CHECK(part.number == whole.number);
      CHECK(part.transfers.size() <= most);
      transfers += part.transfers.size();
      messages(part, [&](const WrittenMessage& m) { found.push_back(m); });
    });
    CHECK(transfers == whole.transfers.size());
    CHECK(std::ranges::equal(found, canonical(whole), alike));
  }
  CHECK(!written.next(step));
}

}  // namespace

TEST_CASE("the messages of a step's parts are those of the step, in their order") {
  std::mt19937 dice(1);
  for (Rank round = 0; round < 400; ++round) {
    const Rank ranks = 1 + round % 13;
    const Chunk block = 1 + dice() % 4;
    const Steps steps = Steps::rotations(some_seeds(dice, ranks, block), ranks, block);
    Source source;
    source.open = [steps] { return stream(steps); };
    for (const std::size_t at_once : {1, 7, 40, 1000}) {
      const std::size_t seeds = 19;
      compare(source, at_once, std::max(at_once, seeds));
    }
  }
}

TEST_CASE("a step that is not made by rotations is one part") {
  std::mt19937 dice(2);
  for (int round = 0; round < 50; ++round) {
    const Steps steps = some_seeds(dice, 10, 3);
    Source source;
    source.open = [steps] { return stream(steps); };
    compare(source, 1, UINT32_MAX);
  }
}
