// Tuning: sequences of two algorithms, against trying every pair.

#include "catch.hpp"

#include <string>

#include <fmt/core.h>

#include "algorithm/composition/composition.hpp"
#include "costs.hpp"

using namespace costs;

namespace {

TuneRequest request(Collective collective, Rank P, const CostModel& model) {
  TuneRequest r;
  r.problem.collective = collective;
  r.problem.ranks = P;
  r.model = model;
  r.compositions = true;
  for (const Algorithm* a : algorithms()) r.algorithms.push_back({std::string(a->name), {}});
  return r;
}

CostModel issue_model() { return make_cost_model("alpha-beta:alpha=10us,beta=0.1ns/B"); }

/// The time of a composition by its steps.
double seconds(const std::string& text, Collective collective, Rank P, std::uint32_t K,
               std::uint64_t bytes, const CostModel& model) {
  Problem problem;
  problem.collective = collective;
  problem.ranks = P;
  problem.chunks = K;
  return cost(from_algorithm(text, problem, "duplex"), Machine(), model, {bytes}).seconds;
}

/// A rounded-up chunk in every step.
double rounding(const Choice& choice, const CostModel& model) {
  return static_cast<double>(choice.steps * choice.chunks) * model.beta;
}

}  // namespace

TEST_CASE(
    "an allreduce for any P takes no longer than reduce-scatter and allgather in log P steps") {
  for (const Rank P : {3u, 6u, 12u, 100u, 1000u}) {
    const auto best = Tuner(request(Collective::allreduce, P, issue_model())).best(1 << 20);
    REQUIRE(best);
    INFO(P << " " << best->spec.text());
    std::uint64_t lg = 0;
    while ((std::uint64_t{1} << lg) < P) ++lg;
    const double bytes = double(1 << 20) * (P - 1) / P;
    const double expected = 2 * (1e-5 * static_cast<double>(lg) + 1e-10 * bytes);
    CHECK(best->seconds <= expected + rounding(*best, issue_model()));
  }
}

TEST_CASE("the best of each part is the best pair") {
  const CostModel model = issue_model();
  for (const CompositionRule& rule : composition_rules()) {
    for (const Rank P : {4u, 6u, 9u}) {
      for (const std::uint64_t bytes : {std::uint64_t{64}, std::uint64_t{1} << 20}) {
        TuneRequest asked = request(rule.whole, P, model);
        std::vector<std::string> names;
        for (const std::string name : {"ring", "circulant", "bruck", "recursive-halving", "linear",
                                       "chain", "binomial-tree", "recursive-doubling", "all-pairs"})
          names.push_back(name);
        asked.algorithms.clear();
        for (const std::string& name : names) asked.algorithms.push_back({name, {}});
        for (const Choice& choice : Tuner(asked).choices(bytes)) {
          const std::string kinds = fmt::format("as {}", info(rule.second).name);
          if (!is_composition(choice.spec.name) || !choice.spec.name.ends_with(kinds)) continue;
          if (choice.spec.name.find(fmt::format("as {} then", info(rule.first).name)) ==
              std::string::npos)
            continue;
          CHECK(seconds(choice.spec.name, rule.whole, P, choice.chunks, bytes, model) <=
                choice.seconds + 1e-12);
          for (const std::string& x : names) {
            for (const std::string& y : names) {
              if (!find_algorithm(x).serves(rule.first)) continue;
              if (!find_algorithm(y).serves(rule.second)) continue;
              const std::string text = fmt::format(
                  "{} as {} then {} as {}", x, info(rule.first).name, y, info(rule.second).name);
              Request own;
              own.problem.collective = rule.whole;
              own.problem.ranks = P;
              own.problem.chunks = choice.chunks;
              if (named_algorithm(algorithm_spec(text))->reason(own)) continue;
              INFO(choice.spec.name << " P " << P << " against " << text);
              CHECK(choice.seconds <= seconds(text, rule.whole, P, choice.chunks, bytes, model) +
                                          rounding(choice, model) + 1e-12);
            }
          }
        }
      }
    }
  }
}

TEST_CASE("choices are reproduced by their specification and their chunks") {
  const CostModel model = issue_model();
  const std::uint64_t bytes = 1 << 20;  // of less, whole vectors take less time
  int compositions = 0;
  for (const Collective collective :
       {Collective::allreduce, Collective::broadcast, Collective::reduce, Collective::allgather}) {
    for (const Rank P : {5u, 12u}) {
      for (const Choice& choice : Tuner(request(collective, P, model)).choices(bytes)) {
        if (!is_composition(choice.spec.name)) continue;
        ++compositions;
        const double again =
            seconds(choice.spec.text(), collective, P, choice.chunks, bytes, model);
        CHECK(again <= choice.seconds + 1e-12);
        CHECK(again >= choice.seconds - rounding(choice, model));
      }
    }
  }
  CHECK(compositions >= 2);
}

TEST_CASE("compositions of few ranks are timed by LogGP") {
  const CostModel model = make_cost_model("loggp:L=8us,o=1us,g=0.5us,G=12.5GB/s");
  TuneRequest asked = request(Collective::allreduce, 64, model);
  asked.machine = "duplex";
  const auto best = Tuner(asked).best(125'000);
  REQUIRE(best);
  INFO(best->spec.text());
  CHECK(is_composition(best->spec.name));
  CHECK(close(best->seconds,
              seconds(best->spec.name, Collective::allreduce, 64, best->chunks, 125'000, model)));
  asked.compositions = false;
  CHECK(best->seconds < 0.9 * Tuner(asked).best(125'000)->seconds);
}

TEST_CASE("many ranks in LogGP, and one rank, have no compositions") {
  const CostModel model = make_cost_model("loggp:L=6us,o=2us,g=4us,G=1ns/B");
  for (const Choice& choice : Tuner(request(Collective::allreduce, 65, model)).choices(1024))
    CHECK(!is_composition(choice.spec.name));
  for (const Choice& choice : Tuner(request(Collective::allreduce, 1, issue_model())).choices(9))
    CHECK(!is_composition(choice.spec.name));
}
