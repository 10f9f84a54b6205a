// Checks by several threads against the simulator, which decides by itself what is wrong with a
// schedule: mutants of every algorithm, and all tables of tiny problems. Every transfer is checked
// by threads that start at once, with blocks of single steps; or, where a part shows that there is
// nothing to report, that part by as many threads.

#include <cstdint>
#include <string>
#include <vector>

#include "agreement.hpp"
#include "algorithm_cases.hpp"
#include "catch.hpp"
#include "check/threading.hpp"
#include "random_plans.hpp"
#include "topologies.hpp"

using namespace agreement;

namespace {

Report check_by_three(const Source& source, const Machine& machine, const CheckOptions& options,
                      bool in_full) {
  const Threading threading{.threads = 3, .alone = 0, .block = 1, .blocks = 5, .in_full = in_full};
  return check_steps(source, machine, options, threading);
}
Report check_all(const Source& source, const Machine& machine, const CheckOptions& options) {
  return check_by_three(source, machine, options, true);
}
Report check_part(const Source& source, const Machine& machine, const CheckOptions& options) {
  return check_by_three(source, machine, options, false);
}

/// Counts schedules, those that hold, and disagreements, of which it shows the first.
class ThreadTally {
 public:
  void add(const naive::Plan& plan, const std::string& machine,
           const naive::Options& options = {}) {
    const naive::Model& model = naive::model(machine, plan.problem.ranks);
    const naive::Outcome outcome = naive::simulate(plan, model, options);
    ++schedules_;
    if (outcome.violated.empty()) ++whole_;
    for (const Checker checker : {check_all, check_part}) {
      const std::string found = disagreement(plan, machine, options, outcome, checker);
      if (!found.empty() && ++failures_ <= 3) FAIL_CHECK(found);
    }
  }
  void conclude(int least) const {
    INFO(schedules_ << " schedules, " << whole_ << " of them whole");
    CHECK(failures_ == 0);
    CHECK(schedules_ >= least);
    CHECK(whole_ > 0);
    CHECK(whole_ < schedules_);
  }

 private:
  int schedules_ = 0, whole_ = 0, failures_ = 0;
};

/// Every table of `steps` steps in which each rank sends to each other one chunk j or does not;
/// with `reduces` as a copy, or to be combined.
void every_table_of(const Problem& problem, std::uint64_t steps, bool reduces, ThreadTally& tally) {
  std::vector<Sent> choices;
  for (std::uint64_t step = 0; step < steps; ++step) {
    for (Rank src = 0; src < problem.ranks; ++src) {
      for (Rank dst = 0; dst < problem.ranks; ++dst) {
        for (Chunk chunk = 0; src != dst && chunk < problem.total_chunks(); ++chunk)
          choices.push_back({step, copy(src, dst, chunk)});
      }
    }
  }
  const std::uint64_t states = reduces ? 3 : 2;  // of a choice: not sent, copied, combined
  std::uint64_t tables = 1;
  for (std::size_t i = 0; i < choices.size(); ++i) tables *= states;
  for (std::uint64_t table = 0; table < tables; ++table) {
    naive::Plan plan{problem, {}, 0};
    std::uint64_t left = table;
    for (const Sent& choice : choices) {
      if (left % states != 0) plan.sent.push_back(choice);
      if (left % states == 2) plan.sent.back().transfer.reduce = 1;
      left /= states;
    }
    tally.add(plan, "duplex");
  }
}

Problem tiny(Collective collective, Rank ranks, std::uint32_t chunks) {
  Problem problem;
  problem.collective = collective;
  problem.ranks = ranks;
  problem.chunks = chunks;
  return problem;
}

}  // namespace

TEST_CASE("three threads agree with the simulator on algorithms and their mutants") {
  Random random(11);
  ThreadTally tally;
  for (const Rank ranks : {2, 4, 5, 8}) {
    for_some_cases(ranks, 2, 1, [&](const Case& c) {
      const naive::Plan whole = plan(c);
      if (whole.sent.empty()) return;
      tally.add(whole, c.machine);
      naive::Options options;
      options.blocking = static_cast<Blocking>(random.below(4));
      if (random.one_in(3)) options.max_buffer = random.below(4);
      for (int i = 0; i < 2; ++i) tally.add(mutant(whole, random), c.machine, options);
    });
  }
  tally.conclude(300);
}

TEST_CASE("three threads agree with the simulator by hops") {
  Random random(12);
  ThreadTally tally;
  for_some_cases(4, 2, 1, [&](const Case& c) {
    const naive::Plan whole = plan(c);
    if (whole.nodes != 0 || whole.sent.empty()) return;
    for (const std::string& machine : {std::string("fattree:cap=constant"), topologies::star(4)}) {
      const naive::Plan hops = hops_of(whole, machine);
      tally.add(hops, machine);
      tally.add(mutant(hops, random), machine);
    }
  });
  tally.conclude(100);
}

TEST_CASE("three threads agree with the simulator on all tables of tiny problems") {
  ThreadTally tally;
  every_table_of(tiny(Collective::broadcast, 3, 1), 2, false, tally);
  every_table_of(tiny(Collective::broadcast, 2, 2), 2, false, tally);
  every_table_of(tiny(Collective::allgather, 2, 1), 2, false, tally);
  every_table_of(tiny(Collective::reduce, 2, 1), 3, true, tally);
  every_table_of(tiny(Collective::allreduce, 2, 1), 2, true, tally);
  every_table_of(tiny(Collective::allreduce, 3, 1), 1, true, tally);
  tally.conclude(2000);
}
