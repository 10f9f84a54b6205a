// Expressions of sums: those of the library against trees of additions written as text, and the two
// checks that compare them.

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "algorithm_cases.hpp"
#include "analysis/expression_text.hpp"
#include "analysis/held_expressions.hpp"
#include "catch.hpp"
#include "random_plans.hpp"
#include "schedcc/error.hpp"
#include "simulator/expressions.hpp"

using namespace agreement;

namespace {

Problem allreduce(Rank ranks, std::uint32_t chunks) {
  return {Collective::allreduce, ranks, 0, chunks, false, nullptr};
}

/// The expressions that ranks have of a chunk in the end, each once.
std::set<Expressions::Id> expressions_of(Chunk chunk, Rank ranks, const HeldExpressions& held) {
  std::set<Expressions::Id> result;
  for (Rank r = 0; r < ranks; ++r) {
    held.each(r, {chunk, 1}, [&](Run, Expressions::Id id) {
      if (id > Expressions::value) result.insert(id);
    });
  }
  return result;
}

/// A sum of these contributions, one after another.
Expressions::Id chain_of(const std::vector<Rank>& ranks, Expressions& expressions) {
  Expressions::Id sum = Expressions::empty;
  for (const Rank rank : ranks) sum = expressions.add(sum, expressions.only(rank));
  return sum;
}

/// Transfers of runs with few different ends, several of them to a rank at a time.
naive::Plan some_reductions(Random& random, Rank ranks, std::uint32_t chunks) {
  naive::Plan plan{allreduce(ranks, chunks), {}, 0};
  const std::uint64_t transfers = 3 + random.below(9);
  std::uint64_t step = 0;
  for (std::uint64_t i = 0; i < transfers; ++i) {
    const std::uint32_t cut = chunks / 4;
    const std::uint32_t first = random.below(4) * cut;
    const std::uint32_t count =
        random.one_in(2) ? chunks - first : 1 + random.below(chunks - first);
    const Rank src = random.below(ranks), dst = (src + 1 + random.below(ranks - 1)) % ranks;
    plan.sent.push_back(
        {step, {src, dst, first, count & max_transfer_count, random.one_in(5) ? 0u : 1u}});
    if (random.one_in(2)) ++step;
  }
  return plan;
}

/// Does the check `shape` fail, so that values are not defined?
bool has_conflicts(const naive::Plan& plan) {
  const auto outcome = naive::simulate(plan, naive::model("kport:k=16", plan.problem.ranks));
  return outcome.violated.count("shape") != 0;
}

/// Where the library and the oracle differ in which ranks have the same sum of a chunk; empty if
/// nowhere.
std::string difference_in_sums(const naive::Plan& plan) {
  const std::uint32_t chunks = plan.problem.chunks;
  Expressions expressions;
  HeldExpressions held(plan.problem, plan.problem.ranks, 1, {{0, chunks}}, expressions);
  held.follow(*source_of(plan).open());
  const auto sums = naive::sums(plan.problem, plan.sent, [](const Transfer&) { return 1; });
  std::vector<std::map<std::string, Expressions::Id>> known(chunks);
  std::vector<std::map<Expressions::Id, std::string>> named(chunks);
  std::string found;
  for (Rank r = 0; r < plan.problem.ranks; ++r) {
    held.each(r, {0, chunks}, [&](Run run, Expressions::Id id) {
      for (Chunk c = run.first; c < run.first + run.count; ++c) {
        const std::string& text = sums.at({r, c});
        if (text == "too much") continue;  // the oracle does not tell these apart
        const bool same = known[c].emplace(text, id).first->second == id &&
                          named[c].emplace(id, text).first->second == text;
        if (!same && found.empty())
          found = fmt::format("rank {}, chunk {}: {}\n{}", r, c, text,
                              agreement::text(plan, "kport:k=16"));
      }
    });
  }
  return found;
}

Report compared(const Source& a, const Source& b, const Machine& machine) {
  CheckOptions options;
  options.checks = std::vector<std::string>{"same-as"};
  options.same_as = std::make_shared<const OtherSchedule>(OtherSchedule{b, machine});
  return check(a, machine, options);
}

}  // namespace

TEST_CASE("ranks have the same expression if and only if they have the same tree of additions") {
  Random random(21);
  int followed = 0;
  for (int i = 0; i < ranges::part(3000, 6000); ++i) {
    // Short transfers are kept chunk by chunk, long ones by runs.
    const std::uint32_t chunks = i % 100 == 0 ? 1200 : 4 + random.below(8);
    const naive::Plan plan = some_reductions(random, 2 + random.below(4), chunks);
    if (has_conflicts(plan)) continue;
    ++followed;
    const std::string found = difference_in_sums(plan);
    if (!found.empty()) FAIL_CHECK(found);
  }
  CHECK(followed > 1000);
}

TEST_CASE("the texts of two different expressions differ, and those of a pair in both orders") {
  Random random(23);
  int compared = 0;
  for (int i = 0; i < ranges::part(500, 3000); ++i) {
    const Rank ranks = 2 + random.below(5);
    const naive::Plan plan = some_reductions(random, ranks, 4);
    if (has_conflicts(plan)) continue;
    Expressions expressions;
    HeldExpressions held(plan.problem, ranks, 1, {{0, 4}}, expressions);
    held.follow(*source_of(plan).open());
    for (Chunk c = 0; c < 4; ++c) {
      const auto all = expressions_of(c, ranks, held);
      for (const Expressions::Id a : all) {
        for (const Expressions::Id b : all) {
          if (a == b) continue;
          const auto [first, second, whole, unordered] = difference(expressions, a, b, ranks);
          INFO(first << " against " << second << "\n" << agreement::text(plan, "kport:k=16"));
          CHECK(first != second);
          ++compared;
        }
      }
    }
  }
  CHECK(compared > 1000);
}

TEST_CASE("what is left out of a text does not hide the difference") {
  for (const Rank half : {8u, 40u, 100u, 300u}) {
    Expressions expressions;
    std::vector<Rank> even, odd;
    for (Rank r = 0; r < 2 * half; ++r) (r % 2 == 0 ? even : odd).push_back(r);
    const Expressions::Id a =
        expressions.add(chain_of(even, expressions), chain_of(odd, expressions));
    std::swap(even.back(), odd.back());  // the last two contributions are in the other half
    const Expressions::Id b =
        expressions.add(chain_of(even, expressions), chain_of(odd, expressions));
    const auto found = difference(expressions, a, b, 2 * half);
    INFO(found.text());
    CHECK(found.first != found.second);
  }
}

TEST_CASE("sums of the same operands in no fixed order are told apart by where they are added") {
  Expressions expressions;
  const std::vector<Expressions::Id> operands{expressions.only(0), expressions.only(1),
                                              expressions.only(2)};
  const auto text = [&](Rank first, Rank second, Rank more) {
    const auto sum = [&](Rank adder) {
      Expressions::Id result = expressions.add_together(operands, adder);
      for (Rank r = 3; r < 3 + more; ++r) result = expressions.add(result, expressions.only(r));
      return result;
    };
    const Expressions::Id a = sum(first), b = sum(second);
    CHECK(a != b);
    return difference(expressions, a, b, 4).text();
  };
  const std::string order =
      " (in brackets: they arrive in one step, and the order in which they are added is not fixed)";
  CHECK(text(0, 2, 0) == "[0+1+2] at rank 0 against [0+1+2] at rank 2" + order);
  CHECK(text(3, 9, 1) ==
        "where they first differ, [0+1+2] at rank 3 against [0+1+2] at node 9" + order);
  CHECK(text(1, 1, 0) ==
        "[0+1+2] at rank 1 against [0+1+2] at rank 1, perhaps in another order" + order);
}

TEST_CASE("the first chunk that differs is found, among few chunks and in long runs") {
  Random random(22);
  for (int i = 0; i < 40; ++i) {
    const std::uint32_t chunks = i % 2 == 0 ? 1200 : 7, first = random.below(chunks);
    naive::Plan plan{allreduce(4, chunks), {}, 0};
    const auto add = [&](std::uint64_t step, Rank src, Rank dst, std::uint32_t from, bool reduces) {
      const std::uint32_t count = chunks - from;
      plan.sent.push_back({step, {src, dst, from, count & max_transfer_count, reduces ? 1u : 0u}});
    };
    // Rank 0 adds (0+1)+(2+3), of all chunks; rank 1 adds (1+(2+3))+0, of those starting with
    // `first`.
    add(0, 3, 2, 0, true);
    add(1, 0, 3, first, false);
    add(2, 1, 0, 0, true);
    add(3, 2, 0, 0, true);
    add(4, 2, 1, first, true);
    add(5, 3, 1, first, true);
    add(6, 0, 2, 0, false);
    add(7, 0, 3, 0, false);
    if (first > 0) plan.sent.push_back({8, {0, 1, 0, first & max_transfer_count, 0}});
    CHECK(disagreement(plan, "kport:k=16") == "");
    const Report report = check(source_of(plan), make_machine("kport:k=16", 4));
    CHECK(report.verdict() == Verdict::holds);
    REQUIRE(report.findings.size() == 1);
    CHECK(report.findings[0].check == "agreement");
    CHECK(report.findings[0].severity == Severity::warning);
    CHECK(report.findings[0].chunk == first);
    CHECK(report.findings[0].message ==
          fmt::format("ranks 0 and 1 end with different sums of chunk {}: (0+1)+(2+3) against "
                      "0+(1+(2+3))",
                      first));
  }
}

TEST_CASE("every allreduce agrees as it claims, for many chunks too") {
  for (Rank ranks = 2; ranks <= 17; ++ranks) {
    for (const std::uint32_t chunks : {1u, 3u, 16u, 700u}) {
      if (chunks > 16 && ranks > 6) continue;
      for_some_cases(ranks, chunks, 3, [&](const Case& c) {
        if (c.request.problem.collective != Collective::allreduce) return;
        INFO(c.text());
        const naive::Plan p = plan(c);
        const Report report = check(source_of(p), c.request.machine, library_options({}));
        CHECK(violated(report).count("agreement") == (c.algorithm->agrees(c.request) ? 0 : 1));
        const auto outcome = naive::simulate(p, naive::model(c.machine, ranks));
        CHECK(outcome.violated.count("agreement") == violated(report).count("agreement"));
      });
    }
  }
}

TEST_CASE("two schedules have the same sums if and only if the oracle's trees are the same") {
  const std::vector<std::string> names{"ring",         "recursive-doubling", "butterfly-allreduce",
                                       "rabenseifner", "binomial-allreduce", "all-pairs",
                                       "circulant"};
  int same = 0, different = 0;
  for (const Rank ranks : {2u, 3u, 4u, 6u, 8u}) {
    for (const std::uint32_t chunks : {1u, 5u}) {
      std::vector<Source> sources;
      std::vector<std::map<naive::Place, std::string>> sums;
      for (const std::string& name : names) {
        Request request{allreduce(ranks, chunks), make_machine("duplex", ranks)};
        const Algorithm& algorithm = find_algorithm(name);
        request.parameters = Spec::parse(name).check(algorithm.parameters, name);
        if (algorithm.reason(request)) continue;
        sources.push_back(from_algorithm(name, allreduce(ranks, chunks)));
        const auto all = sources.back().open();
        sums.push_back(
            naive::sums(allreduce(ranks, chunks), sent(*all), [](const Transfer&) { return 1; }));
      }
      for (std::size_t a = 0; a < sources.size(); ++a) {
        for (std::size_t b = 0; b < sources.size(); ++b) {
          INFO(sources[a].name << " and " << sources[b].name << ", P " << ranks << " K " << chunks);
          const Report report = compared(sources[a], sources[b], Machine());
          CHECK((report.verdict() == Verdict::holds) == (sums[a] == sums[b]));
          (sums[a] == sums[b] ? same : different) += a != b;
        }
      }
    }
  }
  CHECK(same > 10);
  CHECK(different > 10);
}

TEST_CASE("schedules for different problems are not compared") {
  const Source ring = from_algorithm("ring", allreduce(4, 2));
  for (const Problem& other : {allreduce(5, 2), allreduce(4, 3)})
    CHECK_THROWS_AS(compared(ring, from_algorithm("ring", other), Machine()), InputError);
  const Problem broadcast{Collective::broadcast, 4, 0, 2, false, nullptr};
  const Source chain = from_algorithm("chain", broadcast);
  CHECK_THROWS_AS(compared(ring, chain, Machine()), InputError);
  CHECK_THROWS_AS(compared(chain, chain, Machine()), InputError);
}

TEST_CASE("expressions are shown where they first differ, and cut where they are long") {
  Expressions e;
  const auto chain = [&](Rank from, Rank to) {
    Expressions::Id sum = e.only(from);
    for (Rank r = from + 1; r <= to; ++r) sum = e.add(sum, e.only(r));
    return sum;
  };
  const auto pairs = e.add(chain(0, 1), chain(2, 3));
  CHECK(difference(e, pairs, chain(0, 3)).text() == "(0+1)+(2+3) against ((0+1)+2)+3");
  CHECK(e.add(chain(2, 3), chain(0, 1)) == pairs);
  const auto longer = [&](Expressions::Id id) { return e.add(id, chain(4, 40)); };
  CHECK(difference(e, longer(pairs), longer(chain(0, 3))).text() ==
        "where they first differ, (0+1)+(2+3) against ((0+1)+2)+3");
  const auto halves = e.add(chain(0, 50), chain(51, 99));
  CHECK(difference(e, halves, chain(0, 99)).first.size() <= 72);
}
