// Results of `cost` and `tune` other than measured times: the formulas that follow from the claims
// of algorithms, and the choices of parameters, compared with an exhaustive search.

#include "algorithm_cases.hpp"
#include "catch.hpp"
#include "costs.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <set>

#include "core/integers.hpp"
#include "schedcc/algorithm.hpp"
#include "schedcc/check.hpp"
#include "schedcc/cost.hpp"
#include "schedcc/error.hpp"
#include "schedcc/tune.hpp"

using namespace schedcc;
using costs::close;
using costs::request;

namespace {

/// The requests of a specification on all machines that it was made for.
std::vector<Request> served(const Spec& spec, Rank P, std::uint32_t K) {
  std::vector<Request> result;
  const Algorithm& algorithm = find_algorithm(spec.name);
  const Parameters given = spec.check(algorithm.parameters, spec.name);
  for (const Collective collective : algorithm.collectives) {
    for (const std::string& machine : algorithm.machines_for(given)) {
      try {
        Request r = request(spec, collective, P, K, machine);
        if (!algorithm.reason(r) && algorithm.meets_claim(r)) result.push_back(std::move(r));
      } catch (const InputError&) {
        continue;  // no such machine for P ranks
      }
    }
  }
  return result;
}

std::vector<Spec> specs() {
  std::vector<Spec> result;
  for (const Algorithm* a : algorithms()) result.push_back({std::string(a->name), {}});
  for (const char* more :
       {"fractional-tree:r=2", "fractional-tree:r=3,coupled", "kary-tree:k=3", "knomial-tree:k=4",
        "bsp-butterfly:h=2", "bsp-butterfly:h=3", "total-exchange:schedule=scatters",
        "total-exchange:schedule=paired", "total-exchange:schedule=phases",
        "total-exchange:schedule=pipelined", "total-exchange:schedule=juggled",
        "summa:variant=B,broadcast=chain", "hierarchical:carriers=1",
        "fractional-tree:r=1,layout=crossbar", "fractional-tree:r=2,layout=crossbar-thin",
        "fractional-tree:r=2,layout=mesh"}) {
    result.push_back(Spec::parse(more));
  }
  return result;
}

/// Does one of the formulas give the time of the schedule, or, if the claim is "at most", no less?
bool has_right_formula(const Spec& spec, const Request& r, const CostModel& model) {
  const Algorithm& algorithm = find_algorithm(spec.name);
  const Source source = from_algorithm(algorithm, r, spec.text());
  const std::uint64_t bytes = std::uint64_t{source.problem.chunks} * 24;
  const double seconds = cost(source, r.machine, model, {bytes, false}).seconds;
  const auto formulas = time_formulas(spec, source.problem, r.machine, model, bytes);
  return std::ranges::any_of(formulas, [&](const TimeFormula& f) {
    const bool at_most = f.text.ends_with("at most");
    return close(f.seconds, seconds) || (at_most && f.seconds > seconds);
  });
}

Tuner tuner(const std::string& algorithm, Rank P, const CostModel& model,
            const std::optional<std::string>& machine = {}, bool verify = true) {
  TuneRequest r;
  r.algorithms = {Spec::parse(algorithm)};
  r.problem.collective = find_algorithm(r.algorithms[0].name).collectives.front();
  r.problem.ranks = P;
  r.machine = machine;
  r.verify = verify;
  r.model = model;
  return Tuner(std::move(r));
}

CostModel alpha_beta() { return make_cost_model("alpha-beta:alpha=1us,beta=1ns/B"); }

}  // namespace

TEST_CASE("every algorithm has a formula, and it is the time of its schedule") {
  const CostModel model = make_cost_model("alpha-beta:alpha=3s,beta=0.5s/B");
  std::set<std::string> with, all;
  for (const Spec& spec : specs()) {
    if (spec.name == "karp" || spec.name.starts_with("logp-")) continue;
    for (const Rank P : {2u, 3u, 4u, 5u, 8u, 9u, 13u, 16u}) {
      for (const std::uint32_t K : {1u, 2u, P, 3 * P, std::bit_floor(P) * P}) {
        for (const Request& r : served(spec, P, K)) {
          if (r.problem.tokens()) continue;  // their messages are empty
          const CostClaim claim = find_algorithm(spec.name).claim(r);
          const std::string what = fmt::format("{}, {} on {}", spec.text(),
                                               info(r.problem.collective).name, r.machine.spec());
          all.insert(what);
          if (claim.width != 1 && claim.volume == 0 && !r.machine.routed()) continue;
          with.insert(what);
          if (agreement::chosen() && !has_right_formula(spec, r, model))
            FAIL_CHECK(what << ": P = " << P << ", K = " << K);
        }
      }
    }
  }
  CHECK(with == all);
  CHECK(all.size() > 60);
}

TEST_CASE("in the BSP model, too, where a rank has one message a step") {
  const CostModel model = make_cost_model("bsp:l=3s,g=0.5s/B");
  for (const char* name : {"chain", "kary-tree", "ring", "bruck", "circulant", "binomial-tree"}) {
    for (const Request& r : served(Spec::parse(name), 13, 26))
      CHECK(has_right_formula(Spec::parse(name), r, model));
  }
}

TEST_CASE("the parameters that an algorithm chooses give its schedule") {
  for (const Spec& spec : specs()) {
    const Algorithm& algorithm = find_algorithm(spec.name);
    for (const Rank P : {4u, 8u, 13u, 16u}) {
      for (const Request& r : served(spec, P, 12)) {
        Spec full = spec;
        for (const auto& [name, value] : algorithm.chosen(r)) full.items.push_back({name, {value}});
        Request chosen = r;
        chosen.parameters = full.check(algorithm.parameters, spec.name);
        INFO(full.text());
        CHECK(algorithm.chosen(chosen).empty());
        CHECK(algorithm.claim(chosen).steps == algorithm.claim(r).steps);
      }
    }
  }
}

TEST_CASE("machines with a width are for whoever keeps to it") {
  const auto chain = tuner("chain", 8, alpha_beta(), "duplex:width=1").best(1 << 20);
  REQUIRE(chain);
  CHECK(chain->chunks == tuner("chain", 8, alpha_beta()).best(1 << 20)->chunks);
  CHECK(chain->chunks > 1);
  // Halving sends half of the chunks at once: with one of them, one.
  Tuner halving = tuner("rabenseifner", 8, alpha_beta(), "duplex:width=1");
  CHECK(halving.best(1 << 20)->chunks == 1);
  CHECK(tuner("rabenseifner", 8, alpha_beta(), "duplex:width=4").best(1 << 20)->chunks == 8);
  // In a scatter of more than two ranks the root sends several blocks at once.
  TuneRequest r;
  r.algorithms = {Spec::parse("binomial-tree")};
  r.problem.collective = Collective::scatter;
  r.problem.ranks = 8;
  r.machine = "duplex:width=1";
  r.model = alpha_beta();
  Tuner scatter(std::move(r));
  CHECK(!scatter.best(1024));
  REQUIRE(scatter.skipped().size() == 1);
  CHECK(scatter.skipped()[0].reason == "its messages carry 4 chunks, and duplex:width=1 allows 1");
}

TEST_CASE("in the BSP model a superstep has the h of the model, else that of the algorithm") {
  const CostModel free = make_cost_model("bsp:l=1us,g=1ns/B");
  CHECK(tuner("bsp-butterfly:h=3", 16, free).best(1 << 20)->machine.spec() == "bsp:h=3");
  CHECK(tuner("bsp-butterfly:h=3", 16, make_cost_model("bsp:l=1us,g=1ns/B,h=3"))
            .best(1 << 20)
            ->machine.spec() == "bsp:h=3");
  const auto open = tuner("bsp-butterfly", 16, free).best(1 << 20);
  CHECK(open->spec.text() == "bsp-butterfly:h=15");
  CHECK(open->machine.spec() == "bsp:h=15");
}

TEST_CASE("messages that are cut for the ranks: chunks that divide evenly are tried") {
  const auto best = tuner("rabenseifner", 13, alpha_beta()).best(1 << 20);
  REQUIRE(best);
  CHECK(best->chunks == 8);
  CHECK(best->tried == std::vector<std::uint64_t>{1, 8, 13, 26, 104});
  for (const std::uint64_t K : best->tried) {
    const Request r =
        request(best->spec, Collective::allreduce, 13, static_cast<std::uint32_t>(K), "duplex");
    const Source source = from_algorithm(find_algorithm("rabenseifner"), r, "rabenseifner");
    CHECK(cost(source, r.machine, alpha_beta(), {1 << 20, false}).seconds >=
          best->seconds * (1 - 1e-6));
  }
  CHECK(tuner("chain", 13, alpha_beta()).best(1 << 20)->tried.empty());
}

TEST_CASE("a schedule on a machine that it was not made for must hold, unless checks are off") {
  const auto duplex = tuner("chain", 8, alpha_beta()).best(1 << 20);
  const auto mesh = tuner("chain", 8, alpha_beta(), "mesh:2x4").best(1 << 20);
  REQUIRE(mesh);
  CHECK(mesh->chunks == duplex->chunks >> 3 << 3);  // its first four binary digits
  CHECK(mesh->seconds < duplex->seconds * 1.01);
  CHECK(!tuner("ring", 8, alpha_beta(), "simplex").best(1 << 20));
  CHECK(tuner("ring", 8, alpha_beta(), "simplex", false).best(1 << 20));
}

TEST_CASE(
    "LogP, LogGP: the choice is the best of all that are tried, as by timing each to its end") {
  constexpr Rank P = 8;
  for (const char* name : {"logp:L=6us,o=2us,g=4us", "loggp:L=6us,o=2us,g=4us,G=1ns/B",
                           "loggp:L=1us,o=1us,g=1us,G=2ns/B"}) {
    const CostModel model = make_cost_model(name);
    for (const char* algorithm :
         {"fractional-tree", "kary-tree", "scatter-allgather", "logp-kary"}) {
      Tuner all = tuner(algorithm, P, model);
      for (const std::uint64_t bytes : {64u, 40'000u, 3'000u, 1'000'000u}) {
        const auto best = all.best(bytes);
        REQUIRE(best);
        double least = std::numeric_limits<double>::infinity();
        const bool has_parameter = !find_algorithm(algorithm).parameters.empty();
        for (std::uint64_t v = 1; v < (has_parameter ? P : 2u); ++v) {
          Spec spec = Spec::parse(algorithm);
          if (has_parameter) {
            const Parameter& p = find_algorithm(algorithm).parameters[0];
            spec.items.push_back({std::string(p.name), {std::to_string(std::max(p.min, v))}});
          }
          for (const std::uint64_t K : best->tried) {
            const Request r = request(spec, Collective::broadcast, P, static_cast<std::uint32_t>(K),
                                      best->machine.spec());
            const Source source = from_algorithm(find_algorithm(algorithm), r, algorithm);
            least = std::min(least, cost(source, r.machine, model, {bytes, false}).seconds);
          }
        }
        INFO(name << ", " << algorithm << ", " << bytes);
        CHECK(best->seconds == least);
      }
    }
  }
}

TEST_CASE("whole numbers: ceil_div, ceil_log2 and ceil_log") {
  for (std::uint64_t P = 1; P < 2000; ++P) {
    CHECK(ceil_log2(P) == ceil_log(2, P));
    for (std::uint64_t r = 2; r < 12; ++r) {
      std::uint64_t e = 0;
      for (std::uint64_t power = 1; power < P; power *= r) ++e;
      if (ceil_log(r, P) != e) FAIL_CHECK(r << ", " << P);
      if (ceil_div(P, r) * r < P || (ceil_div(P, r) - 1) * r >= P) FAIL_CHECK(r << ", " << P);
    }
  }
  CHECK(ceil_log(10, UINT64_MAX) == 20);
  CHECK(ceil_div(UINT64_MAX, 2) == std::uint64_t{1} << 63);
}
