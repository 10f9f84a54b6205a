// Barriers: dissemination to every radix, other algorithms as barriers, and what tokens count for.

#include "catch.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "schedcc/algorithm.hpp"
#include "schedcc/check.hpp"
#include "schedcc/cost.hpp"
#include "schedcc/error.hpp"
#include "schedcc/machine.hpp"

using namespace schedcc;

namespace {

Source barrier(const std::string& algorithm, Rank P, const std::string& machine) {
  Request r;
  r.problem.collective = Collective::barrier;
  r.problem.ranks = P;
  r.machine = make_machine(machine, P);
  return from_algorithm(algorithm, r.problem, machine);
}

/// The steps after which every rank knows of every other, if a rank sends all that it knows to
/// those at the distances j k^i < P: counted on bit sets, with no more than k - 1 messages a rank.
std::uint64_t steps_to_hear_all(Rank P, Rank k) {
  std::vector<std::vector<bool>> knows(P, std::vector<bool>(P));
  for (Rank r = 0; r < P; ++r) knows[r][r] = true;
  const auto heard_all = [&] {
    return std::ranges::all_of(
        knows, [](const auto& row) { return std::ranges::find(row, false) == row.end(); });
  };
  std::uint64_t steps = 0;
  for (std::uint64_t unit = 1; !heard_all(); unit *= k, ++steps) {
    const auto before = knows;
    for (Rank r = 0; r < P; ++r) {
      for (std::uint64_t j = 1; j < k && j * unit < P; ++j) {
        std::vector<bool>& there = knows[(r + j * unit) % P];
        for (Rank token = 0; token < P; ++token)
          if (before[r][token]) there[token] = true;
      }
    }
  }
  return steps;
}

}  // namespace

TEST_CASE("dissemination is a barrier in ceil(log_k P) steps, for every P and k") {
  for (Rank k = 2; k <= 8; ++k) {
    for (Rank P = 1; P < 200; P += P < 70 ? 1 : 7) {
      CAPTURE(k, P);
      const std::string machine = fmt::format("kport:k={}", k - 1);
      const Source source = barrier(fmt::format("dissemination:k={}", k), P, machine);
      const Report report = check(source, make_machine(machine, P), {});
      CHECK(report.verdict() == Verdict::holds);
      CHECK(report.findings.empty());
      CHECK(report.volume == 0);
      CHECK(report.steps == steps_to_hear_all(P, k));
      REQUIRE(report.lower_bound);
      CHECK(report.lower_bound->steps == report.steps);
      CHECK(report.lower_bound->volume == 0);
      std::uint64_t messages = 0;  // of a rank
      for (std::uint64_t unit = 1; unit < P; unit *= k)
        messages += std::min<std::uint64_t>(k - 1, (P - 1) / unit);
      CHECK(report.messages == P * messages);
    }
  }
}

TEST_CASE("allgathers are barriers") {
  for (const std::string name :
       {"bruck as barrier", "ring as barrier", "recexch as barrier", "circulant as barrier"}) {
    for (Rank P = 2; P <= 20; ++P) {
      CAPTURE(name, P);
      const Report report = check(barrier(name, P, "duplex"), make_machine("duplex", P), {});
      CHECK(report.verdict() == Verdict::holds);
      CHECK(report.volume == 0);
    }
  }
  CHECK_THROWS_WITH(
      barrier("chain as barrier", 4, "duplex"),
      "'chain as barrier', column 10: 'chain' does not serve barrier; it serves broadcast, "
      "reduce");
}

TEST_CASE("to radix 2 and for P = 2^h every transfer is needed") {
  for (Rank P = 2; P <= 32; P *= 2) {
    const Source right = barrier("dissemination", P, "duplex");
    const Schedule all = collect(*right.open());
    for (std::uint64_t left_out = 0; left_out < all.transfers(); ++left_out) {
      auto rest = std::make_shared<Schedule>();
      std::uint64_t number = 0;
      for (std::uint64_t row = 0; row < all.size(); ++row) {
        rest->begin_step(all[row].number);
        for (const Transfer& t : all[row].transfers)
          if (number++ != left_out) rest->add(t);
      }
      CAPTURE(P, left_out);
      const Source source = from_schedule(right.problem, rest);
      CHECK(check(source, make_machine("duplex", P), {}).verdict() == Verdict::violated);
    }
  }
}

TEST_CASE("the messages of a barrier are empty") {
  const Source source = barrier("dissemination", 9, "duplex");
  const Machine duplex = make_machine("duplex", 9);
  const CostModel model = make_cost_model("alpha-beta:alpha=3us,beta=1ns/B");
  const CostReport report = cost(source, duplex, model, {.bytes = 0});
  CHECK(report.bytes_moved == 0);
  CHECK(report.seconds == Approx(4 * 3e-6));
  CHECK(cost(source, duplex, model, {.bytes = 1000}).seconds == report.seconds);
}
