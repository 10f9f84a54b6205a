// Schedules made from others: every algorithm backwards, and twice; sequences by each rule; ranks
// with other numbers.

#include "catch.hpp"

#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "algorithm/composition/composition.hpp"
#include "run.hpp"
#include "schedcc/error.hpp"
#include "schedcc/named_machine.hpp"
#include "schedcc/transform.hpp"

using namespace schedcc;

namespace {

Source source_of(const run::Case& c) {
  const auto [algorithm, request] = run::ready(c);
  return from_algorithm(*algorithm, request, c.spec);
}

bool holds(const Source& source) {
  return check(source, named_machine(source)).verdict() == Verdict::holds;
}

/// The transfers, chunk by chunk.
std::vector<std::string> chunks_of(const Source& source) {
  std::vector<std::string> result;
  const auto stream = source.open();
  for (Step step; stream->next(step);) {
    for (const Transfer& t : step.transfers) {
      for (std::uint32_t i = 0; i < t.count; ++i)
        result.push_back(fmt::format("{}: {} -> {}, {}{}", step.number, t.src, t.dst, t.first + i,
                                     t.reduce ? " reduced" : ""));
    }
  }
  std::ranges::sort(result);
  return result;
}

/// Calls f(source) for each algorithm and collective, on its first machine, for some P.
template <typename F>
void each_source(F f) {
  for (const Algorithm* algorithm : algorithms()) {
    for (const Collective collective : algorithm->collectives) {
      for (const Rank P : {2u, 4u, 5u, 8u}) {
        const run::Case c{std::string(algorithm->name), P, 2, "",
                          std::string(info(collective).name)};
        std::optional<Source> source;
        try {
          source = source_of(c);
        } catch (const InputError&) {  // it does not serve this P
          continue;
        }
        f(*source);
      }
    }
  }
}

}  // namespace

TEST_CASE("what brings every chunk to a rank once holds backwards, too, and twice is itself") {
  std::size_t reversible = 0, exact = 0;
  each_source([&](const Source& source) {
    const Problem& problem = source.problem;
    INFO(source.name << ", " << describe(problem));
    if (!reversed(problem.collective)) {
      if (problem.collective != Collective::allreduce && !problem.custom)
        CHECK_THROWS_AS(reversed(source), InputError);
      return;
    }
    const Source back = reversed(source);
    CHECK(back.problem.collective == *reversed(problem.collective));
    // Steps are counted from the last one, so that leading idle ones are lost; and of a reduction
    // that ends with a copy, the copy is.
    const auto own = chunks_of(source);
    const auto reduces = [](const std::string& line) { return line.ends_with(" reduced"); };
    const bool one_kind = static_cast<std::size_t>(std::ranges::count_if(own, reduces)) ==
                          (problem.reduction() ? own.size() : 0);
    if (own.front().starts_with("0:") && one_kind) {
      CHECK(chunks_of(reversed(back)) == own);
      ++exact;
    }
    ++reversible;
    const Machine machine = named_machine(source);
    if (machine.routed() || machine.timing() != nullptr || problem.ordered) return;
    if (check(source, machine).findings_total == 0) CHECK(holds(back));
  });
  CHECK(reversible > 100);
  CHECK(exact > 100);
}

TEST_CASE("the sequence of two schedules is that of the rule for their collectives") {
  for (const CompositionRule& rule : composition_rules()) {
    const auto part = [&](Collective collective) {
      const Rank P = 6;
      const bool blocks = info(collective).blocks != 0;
      const char* name = info(collective).rooted ? "binomial-tree" : "ring";
      return source_of({name, P, blocks ? 1 : P, "", std::string(info(collective).name)});
    };
    const Source both = sequence(part(rule.first), part(rule.second));
    INFO(both.name);
    CHECK(both.problem.collective == rule.whole);
    CHECK(holds(both));
  }
}

TEST_CASE("ranks with other numbers do the same, and the inverse undoes it") {
  each_source([&](const Source& source) {
    const Problem& problem = source.problem;
    INFO(source.name << ", " << describe(problem));
    std::vector<Rank> next(problem.ranks), previous(problem.ranks);
    for (Rank r = 0; r < problem.ranks; ++r) {
      next[r] = (r + 1) % problem.ranks;
      previous[next[r]] = r;
    }
    const bool scan =
        problem.collective == Collective::scan || problem.collective == Collective::exscan;
    if (scan || source.hop_level()) {
      CHECK_THROWS_AS(relabelled(source, next), InputError);
      return;
    }
    const Source renamed = relabelled(source, next);
    CHECK(chunks_of(relabelled(renamed, previous)) == chunks_of(source));
    const Machine machine = named_machine(source);
    if (machine.ports() == nullptr || machine.channels() != nullptr || problem.ordered) return;
    CHECK(holds(renamed) == holds(source));
  });
}
