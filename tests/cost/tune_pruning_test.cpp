// Tuning abandons schedules that take too long: its choices against all schedules, each timed to
// its end.

#include "catch.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "cost/packets.hpp"
#include "cost/settings.hpp"
#include "cost/validity.hpp"
#include "costs.hpp"
#include "ranges.hpp"
#include "schedcc/algorithm.hpp"

using namespace costs;

namespace {

struct Case {
  const char* machine;
  Rank ranks;
  const char* model;
};

constexpr const char* two_levels = "levels:0=1us@50GB/s,1=4us@10GB/s";
constexpr const char* alpha_beta_model = "alpha-beta:alpha=1us,beta=10GB/s";

constexpr Case cases[] = {{"cluster:4x3,nics=4", 12, two_levels},
                          {"cluster:4x2,nics=2,rails", 8, two_levels},
                          {"cluster:2x4,shared", 8, two_levels},
                          {"cluster:2x2x3,nics=2,oversubscription=2,shared", 12, two_levels},
                          {"cluster:4x2", 8, alpha_beta_model},
                          {"crossbar:a=4,b=2,in=2,out=2", 8, two_levels},
                          {"dgx-h100-1", 8, "machine"},
                          {"dgx-a100-1", 8, "machine"},
                          {"switch", 6, alpha_beta_model},
                          {"kport:k=2", 9, alpha_beta_model}};

TuneRequest request(Collective collective, const Case& c) {
  TuneRequest result;
  result.problem.collective = collective;
  result.problem.ranks = c.ranks;
  result.machine = c.machine;
  result.model = make_cost_model(c.model);
  for (const Algorithm* a : algorithms()) {
    if (a->serves(collective)) result.algorithms.push_back({std::string(a->name), {}});
  }
  return result;
}

/// The least time of the algorithm's schedules with any of its settings, and any of the numbers of
/// chunks that are tried for it, each evaluated by itself; HUGE_VAL: none holds.
double least_of_all(const TuneRequest& request, const Spec& spec, std::uint64_t bytes) {
  double least = HUGE_VAL;
  std::string why;
  SearchMemory memory;
  for (const Setting& setting : settings(request, named_algorithm(spec), spec, why, memory)) {
    const std::vector<std::uint64_t> tried = Packets(request, setting, memory).tried(bytes);
    std::uint64_t evaluated = 0;
    if (tried.empty()) {  // all numbers, by the claim
      if (const auto best = Packets(request, setting, memory).best(bytes, HUGE_VAL, 0, evaluated))
        least = std::min(least, best->seconds);
    }
    for (const std::uint64_t K : tried) {
      if (const auto found = Packets(request, setting, memory).with(K, bytes, HUGE_VAL))
        least = std::min(least, found->seconds);
    }
  }
  return least;
}

}  // namespace

TEST_CASE("each choice is the best of all settings and numbers of chunks that are tried") {
  // Not ascending, so that schedules are abandoned for one size and continued for the next.
  const std::vector<std::uint64_t> sizes{64 * 1024, 96, 30 * 1024 * 1024 + 1, 4096, 1 << 30};
  std::size_t compared = 0, turn = 0;
  for (const Case& c : cases) {
    for (const Collective collective :
         {Collective::broadcast, Collective::reduce, Collective::scatter, Collective::allgather,
          Collective::reduce_scatter, Collective::allreduce, Collective::alltoall}) {
      if (!ranges::whole() && ++turn % 3 != 0) continue;
      const TuneRequest all = request(collective, c);
      Tuner tuner(all), of_best(all);
      for (const std::uint64_t bytes : sizes) {
        std::map<std::string, double> found;
        for (const Choice& choice : tuner.choices(bytes)) {
          found[choice.spec.name] = choice.seconds;
          if (choice.tried.empty()) continue;  // its time follows from the claim
          Problem problem = all.problem;
          problem.chunks = choice.chunks;
          const Source source = from_algorithm(choice.spec.text(), problem, c.machine);
          INFO(choice.spec.text() << " on " << c.machine << ", " << bytes << " bytes");
          CHECK(close(cost(source, choice.machine, all.model, {bytes}).seconds, choice.seconds));
        }
        double best = HUGE_VAL;
        for (const Spec& spec : all.algorithms) {
          INFO(spec.name << " on " << c.machine << ", " << info(collective).name << " of " << bytes
                         << " bytes");
          const double least = least_of_all(all, spec, bytes);
          best = std::min(best, least);
          REQUIRE(found.contains(spec.name) == std::isfinite(least));
          if (!found.contains(spec.name)) continue;
          CHECK(close(found[spec.name], least));
          ++compared;
        }
        REQUIRE(of_best.best(bytes));
        CHECK(close(of_best.best(bytes)->seconds, best));
      }
    }
  }
  CHECK(compared > 1000);
}

TEST_CASE(
    "the best choice, with compositions, is the first of all, and keeps the machine's rules") {
  const std::vector<std::uint64_t> sizes{4096, 96, 30 * 1024 * 1024 + 1, 1 << 30, 64 * 1024};
  std::size_t turn = 0, composed = 0;
  for (const Case& c : cases) {
    for (const Collective collective :
         {Collective::broadcast, Collective::reduce, Collective::allgather,
          Collective::reduce_scatter, Collective::allreduce}) {
      if (!ranges::whole() && ++turn % 3 != 0) continue;
      TuneRequest all = request(collective, c);
      all.compositions = true;
      Tuner tuner(all), of_best(all);
      for (const std::uint64_t bytes : sizes) {
        INFO(c.machine << ", " << info(collective).name << " of " << bytes << " bytes");
        const std::vector<Choice> choices = tuner.choices(bytes);
        const auto best = of_best.best(bytes);
        REQUIRE(best);
        REQUIRE_FALSE(choices.empty());
        CHECK(close(best->seconds, choices.front().seconds));
        Problem problem = all.problem;
        problem.chunks = best->chunks;
        const Source source = from_algorithm(best->spec.text(), problem, c.machine);
        CHECK_FALSE(broken_rule(source, best->machine, {}));
        composed += best->spec.text().find(" as ") != std::string::npos;
      }
    }
  }
  CHECK(composed > 5);
}

TEST_CASE("by LogGP each choice is the best of all that are tried, whatever the bounds leave out") {
  const std::vector<std::uint64_t> sizes{5000, 96, 30 * 1024 * 1024 + 1, 300};
  std::size_t compared = 0;
  for (const char* const model :
       {"loggp:L=1us,o=0.5us,g=0.5us,G=0.1ns/B", "loggp:L=1us,o=0.2us,g=0.1us,G=20ns/B"}) {
    for (const Collective collective :
         {Collective::broadcast, Collective::reduce, Collective::allreduce}) {
      TuneRequest all;
      all.problem.collective = collective;
      all.problem.ranks = 7;
      all.model = make_cost_model(model);
      for (const char* const name : {"logp-kary", "logp-knomial", "logp-linear", "fractional-tree",
                                     "kary-tree", "dual-root", "bsp-butterfly"}) {
        if (find_algorithm(name).serves(collective)) all.algorithms.push_back({name, {}});
      }
      Tuner tuner(all), of_best(all);
      for (const std::uint64_t bytes : sizes) {
        std::map<std::string, double> found;
        for (const Choice& choice : tuner.choices(bytes)) found[choice.spec.name] = choice.seconds;
        double best = HUGE_VAL;
        for (const Spec& spec : all.algorithms) {
          INFO(spec.name << " by " << model << ", " << info(collective).name << " of " << bytes
                         << " bytes");
          const double least = least_of_all(all, spec, bytes);
          best = std::min(best, least);
          REQUIRE(found.contains(spec.name));
          CHECK(close(found[spec.name], least));
          ++compared;
        }
        REQUIRE(of_best.best(bytes));
        CHECK(close(of_best.best(bytes)->seconds, best));
      }
    }
  }
  CHECK(compared > 100);
}
