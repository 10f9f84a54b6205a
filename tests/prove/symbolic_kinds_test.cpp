// Symbolic proofs: the classes of ranks, the assumptions about them, and that the work can be
// stopped.

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "catch.hpp"
#include "prove/symbolic/obligations.hpp"
#include "prove/symbolic/term_smtlib.hpp"
#include "symbolic_schedules.hpp"

using namespace schedcc;
using namespace schedcc::prover;
using namespace schedcc::symbolic_schedules;

namespace {

std::vector<RankClass> kinds(const SymbolicSchedule& schedule) {
  return schedule.rank_classes(schedule, nullptr);
}

Answer ask(const std::vector<Condition>& conditions) {
  std::vector<Condition> all = conditions;
  all.push_back(!(chunks_variable() < Term(1)));
  const TermQuery query = smtlib(all, "");
  return solve_with_z3(query.text, query.logic, {});
}

}  // namespace

TEST_CASE("every rank of a circulant graph meets the conditions of its kind") {
  for (Rank P = 3; P <= 2100; P += P < 300 ? 1 : 37) {
    INFO("P = " << P);
    const SymbolicSchedule schedule = symbolic_schedule({"circulant", P});
    const std::vector<RankClass> found = kinds(schedule);
    REQUIRE(found.size() == 2);  // the root, and the others
    CHECK(found[0].members + found[1].members == P);
  }
}

TEST_CASE("a rank with a wrong schedule is a kind of its own") {
  const SymbolicSchedule schedule = symbolic_schedule({"circulant", 37});
  for (std::size_t i = 0; i < schedule.edges.size(); i += 5) {
    INFO("edge " << i);
    SymbolicSchedule wrong = schedule;
    ++wrong.edges[i].start;
    CHECK(kinds(wrong).size() > 2);
    wrong = schedule;
    wrong.edges[i].place = (wrong.edges[i].place + 1) % static_cast<std::uint32_t>(schedule.run);
    CHECK(kinds(wrong).size() > 2);
    wrong = schedule;
    wrong.edges.erase(wrong.edges.begin() + static_cast<std::ptrdiff_t>(i));
    CHECK(kinds(wrong).size() > 2);
  }
}

TEST_CASE("groups of any length are as many kinds of ranks") {
  for (const char* const spec :
       {"fractional-tree:r=4", "fractional-tree:r=50", "fractional-tree:r=1000"}) {
    CHECK(kinds(symbolic_schedule({spec, 20000})).size() <= 8);
  }
  CHECK(kinds(symbolic_schedule({"linear", 5000})).size() == 2);
}

TEST_CASE("the assumptions about a kind are consistent") {
  if (!has_z3()) return;
  // From contradictory assumptions everything would follow: without the negated claim, which is the
  // last condition, a query must have solutions.
  for (const char* const spec : {"circulant", "fractional-tree:r=3", "chain", "xor", "ring"}) {
    const SymbolicSchedule schedule = symbolic_schedule({spec, 16});
    for (const RankClass& n : kinds(schedule)) {
      if (n.in.empty() || n.out.empty()) continue;
      for (const SymbolicCheck& check : symbolic_checks()) {
        if (check.name == "ports") continue;  // of two transfers that need not differ
        for (const Obligation& o : check.obligations(schedule, n)) {
          INFO(spec << ", " << check.name);
          std::vector<Condition> conditions = o.conditions;
          conditions.pop_back();
          CHECK(ask(conditions) == Answer::sat);
        }
      }
    }
  }
}

TEST_CASE("listing ranks can be stopped") {
  for (const run::Case& c : all_symbolic_cases()) {
    const SymbolicScheduleEntry& e = entry(Spec::parse(c.spec).name);
    if (e.max_ranks > UINT32_MAX) continue;  // nothing is listed
    INFO(c.spec);
    const auto [algorithm, request] = run::ready({c.spec, 1U << 17, 1, c.machine});
    // Whenever it looks: at once, or later, while edges are listed and ranks compared.
    std::uint64_t calls = 0, most = 0;
    const std::function<void()> poll_limits = [&] {
      if (++calls > most) throw LimitsReached{};
    };
    for (; most < 3; ++most) {
      calls = 0;
      CHECK_THROWS_AS(e.make(*algorithm, request, 1U << 17, poll_limits), LimitsReached);
      CHECK(calls == most + 1);
    }
    most = UINT64_MAX;
    const SymbolicSchedule schedule = e.make(*algorithm, request, 1U << 17, poll_limits);
    for (most = 0; most < 3; ++most) {
      calls = 0;
      CHECK_THROWS_AS(schedule.rank_classes(schedule, poll_limits), LimitsReached);
      CHECK(calls == most + 1);
    }
  }
}

TEST_CASE("a proof that is interrupted, whenever it is, is unknown") {
  if (!has_z3()) return;
  for (const char* const spec : {"circulant", "fractional-tree:r=2", "butterfly"}) {
    const SymbolicSchedule schedule = symbolic_schedule({spec, 16});
    const std::uint64_t queries = prove(schedule, {}).queries;
    for (std::uint64_t last = 0; last < queries; last += 5) {
      INFO(spec << ", after " << last << " queries");
      std::atomic<bool> stop = last == 0;
      SymbolicOptions options;
      options.limits.stop = &stop;
      std::uint64_t asked = 0;
      options.query = [&](const SymbolicQuery&) {
        if (++asked == last) stop = true;
      };
      CHECK(prove(schedule, options).verdict == Verdict::unknown);
      CHECK(asked <= last + 2);  // a question has up to three forms
    }
  }
}

TEST_CASE("following the packets of a wrong table can be stopped") {
  SymbolicSchedule schedule = symbolic_schedule({"xor", 64});
  CHECK_THROWS_AS(wrong_transfer(schedule, 2, [] { throw LimitsReached{}; }), LimitsReached);
}
