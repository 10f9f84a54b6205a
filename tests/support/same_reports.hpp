#pragma once

// The cases of tests in which something else than one thread of one process makes a check, and has
// to report the same.

#include <string>
#include <vector>

#include "algorithm_cases.hpp"
#include "catch.hpp"
#include "random_plans.hpp"

namespace same_reports {

using namespace agreement;

/// Calls report(source, machine, options) with schedules of all algorithms. It requires that the
/// reports are the same, and returns the report.
template <typename Report>
void of_algorithms(const Report& report) {
  std::size_t cases = 0;
  for (const Rank ranks : {2, 3, 4, 7, 8, 12}) {
    for (const std::uint32_t chunks : {1, 3, 12}) {
      for_some_cases(ranks, chunks, ranges::part(1, 2), [&](const Case& c) {
        INFO(c.text());
        report(from_algorithm(*c.algorithm, c.request, "algorithm"), c.request.machine,
               CheckOptions());
        ++cases;
      });
    }
  }
  CHECK(cases > 100);
}

/// The same with mutants of schedules, by all kinds of options. `fail_fast`: also by this one.
template <typename Report>
void of_mutants(unsigned seed, bool fail_fast, const Report& report) {
  Random random(seed);
  std::size_t violated = 0;
  for (const Rank ranks : {2, 4, 5}) {
    for_some_cases(ranks, 2, 1, [&](const Case& c) {
      const naive::Plan whole = plan(c);
      for (int i = 0; i < ranges::part(3, 12) && !whole.sent.empty(); ++i) {
        naive::Options options;
        options.blocking = static_cast<Blocking>(random.below(4));
        if (random.one_in(3)) options.max_buffer = random.below(4);
        CheckOptions asked = library_options(options);
        asked.strict = random.one_in(2);
        asked.fail_fast = fail_fast && random.one_in(5);
        INFO(c.text());
        const std::string text = report(source_of(mutant(whole, random)), c.request.machine, asked);
        violated += text.find("\"verdict\": \"violated\"") != std::string::npos;
      }
    });
  }
  CHECK(violated > 100);
}

/// The same with schedules and mutants on networks, and by hops.
template <typename Report>
void of_hops(unsigned seed, const Report& report) {
  Random random(seed);
  for (const Rank ranks : {4, 8}) {
    for_some_cases(ranks, 2, 1, [&](const Case& c) {
      std::vector<std::string> machines = topologies::restricted(ranks);
      machines.push_back("fattree:cap=constant");
      machines.push_back(topologies::ring(ranks));
      const naive::Plan whole = plan(c);
      if (whole.nodes != 0) return;
      for (const std::string& machine : machines) {
        INFO(c.text() << ", on " << machine);
        const Machine made = make_machine(machine, ranks);
        const naive::Plan changed = random.one_in(2) ? whole : mutant(whole, random);
        report(source_of(changed), made, CheckOptions());
        report(source_of(hops_of(changed, machine)), made, CheckOptions());
      }
    });
  }
}

}  // namespace same_reports
