// For every check on every machine a schedule that fails this check and no other (failures.cpp), or
// the reason why there is none. The simulator must agree.

#include <algorithm>

#include "catch.hpp"
#include "failures.hpp"
#include "random_numbers.hpp"

using namespace failures;

namespace {

struct Exemption {
  std::string check, machine, theorem;
};

std::vector<Exemption> exemptions() {
  std::vector<Exemption> list{{"ports", "fattree", "does not apply: its links are its only limits"},
                              {"links", "switch", "holds: its ports are its only limits"}};
  for (const char* m : {"duplex", "simplex", "kport", "bsp", "logp"}) {
    list.push_back({"links", m, "does not apply: any two ranks may talk"});
  }
  for (const MachineInfo& m : machines()) {
    if (m.name != "topology")
      list.push_back(
          {"switches", std::string(m.name), "does not apply: all its switches are alike"});
    list.push_back({"same-as", std::string(m.name), "needs another schedule: expressions_test"});
    list.push_back({"bound", std::string(m.name), "informational: it never changes the verdict"});
  }
  return list;
}

std::string kind(const std::string& spec) { return spec.substr(0, spec.find(':')); }

}  // namespace

TEST_CASE("each check fails on each machine and alone where it can", "[failures]") {
  for (const Failure& f : failures::all()) {
    INFO(f.check << ": " << f.what << "\n" << text(f.plan, f.machine));
    const Rank ranks = f.plan.problem.ranks;
    const Names expected = f.expected.empty() ? Names{f.check} : f.expected;
    const Report report =
        check(source_of(f.plan), make_machine(f.machine, ranks), library_options(f.options));
    CHECK(join(violated(report)) == join(expected));
    const auto outcome = naive::simulate(f.plan, naive::model(f.machine, ranks), f.options);
    CHECK(join(outcome.violated) == join(expected));
    CHECK(report.verdict() == Verdict::violated);
    for (const std::string& name : expected) {
      CHECK(std::any_of(report.findings.begin(), report.findings.end(),
                        [&](const Finding& found) { return found.check == name; }));
    }
  }
}

TEST_CASE("there is such a schedule or a reason for every check on every machine", "[failures]") {
  std::set<std::pair<std::string, std::string>> covered, exempt;
  for (const Failure& f : failures::all()) covered.insert({f.check, kind(f.machine)});
  for (const Exemption& i : exemptions()) exempt.insert({i.check, i.machine});
  for (const MachineInfo& m : machines()) {
    for (const CheckInfo& c : checks()) {
      const std::pair<std::string, std::string> key{c.name, m.name};
      INFO(key.first << " on " << key.second);
      CHECK(covered.count(key) + exempt.count(key) == 1);
    }
  }
}

TEST_CASE("what does not apply to a machine is left out of its report", "[failures]") {
  for (const std::string& m : machines_under_test()) {
    const naive::Plan p = staged(m, broadcast4, whole_broadcast);
    const Machine machine = make_machine(sized(m, 4), 4);
    const Report report = check(source_of(p), machine);
    INFO(m);
    CHECK(report.verdict() == Verdict::holds);
    const std::set<std::string> with_links{"fattree",  "topology", "mesh",  "torus",
                                           "crossbar", "cluster",  "switch"};
    CHECK(applicable(report).count("links") == with_links.count(kind(m)));
    CHECK(applicable(report).count("ports") == (machine.routed() ? 0 : 1));
    CHECK(applicable(report).count("deadlock") == 1);
  }
  const naive::Plan hops{
      problem(Collective::broadcast, 2), {{0, copy(0, 2, 0)}, {1, copy(2, 1, 0)}}, 3};
  CHECK(applicable(check(source_of(hops), make_machine(fattree, 2))).count("deadlock") == 0);
}

TEST_CASE("redundancy is a warning and an error where the user asks for it", "[failures]") {
  const naive::Plan p = broadcast_and("duplex", {4, copy(0, 1, 0)});
  const Machine duplex = make_machine("duplex", 4);
  const Report relaxed = check(source_of(p), duplex);
  CHECK(relaxed.verdict() == Verdict::holds);
  REQUIRE(relaxed.findings.size() == 1);
  CHECK(relaxed.findings[0].check == "redundancy");
  CHECK(relaxed.findings[0].severity == Severity::warning);
  const Report strict = check(source_of(p), duplex, library_options({}));
  CHECK(strict.verdict() == Verdict::violated);
  REQUIRE(strict.findings.size() == 1);
  CHECK(strict.findings[0].severity == Severity::error);
}

TEST_CASE("passing a router twice is not redundant", "[failures]") {
  const naive::Plan p{problem(Collective::broadcast, 4),
                      naive::lower({{0, copy(0, 1, 0)}, {3, copy(0, 2, 0)}, {6, copy(0, 3, 0)}},
                                   naive::model(fattree, 4), 4),
                      7};
  const Report report = check(source_of(p), make_machine(fattree, 4), library_options({}));
  CHECK(join(violated(report)) == "{}");
}

TEST_CASE("theorem: these ways of blocking are safe where all ranks take steps together",
          "[failures]") {
  random_numbers::Random random(7);
  const auto below = [&random](std::uint64_t n) { return random.below(n); };
  const std::vector<std::pair<Blocking, std::uint64_t>> safe{
      {Blocking::sendrecv, 0}, {Blocking::sendrecv, 1},   {Blocking::program, 0},
      {Blocking::program, 1},  {Blocking::send_first, 1}, {Blocking::send_first, 2}};
  for (int i = 0; i < 500; ++i) {
    naive::Plan p{broadcast4, {}, 0};
    for (std::uint64_t step = 0; step < 5; ++step) {
      for (int n = 0; n < 6; ++n) p.sent.push_back({step, copy(below(4), below(4), 0)});
    }
    for (const auto& [blocking, eager] : safe) {
      naive::Options options;
      options.blocking = blocking;
      options.eager = eager;
      const auto outcome = naive::simulate(p, naive::model("duplex", 4), options);
      const Report report =
          check(source_of(p), make_machine("duplex", 4), library_options(options));
      REQUIRE(outcome.violated.count("deadlock") == 0);
      REQUIRE(violated(report).count("deadlock") == 0);
    }
  }
}
