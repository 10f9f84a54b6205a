// The time of a schedule for all sizes of chunks, against a timing for each of them.

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "catch.hpp"
#include "cost/measurement.hpp"
#include "cost/time_profile.hpp"
#include "costs.hpp"
#include "random_plans.hpp"

using namespace costs;
using agreement::Random;

TEST_CASE("a profile is the sum of the largest lines of each step") {
  Random random(5);
  for (int repeat = 0; repeat < 200; ++repeat) {
    TimeProfile profile;
    std::vector<std::vector<LinkTime>> steps(1 + random.below(4));
    for (std::vector<LinkTime>& step : steps) {
      for (std::uint32_t i = 0; i <= random.below(6); ++i)
        step.push_back({double(random.below(8)), double(random.below(8))});
      if (step.empty()) step.push_back({1, 1});
      profile.add(step);
    }
    for (const double x : {0.0, 0.2, 0.5, 1.0, 1.7, 3.0, 7.0, 100.0}) {
      double expected = 0;
      for (const std::vector<LinkTime>& step : steps) {
        double longest = 0;
        for (const auto& [alpha, beta] : step) longest = std::max(longest, alpha + beta * x);
        expected += longest;
      }
      CHECK(close(profile.at(x), expected));
    }
  }
}

TEST_CASE("schedules take what their profiles say") {
  const CostModel model = make_cost_model("levels:0=1us@10GB/s,1=3us@2GB/s");
  for (const char* machine_text :
       {"cluster:4x3,nics=1,shared", "cluster:2x6,nics=2", "crossbar:a=3,b=4,in=4,out=4"}) {
    const Machine machine = make_machine(machine_text, 12);
    for (const char* text : {"ring", "circulant-skips", "bucket", "levels(4, ring, ring)"}) {
      Problem problem;
      problem.collective = Collective::allreduce;
      problem.ranks = 12;
      problem.chunks = 12;
      const Source source = from_algorithm(text, problem, machine_text);
      Measurement measured(machine, model);
      measured.read(source, machine, model, nullptr, [](const Measurement&) { return false; }, {});
      REQUIRE(measured.complete());
      for (const std::uint64_t chunk : {0u, 1u, 100u, 5000u, 1000000u}) {
        INFO(text << " on " << machine_text << ", chunks of " << chunk);
        const double seconds = cost(source, machine, model, {12 * chunk}).seconds;
        CHECK(close(measured.at(static_cast<double>(chunk)), seconds));
      }
    }
  }
}

namespace {

/// The schedule without its first rows.
Source after(const Source& source, std::uint64_t rows) {
  Source rest = source;
  rest.open = [source, rows] {
    auto stream = source.open();
    Step step;
    for (std::uint64_t i = 0; i < rows; ++i) stream->next(step);
    return stream;
  };
  return rest;
}

}  // namespace

TEST_CASE("schedules of linear models take the same, read step by step, with a pause after each") {
  for (const char* model_text : {"alpha-beta:alpha=3us,beta=1ns/B", "bsp:l=2us,g=0.5ns/B,h=2",
                                 "bsp:l=1us,g=0.25ns/B,h=16"}) {
    const CostModel model = make_cost_model(model_text);
    for (const char* text : {"ring", "circulant", "binomial-allreduce", "all-pairs"}) {
      for (const std::uint32_t P : {2u, 5u, 8u, 13u}) {
        Problem problem;
        problem.collective = Collective::allreduce;
        problem.ranks = P;
        problem.chunks = 2 * P;
        const std::string ports = fmt::format("kport:k={}", P);
        const Source source = from_algorithm(text, problem, ports.c_str());
        const Machine machine = make_machine(ports, P);
        Measurement measured(machine, model);
        std::uint64_t pauses = 0;
        for (; !measured.complete(); ++pauses) {
          measured.read(after(source, measured.rows()), machine, model, nullptr,
                        [](const Measurement&) { return true; }, {});
        }
        CHECK(pauses > 1);
        for (const std::uint64_t chunk : {0u, 1u, 100u, 1000000u}) {
          INFO(text << ", P " << P << ", " << model_text << ", chunks of " << chunk);
          const double seconds = cost(source, machine, model, {2 * P * chunk}).seconds;
          CHECK(close(measured.at(static_cast<double>(chunk)), seconds));
        }
      }
    }
  }
}
