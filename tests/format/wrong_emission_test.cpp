// Wrong schedules that are written (--no-verify). A writer refuses a schedule that its format
// cannot express, before it writes anything. If it writes the schedule, the reader of the format
// must read it, and the checks must find it wrong again. Tested with all formats that are written
// and read.

#include <algorithm>
#include <map>

#include "algorithm_cases.hpp"
#include "formats.hpp"
#include "random_plans.hpp"

using namespace agreement;

namespace {

bool violates(const Report& report, std::initializer_list<std::string_view> checks) {
  return std::ranges::any_of(report.checks, [&](const CheckResult& result) {
    return result.verdict == Verdict::violated &&
           std::ranges::find(checks, result.check) != checks.end();
  });
}

/// Programs for GPUs have no ports, links and steps, and no routes on which chunks meet: a program
/// may be correct if the schedule was wrong only in these.
bool must_be_wrong(const Format& format, const Machine& machine, const Report& report) {
  const bool program = format.name == "msccl" || format.name == "mscclpp";
  if (!program) return report.verdict() == Verdict::violated;
  if (machine.routed() && violates(report, {"shape"})) return false;
  return violates(report, {"shape", "causality", "delivery"});
}

class Trial {
 public:
  void add(const naive::Plan& plan, const std::string& spec) {
    const Machine machine = make_machine(spec, plan.problem.ranks);
    Source source = source_of(plan);
    source.machine = spec;
    const Report report = check(source, machine);
    for (const Format* format : schedcc::formats()) {
      if (!format->writable || !format->readable) continue;
      const std::string found = error(source, machine, report, *format);
      if (!found.empty() && ++failures_[std::string(format->name)] <= 4) {
        FAIL_CHECK(format->name << ": " << found << "\n" << text(plan, spec));
      }
    }
  }

  void conclude() {
    for (const auto& [format, failures] : failures_)
      UNSCOPED_INFO(format << ": " << failures << " failures");
    CHECK(failures_.empty());
    for (const Format* format : schedcc::formats()) {
      if (!format->writable || !format->readable) continue;
      INFO(format->name);
      CHECK(found_[std::string(format->name)] > 100);
    }
  }

 private:
  /// An error of the writer or of the reader; empty if there is none.
  std::string error(const Source& source, const Machine& machine, const Report& report,
                    const Format& format) {
    formats::StringOutput out;
    try {
      const Parameters parameters = Spec{}.check(format.parameters, format.name);
      format.write(source, {parameters, machine, "", "schedule"}, out);
    } catch (const InputError& error) {
      if (report.verdict() != Verdict::violated)
        return {};  // correct schedules that cannot be expressed: in other tests
      return out.text.empty() ? "" : std::string("refused after writing: ") + error.what();
    }
    try {
      const Source back = formats::read(out.text, format.name);
      const Report again = check(back, machine);
      if (!must_be_wrong(format, machine, report)) return {};
      ++found_[std::string(format.name)];
      const bool silent = back.program && back.problem.collective == Collective::custom;
      if (again.verdict() == Verdict::violated || (silent && again.verdict() == Verdict::unknown)) {
        return {};
      }
      return "holds; it was wrong: " + report.findings.front().message;
    } catch (const InputError& error) {
      return std::string("is not read: ") + std::to_string(error.location.line) + ": " +
             error.what();
    }
  }

  std::map<std::string, int> failures_, found_;
};

}  // namespace

TEST_CASE("mutants are refused or stay wrong in every format", "[mutants]") {
  Random random(7);
  Trial trial;
  for (const Rank ranks : {2u, 4u, 5u}) {
    for (const std::uint32_t chunks : {1u, 3u}) {
      for_some_cases(ranks, chunks, 1, [&](const Case& c) {
        const naive::Plan whole = plan(c);
        for (int i = 0; i < 5 && !whole.sent.empty(); ++i)
          trial.add(mutant(whole, random), c.machine);
      });
    }
  }
  trial.conclude();
}

TEST_CASE("random schedules are refused or stay wrong in every format", "[mutants]") {
  Random random(8);
  Trial trial;
  for (int i = 0; i < ranges::part(2500, 4000); ++i) {
    const naive::Plan plan = some_plan(random, i % 4 != 0);
    const Rank ranks = plan.problem.ranks;
    const std::vector<std::string> machines{"duplex", "kport:k=2", "logp:L=3,o=1,g=1",
                                            ranks > 1 ? topologies::star(ranks) : "simplex"};
    trial.add(plan, random.pick(machines));
  }
  trial.conclude();
}
