// Every algorithm of the registry, on small problems: all checks hold for the checker and for the
// simulator, both report the same figures, and the schedules take the claimed numbers of steps.

#include <map>
#include <string>

#include "algorithm_cases.hpp"
#include "catch.hpp"

using namespace agreement;

namespace {

/// Differences between the checker, the simulator and the claim of the algorithm; empty if there
/// are none. If there are none the checker finds only redundancy and, where the algorithm says so,
/// different sums, like the simulator.
std::string difference(const Case& c) {
  const naive::Plan p = plan(c);
  const Rank ranks = c.request.problem.ranks;
  const auto outcome = naive::simulate(p, naive::model(c.machine, ranks));
  std::ostringstream out;
  out << disagreement(p, c.machine, {}, outcome);
  if (c.request.machine.routed() && !c.algorithm->hops) {
    out << disagreement(hops_of(p, c.machine), c.machine);
  }
  std::set<std::string> errors = outcome.violated;
  for (const char* warning : {"redundancy", "agreement"}) errors.erase(warning);
  if (!errors.empty()) out << "the simulator finds " << join(errors);
  if (c.algorithm->agrees(c.request) != (outcome.violated.count("agreement") == 0))
    out << "agreement is not as the algorithm claims";
  if (ranks < 2) {
    if (!p.sent.empty()) out << "one rank needs no transfers";
  } else {
    const CostClaim claim = c.algorithm->claim(c.request);
    const bool kept = claim.exact ? outcome.steps == claim.steps : outcome.steps <= claim.steps;
    if (!kept) out << outcome.steps << " steps, but claimed are " << claim.steps;
  }
  return out.str();
}

/// Prints the first failures and counts the others.
class Tally {
 public:
  void add(const Case& c) {
    ++cases_[std::string(c.algorithm->name)];
    const std::string found = difference(c);
    if (found.empty()) return;
    if (++failures_ <= 10) FAIL_CHECK(c.text() << "\n" << found);
  }
  int cases(std::string_view algorithm) { return cases_[std::string(algorithm)]; }
  int failures() const { return failures_; }

 private:
  std::map<std::string, int> cases_;
  int failures_ = 0;
};

}  // namespace

TEST_CASE("every algorithm agrees with the simulator and meets its claim", "[agreement]") {
  Tally tally;
  for (Rank ranks = 1; ranks <= 9; ++ranks) {
    for (std::uint32_t chunks = 1; chunks <= 5; ++chunks)
      for_some_cases(ranks, chunks, 6, [&](const Case& c) { tally.add(c); });
  }
  for (const Algorithm* a : algorithms()) {
    INFO(a->name);
    CHECK(tally.cases(a->name) > 0);
  }
  CHECK(tally.failures() == 0);
}

TEST_CASE("every algorithm agrees with the simulator on some larger problems", "[agreement]") {
  Tally tally;
  for (const auto& [ranks, chunks] : {std::pair{10u, 1u},
                                      {10u, 5u},
                                      {11u, 2u},
                                      {13u, 1u},
                                      {13u, 5u},
                                      {16u, 1u},
                                      {16u, 2u},
                                      {16u, 5u},
                                      {17u, 2u},
                                      {20u, 5u},
                                      {32u, 1u},
                                      {32u, 5u},
                                      {33u, 2u}}) {
    for_some_cases(ranks, chunks, 3, [&](const Case& c) {
      if (c.request.problem.total_chunks() <= 1024) tally.add(c);
    });
  }
  CHECK(tally.failures() == 0);
}

TEST_CASE("a source streams the same steps every time it is opened", "[agreement]") {
  for_each_case(6, 3, [](const Case& c) {
    const naive::Plan first = plan(c), second = plan(c);
    INFO(c.text());
    REQUIRE(text(first, c.machine) == text(second, c.machine));
  });
}
