// Stages over blocks: their order, for any number of threads, and how exceptions end them.

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <vector>

#include "catch.hpp"
#include "check/pipeline.hpp"

using namespace schedcc;

namespace {

/// Blocks that hold their own numbers.
struct NumberBlocks {
  NumberBlocks(std::size_t slots, std::uint64_t count) : values(slots), left(count) {}

  Pipeline::Fill fill(std::uint64_t weight = 1) {
    return [this, weight](Pipeline::Slot slot) -> std::uint64_t {
      if (left == 0) return 0;
      --left;
      values.at(slot) = next++;
      ++present;
      most = std::max(most, present.load());
      return weight;
    };
  }

  std::vector<std::uint64_t> values;
  std::uint64_t left, next = 0, most = 0;
  std::atomic<std::uint64_t> present = 0;  ///< blocks
};

void nothing() {}

}  // namespace

TEST_CASE("every stage visits every block in order, after those on which it depends") {
  constexpr std::uint64_t count = 500;
  for (const std::size_t threads : {1, 2, 3, 8}) {
    for (const std::size_t slots : {2, 3, 16}) {
      NumberBlocks numbers(slots, count);
      Pipeline pipeline(numbers.fill(), slots, 1000);
      std::vector<std::uint64_t> seen(5);  // by stage: blocks
      std::vector<std::atomic<std::uint64_t>> done(5);
      std::atomic<bool> right = true;
      const auto stage = [&](std::size_t s, std::vector<std::size_t> after) {
        return pipeline.add(
            [&, s, after](Pipeline::Slot slot) {
              right = right && numbers.values[slot] == seen[s]++;
              for (const std::size_t other : after) right = right && done[other] >= seen[s];
              ++done[s];
            },
            after);
      };
      CHECK(stage(1, {}) == 1);
      CHECK(stage(2, {1}) == 2);
      CHECK(stage(3, {}) == 3);
      CHECK(stage(4, {2, 3}) == 4);
      pipeline.run(threads, nothing);
      CHECK(right);
      for (std::size_t s = 1; s < 5; ++s) CHECK(seen[s] == count);
    }
  }
}

TEST_CASE("stages run at the same time") {
  std::mutex mutex;
  std::condition_variable changed;
  int waiting = 0;
  const auto meet = [&](Pipeline::Slot) {  // returns when both stages are here
    std::unique_lock lock(mutex);
    const int round = waiting++ / 2;
    changed.notify_all();
    changed.wait(lock, [&] { return waiting >= 2 * (round + 1); });
  };
  NumberBlocks numbers(4, 10);
  Pipeline pipeline(numbers.fill(), 4, 1000);
  pipeline.add(meet);
  pipeline.add(meet);
  pipeline.run(2, nothing);
  CHECK(waiting == 20);
}

TEST_CASE("heavy blocks are few at a time") {
  for (const std::size_t threads : {1, 2, 4}) {
    NumberBlocks numbers(16, 100);
    Pipeline pipeline(numbers.fill(50), 16, 120);
    pipeline.add([](Pipeline::Slot) {});
    pipeline.add([&](Pipeline::Slot) { --numbers.present; }, {1});
    pipeline.run(threads, nothing);
    CHECK(numbers.present == 0);
    CHECK(numbers.most <= 4);  // three weigh more than 120; one more may not have been given back
    NumberBlocks huge(16, 100);
    Pipeline few(huge.fill(1000), 16, 120);
    few.add([&](Pipeline::Slot) { --huge.present; });
    few.run(threads, nothing);
    CHECK(huge.most <= 3);
  }
}

TEST_CASE("an exception of any function ends the run") {
  struct Fault {};
  for (const std::size_t threads : {1, 2, 4}) {
    for (const int at : {0, 1, 2, 3}) {
      NumberBlocks numbers(4, 1000000);
      const auto fill = numbers.fill();
      Pipeline pipeline(
          [&](Pipeline::Slot slot) {
            if (at == 0 && numbers.next == 30) throw Fault();
            return fill(slot);
          },
          4, 1000);
      int visits = 0, calls = 0;
      pipeline.add([&](Pipeline::Slot) {
        if (at == 1 && ++visits == 30) throw Fault();
      });
      pipeline.add([&](Pipeline::Slot) {
        if (at == 2 && ++visits == 30) throw Fault();
      });
      const auto between = [&] {
        if (at == 3 && ++calls == 5) throw Fault();
      };
      CHECK_THROWS_AS(pipeline.run(threads, between), Fault);
      CHECK(numbers.left > 0);
    }
  }
}

TEST_CASE("there may be no blocks") {
  NumberBlocks numbers(2, 0);
  Pipeline pipeline(numbers.fill(), 2, 10);
  int visits = 0;
  pipeline.add([&](Pipeline::Slot) { ++visits; });
  pipeline.run(2, nothing);
  CHECK(visits == 0);
}
