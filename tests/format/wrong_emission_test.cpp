// Wrong schedules, written all the same (--no-verify): a writer refuses what its format cannot say,
// with nothing written; what it does write, the reader of the format reads, and the checks find
// wrong again. So the loop goes over all formats that are written and read.

#include <algorithm>
#include <map>
#include <optional>

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

/// A program knows nothing of ports, links and steps, nor of routes on which chunks meet: it may be
/// right where nothing else was wrong.
bool must_be_wrong(const Format& format, const Machine& machine, const Report& report) {
  if (format.name != "msccl") return report.verdict() == Verdict::violated;
  if (machine.routed() && violates(report, {"shape"})) return false;
  return violates(report, {"shape", "causality", "delivery"});
}

class Trial {
 public:
  void add(const Plan& plan, const std::string& spec) {
    const Machine machine = make_machine(spec, plan.problem.ranks);
    Source source = source_of(plan);
    source.machine = spec;
    const Report report = check(source, machine);
    for (const Format* format : schedcc::formats()) {
      if (!format->writable || !format->readable) continue;
      const std::string trouble = this->trouble(source, machine, report, *format);
      if (!trouble.empty() && ++failures_[std::string(format->name)] <= 4) {
        FAIL_CHECK(format->name << ": " << trouble << "\n" << text(plan, spec));
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
  /// What is not as it should be; empty if nothing.
  std::string trouble(const Source& source, const Machine& machine, const Report& report,
                      const Format& format) {
    formats::StringOutput out;
    try {
      const Parameters parameters = Spec{}.check(format.parameters, format.name);
      format.write(source, {parameters, machine, "", "schedule"}, out);
    } catch (const InputError& error) {
      if (report.verdict() != Verdict::violated) return {};  // other tests say what has no words
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
      return std::string("is not read: ") + std::to_string(error.place.line) + ": " + error.what();
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
      for_each_case(ranks, chunks, [&](const Case& c) {
        if (!random.one_in(4)) return;
        const Plan whole = plan(c);
        for (int i = 0; i < 6 && !whole.sent.empty(); ++i)
          trial.add(mutant(whole, random), c.machine);
      });
    }
  }
  trial.conclude();
}

TEST_CASE("random schedules are refused or stay wrong in every format", "[mutants]") {
  Random random(8);
  Trial trial;
  for (int i = 0; i < 4000; ++i) {
    const Plan plan = some_plan(random, i % 4 != 0);
    const Rank ranks = plan.problem.ranks;
    const std::vector<std::string> machines{"duplex", "kport:k=2", "logp:L=3,o=1,g=1",
                                            ranks > 1 ? topologies::star(ranks) : "simplex"};
    trial.add(plan, random.pick(machines));
  }
  trial.conclude();
}
