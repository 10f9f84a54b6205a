// Calibration without a machine: samples made from known figures, with noise and outliers; and the
// machine file, timed by the model `machine`.

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "catch.hpp"
#include "cost/calibration.hpp"
#include "costs.hpp"
#include "random_plans.hpp"
#include "topologies.hpp"

using namespace costs;
using agreement::Random;

namespace {

struct Truth {
  double L, send, receive, G, shared;
};

class Machinery {
 public:
  explicit Machinery(std::uint64_t seed) : random_(seed) {}

  /// 15 values within a thousandth, of which two are far above.
  std::vector<double> samples(double seconds) {
    std::vector<double> result;
    for (int i = 0; i < 15; ++i)
      result.push_back(seconds * (1 + 1e-6 * (static_cast<double>(random_.below(2001)) - 1000)));
    for (int i = 0; i < 2; ++i) result[random_.below(15)] *= 3 + random_.below(10);
    return result;
  }

  LevelSamples level(const Truth& t, bool late) {
    LevelSamples result;
    const auto sizes = [&](const auto& all) {
      for (const std::uint64_t bytes : all)
        result.one_way.push_back(
            {bytes, samples(t.send + t.L + t.receive + t.G * static_cast<double>(bytes))});
    };
    sizes(small_sizes);
    sizes(middle_sizes);
    sizes(large_sizes);
    result.send = samples(t.send);
    result.receive = samples(t.receive + (late ? t.L : 0));  // late: moved when it is received
    result.posted_receive = samples(t.receive);
    result.gap = samples(std::max(t.send, t.receive));
    for (const std::uint64_t bytes : large_sizes)
      result.simultaneous.push_back({bytes, samples(9e-6 + t.shared * static_cast<double>(bytes))});
    return result;
  }

 private:
  Random random_;
};

bool near(double a, double b, double tolerance = 0.01) { return std::abs(a - b) <= tolerance * b; }

/// A single message from 0 to `to`, or all ranks of the first node to those of the next one.
double seconds(const Machine& machine, Rank ranks,
               const std::vector<std::pair<Rank, Rank>>& messages, std::uint64_t bytes) {
  auto schedule = std::make_shared<Schedule>();
  schedule->begin_step(0);
  for (const auto& [src, dst] : messages) schedule->add({src, dst, 0, 1, 0});
  return cost(from_schedule({.ranks = ranks}, schedule), machine, make_cost_model("machine"),
              {bytes})
      .seconds;
}

}  // namespace

TEST_CASE("a level's figures are found among noise and outliers") {
  Machinery machinery(1);
  for (const Truth& t :
       {Truth{1e-6, 0.5e-6, 0.4e-6, 0.08e-9, 0.64e-9},
        Truth{0.4e-6, 0.1e-6, 0.2e-6, 0.02e-9, 0.02e-9}, Truth{20e-6, 2e-6, 5e-6, 1e-9, 4e-9}}) {
    for (const bool late : {false, true}) {
      const LevelFit own = fit(machinery.level(t, late));
      CHECK(near(own.send.value, t.send));
      CHECK(near(own.receive.value, t.receive));
      CHECK(near(own.latency.value, t.L));
      CHECK(near(own.per_byte.value, t.G));
      CHECK(near(own.shared_per_byte.value, t.shared));
      CHECK(own.outliers >= 20);
      CHECK(own.max_error < 0.01);
      for (const Estimate& e : {own.send, own.receive, own.latency, own.gap, own.per_byte}) {
        CHECK(e.low <= e.value);
        CHECK(e.value <= e.high);
        CHECK(e.high - e.low < 0.02 * e.value);
      }
    }
  }
}

TEST_CASE("times that do not grow are an error") {
  Machinery machinery(2);
  LevelSamples flat = machinery.level({1e-6, 0, 0, 1e-9, 1e-9}, false);
  for (TimedSize& size : flat.one_way) size.seconds.assign(5, 1e-6);
  CHECK_THROWS_AS(fit(flat), InputError);
}

TEST_CASE("the machine file has the times of the calibration") {
  Machinery machinery(3);
  const Truth inside{0.3e-6, 0.2e-6, 0.1e-6, 0.02e-9, 0.03e-9},
      outside{2e-6, 0.2e-6, 0.1e-6, 0.08e-9, 0.32e-9};
  for (const auto& [nodes, m] : {std::pair(1u, 4u), std::pair(5u, 1u), std::pair(3u, 4u)}) {
    Calibration own{{nodes, m}, {}, 2, "a test"};
    if (m > 1) own.levels.push_back(fit(machinery.level(inside, false)));
    if (nodes > 1) own.levels.push_back(fit(machinery.level(outside, false)));
    const Rank P = nodes * m;
    const std::string path =
        topologies::folder().file(fmt::format("calibrated-{}.json", P), machine_file(own));
    const Machine machine = make_machine("topology:" + path, P);
    CHECK(machine.ports()->send == 2);
    CHECK((machine.levels() != nullptr) == (nodes > 1 && m > 1));
    for (const std::uint64_t bytes : {0u, 1000000u}) {
      const auto b = static_cast<double>(bytes);
      if (m > 1) {
        CHECK(near(seconds(machine, P, {{0, m - 1}}, bytes), 0.6e-6 + 0.02e-9 * b));
        CHECK(near(seconds(machine, P, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}, bytes),
                   0.6e-6 + 0.03e-9 * b));
      }
      if (nodes > 1) CHECK(near(seconds(machine, P, {{0, P - 1}}, bytes), 2.3e-6 + 0.08e-9 * b));
      if (nodes > 1 && m > 1)
        CHECK(near(seconds(machine, P, {{0, 4}, {1, 5}, {2, 6}, {3, 7}}, bytes),
                   2.3e-6 + 0.32e-9 * b));
    }
    CHECK(to_text(own).find("samples left out") != std::string::npos);
  }
}
