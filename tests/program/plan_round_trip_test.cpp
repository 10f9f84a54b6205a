// Schedules as execution plans: they are read back and hold.

#include <algorithm>
#include <string>
#include <string_view>

#include <fmt/core.h>

#include "program/plan/lower.hpp"
#include "programs.hpp"

using namespace schedcc;
using namespace programs;

namespace {

class PlanText : public Output {
 public:
  void write(std::string_view part) override { text += part; }
  std::string text;
};

EmitOptions emission(const std::string& spec, const Machine& machine) {
  EmitOptions options;
  options.parameters = Spec::parse(spec).check(find_format("mscclpp").parameters, "mscclpp");
  options.machine = machine;
  return options;
}

/// Writes the schedule as a plan, reads it and proves it. False if it is refused.
bool round_trip(const Source& source, const Machine& machine, const std::string& spec) {
  const Format& format = find_format("mscclpp");
  PlanText out;
  try {
    format.write(source, emission(spec, machine), out);
  } catch (const InputError& error) {
    INFO(spec << ": " << error.what());
    CHECK(out.text.empty());
    return false;
  }
  const Source read = format.read(out.text, "plan.json");
  INFO(spec);
  REQUIRE(read.plan != nullptr);
  CHECK(read.notes.empty());
  CHECK(read.problem.collective == source.problem.collective);
  CHECK(read.problem.chunks == source.problem.chunks);
  CHECK(read.problem.root == source.problem.root);
  const Report report = check(read, Machine());
  INFO(to_text(report));
  CHECK(report.verdict() == Verdict::holds);
  CHECK(std::ranges::all_of(report.findings,
                            [](const Finding& f) { return f.check == "agreement"; }));
  return true;
}

}  // namespace

TEST_CASE("plans of schedules hold when they are read back", "[plan]") {
  std::size_t written = 0;
  for (const Rank ranks : {2U, 3U, 5U}) {
    for_some_programs(ranks, 2, [&](const Source& source, const Machine& machine) {
      for (const char* spec : {"mscclpp", "mscclpp:protocol=ll", "mscclpp:threadblocks=2"}) {
        written += round_trip(source, machine, spec);
      }
      written += round_trip(source, machine, "mscclpp:place=in");
    });
  }
  CHECK(written > 200);
}

TEST_CASE("plans of many GPUs use several threadblocks", "[plan]") {
  const Machine duplex;
  const auto ring = source_of({"ring", 20, 20, {}, "allreduce"});
  CHECK(round_trip(ring, duplex, "mscclpp"));
  CHECK(round_trip(ring, duplex, "mscclpp:protocol=ll,place=in"));
  const auto direct = source_of({"pairwise", 24, 1});
  CHECK(round_trip(direct, duplex, "mscclpp"));
  CHECK(round_trip(direct, duplex, "mscclpp:protocol=ll"));
}
