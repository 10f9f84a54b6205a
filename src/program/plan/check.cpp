// The checks of execution plans, for all runs and any number of successive invocations:
//
//     limits    the limits of the runtime, and accesses within buffers
//     matching  as many signals as waits, releases as acquires, threadblocks at barriers; channels
//               that lead where their data go
//     deadlock  no thread waits forever
//     races     two accesses to the same memory, one to write it, are ordered, also in successive
//               invocations
//     delivery  no data are read that were not written in the same invocation, and the collective's
//               end state holds, with every contribution counted once
//     agreement all ranks that end with a sum end with the same expression (a warning)
//
// An invocation is like every other one if it leaves no signal over, apart from the half of scratch
// that it uses. So two are executed, and with halves three.

#include "program/plan/check.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "program/explain.hpp"
#include "program/findings.hpp"
#include "program/plan/explain.hpp"
#include "program/plan/figures.hpp"
#include "program/plan/limits.hpp"
#include "program/plan/location.hpp"
#include "program/plan/order.hpp"
#include "program/plan/run.hpp"
#include "program/plan/trace.hpp"
#include "program/plan/values.hpp"
#include "program/report.hpp"

namespace schedcc {

namespace {

using program::finding_at;
using program::location;
using program::PlanTrace;

/// A clock has a number for each.
constexpr std::uint64_t max_blocks = 8192;

class PlanChecker {
 public:
  PlanChecker(const Source& source, const CheckOptions& options)
      : source_(source),
        plan_(*source.plan),
        result_(source, plan_.problem, plan_.has_problem(), options) {}

  Report run() {
    describe();
    for (const auto& finding : program::static_findings(plan_)) result_.add(finding);
    const program::PlanGrids grids = program::grids(plan_);
    for (const program::PlanGrid& grid : grids.grids) {
      check(grid);
      if (result_.reporter.any_violated()) break;
    }
    if (!grids.undecided.empty()) {
      result_.undecided({"limits", "deadlock", "races", "delivery"},
                        grids.undecided + ": not all call sizes are analysed");
    }
    return result_.take();
  }

 private:
  void describe() {
    result_.report.machine = fmt::format("mscclpp:{}", plan_.packets() ? "LL" : "Simple");
    result_.report.threadblocks = 0;
    for (const PlanGpu& gpu : plan_.gpus) *result_.report.threadblocks += gpu.blocks.size();
  }

  void check(const program::PlanGrid& grid) {
    if (const std::string limit = exceeded_tracking_limit(); !limit.empty()) {
      result_.undecided({"matching", "deadlock", "races", "delivery", "agreement"}, limit);
      return;
    }
    PlanTrace trace(plan_, grid, plan_.two_halves ? 3 : 2);
    if (trace.too_large()) {
      result_.undecided(
          {"limits", "matching", "deadlock", "races", "delivery", "agreement"},
          fmt::format("its invocations have more than {} actions, the limit of the analysis",
                      PlanTrace::max_actions));
      return;
    }
    for (const auto& finding : trace.findings()) result_.add(finding);
    follow(trace);
  }

  /// Runs the trace, and makes the checks that need its runs.
  void follow(PlanTrace& trace) {
    program::PlanGraph graph(trace);
    const program::PlanRun run = program::run_matched(trace, graph);
    if (result_.report.steps == 0) describe(program::figures_of(trace, graph, run));
    if (!run.complete) {
      report_stop(trace, graph, run);
      result_.undecided({"races", "delivery", "agreement"},
                        "the plan does not complete (see the check deadlock)");
      return;
    }
    check_idle();
    report_undecided_matches(trace);
    check_races(trace, graph, run.order);
    check_values(trace, run.order);
  }

  /// Matches of signals, and slices of pipelines, that one run does not decide.
  void report_undecided_matches(const PlanTrace& trace) {
    if (trace.shared_waits()) {
      result_.undecided({"deadlock"},
                        "several threadblocks wait for the same signals, and which of them gets "
                        "the first one is not known");
    }
    if (trace.waits_for_later_slice()) {
      result_.undecided(
          {"deadlock", "races"},
          "a slice of a pipeline waits for a later one; the analysis covers only a few slices");
    }
  }

  /// Why nothing is followed; empty if the plan is.
  std::string exceeded_tracking_limit() const {
    for (Rank gpu = 0; gpu < plan_.gpus.size(); ++gpu) {
      const PlanGpu& g = plan_.gpus[gpu];
      for (const auto* peers : {&g.memory, &g.port}) {
        if (std::ranges::find(*peers, gpu) == peers->end()) continue;
        return fmt::format("GPU {} has a channel to itself, whose ends are not known", gpu);
      }
    }
    for (const PlanGpu& gpu : plan_.gpus) {
      for (const PlanThreadblock& block : gpu.blocks) {
        if (block.steps.size() > program::plan_limits::steps) {
          return "the runtime does not load the plan (see the check limits)";
        }
      }
    }
    if (*result_.report.threadblocks <= max_blocks) return "";
    return fmt::format("it has more than {} threadblocks, the limit of the analysis", max_blocks);
  }

  void report_stop(const PlanTrace& trace, const program::PlanGraph& graph,
                   const program::PlanRun& run) {
    if (!result_.wanted("deadlock")) return;
    for (const program::PlanStop& stop : program::explain_stop(trace, graph, run)) {
      result_.reporter.error("deadlock", [&] {
        return finding_at(trace.location(stop.block, stop.step), stop.message,
                          trace.locations(stop.others));
      });
    }
    if (!result_.reporter.violated("deadlock")) {
      result_.reporter.error(
          "deadlock", [&] { return finding_at(location(plan_), "the plan does not complete"); });
    }
  }

  /// What the runtime does with a GPU without threadblocks is not known.
  void check_idle() {
    for (Rank gpu = 0; gpu < plan_.gpus.size(); ++gpu) {
      if (!plan_.gpus[gpu].blocks.empty()) continue;
      result_.undecided({"deadlock"},
                        fmt::format("GPU {} has no threadblocks, and it is not known whether the "
                                    "runtime starts it",
                                    gpu));
    }
  }

  void check_races(const PlanTrace& trace, const program::PlanGraph& graph,
                   const std::vector<program::Node>& order) {
    if (!result_.wanted("races")) return;
    const program::PlanRaces races = program::find_races(trace, graph, order);
    if (!races.found.empty() && trace.shared_posts()) {
      result_.undecided(
          {"races"},
          "several threadblocks signal on one channel, or release one semaphore, and which of "
          "them a wait has seen is not known: " +
              explain(trace, races.found.front()));
      return;
    }
    for (const program::PlanRace& race : races.found) {
      result_.reporter.error("races", [&] {
        const program::PlanRace& r = race;
        const bool caller = trace.actions()[r.second].step == program::no_step;
        const program::PlanAction& at = trace.actions()[caller ? r.first : r.second];
        return finding_at(trace.location(at.owner, at.step),
                          explain(trace, r) + program::undefined_order,
                          trace.locations({r.first, r.second}));
      });
    }
    if (!races.doubtful.empty()) {
      result_.undecided(
          {"races"},
          explain(trace, races.doubtful.front()) +
              "; they are ordered in time, but only by relaxed signals, or by those of a port "
              "channel, which are not known to publish data");
    }
    if (!races.by_switch.empty()) {
      result_.undecided({"races"},
                        explain(trace, races.by_switch.front()) +
                            "; they are ordered in time, but one of them uses the address of a "
                            "switch, and signals are not known to order it");
    }
  }

  void check_values(const PlanTrace& trace, const std::vector<program::Node>& order) {
    if (!result_.wanted("delivery") && !result_.wanted("agreement")) return;
    if (!plan_.has_problem()) {
      return result_.undecided(
          {"delivery"},
          fmt::format("the end state of the collective '{}' is not known", plan_.collective));
    }
    program::PlanValues values(trace);
    values.run(order);
    if (result_.wanted("delivery")) {
      if (source_.problem.ordered) {
        result_.undecided({"delivery"},
                          "the order of the operands of a plan's reductions is not checked");
      }
      for (const program::InvalidUse& use : values.invalid_uses()) report(trace, use);
      for (const program::WrongEnd& end : values.wrong_ends()) report(end);
    }
    if (result_.wanted("agreement")) check_agreement(values);
  }

  void report(const PlanTrace& trace, const program::InvalidUse& use) {
    const auto make = [&] {
      const program::PlanAction& a = trace.actions()[use.action];
      return finding_at(trace.location(a.owner, a.step), explain(trace, use));
    };
    if (use.kind == program::InvalidUse::Kind::writes_input) {
      result_.reporter.warning("delivery", make);
    } else {
      result_.reporter.error("delivery", make);
    }
  }

  void report(const program::WrongEnd& end) {
    if (end.invocation > 0 && !plan_.two_halves) return;  // like the first
    result_.reporter.error("delivery", [&] {
      const bool second_half = end.invocation % 2 == 1;
      Finding finding =
          finding_at(location(plan_, end.gpu),
                     explain(end, second_half ? ", if it uses the second half of scratch" : ""));
      finding.chunk = end.chunk;
      return finding;
    });
  }

  /// Without races, an operation adds the same values in every run.
  void check_agreement(const program::PlanValues& values) {
    if (result_.reporter.violated("races"))
      return result_.undecided({"agreement"}, "accesses are not ordered (see the check races)");
    const auto found = values.disagreement();
    if (!found || warned_) return;
    warned_ = true;
    result_.reporter.warning("agreement", [&] {
      Finding finding = finding_at(location(plan_, found->other), explain(*found));
      finding.chunk = found->chunk;
      return finding;
    });
  }

  void describe(const program::PlanFigures& figures) {
    result_.report.steps = figures.steps;
    result_.report.messages += figures.messages;
    result_.report.transfers = result_.report.messages;
    result_.report.volume = std::max(result_.report.volume, figures.volume);
  }

  const Source& source_;
  const Plan& plan_;
  program::ProgramReport result_;
  bool warned_ = false;  ///< of sums that differ
};

}  // namespace

Report check_plan(const Source& source, const CheckOptions& options) {
  return PlanChecker(source, options).run();
}

}  // namespace schedcc
