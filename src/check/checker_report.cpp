// The report of a checker: its figures, its findings, and what follows from both.

#include <algorithm>

#include "analysis/describe_source.hpp"
#include "check/checker.hpp"

namespace schedcc {

extern const CheckEntry causality_check, delivery_check, links_check, ports_check;

Report Checker::run(const Report& alone) {
  report_ = alone;
  describe_problem();
  return complete();
}

Report Checker::run_by_figures(Report figures) {
  figures.checks = report_.checks;
  figures.lower_bound.reset();
  if (was_made("bound")) figures.lower_bound.emplace();
  return run(figures);
}

Report Checker::conclude() {
  for (const auto& check : checks_) check->conclude();
  if (part_.alone != nullptr) *part_.alone = report_;
  return complete();
}

Report Checker::complete() {
  if (part_.whole != nullptr) add_cut_out();
  for (CheckResult& result : report_.checks) reporter_.conclude(result);
  claim_queues();
  report_.findings = reporter_.take();
  for (Finding& finding : report_.findings) name_rank(finding);
  report_.findings_total = reporter_.total();
  report_.below_bound =
      is_below_bound(report_) && report_.verdict() == Verdict::holds && proves_steps();
  return std::move(report_);
}

void Checker::describe_problem() {
  describe_source(source_, source_.problem, report_);
  report_.chosen = source_.chosen;
  report_.machine = machine_.spec();
  report_.timed = machine_.timing() != nullptr;
  if (machine_.routed()) report_.hops = 0;
}

void Checker::add_cut_out() {
  if (reporter_.any() || report_.verdict() != Verdict::holds) throw Abandoned();
  const CutOut& more = part_.cut_out;
  if (more.single_chunks && report_.width != 1) throw Abandoned();
  report_.steps += more.steps;
  report_.transfers += more.transfers;
  report_.messages += more.messages;
  report_.volume += more.volume;
  report_.root.reset();
  describe_source(*part_.whole, part_.whole->problem, report_);
  if (report_.lower_bound)
    report_.lower_bound = bound_of_report(part_.whole->problem, machine_, report_);
}

void Checker::claim_queues() {
  const auto& claimed = source_.claimed_queues;
  for (std::size_t i = 0; i < std::min(claimed.size(), report_.queues.size()); ++i)
    report_.queues[i].claimed = claimed[i];
}

void Checker::name_rank(Finding& finding) const {
  const auto is_rank = [this](std::uint64_t node) { return node < source_.problem.ranks; };
  const bool router = finding.rank && !is_rank(*finding.rank) && machine_.routed() &&
                      *finding.rank < machine_.network()->nodes();
  if (!router) return;
  finding.rank.reset();
  const auto take = [&](std::optional<std::uint64_t> node) {
    if (!finding.rank && node && is_rank(*node)) finding.rank = node;
  };
  take(finding.dst);
  if (finding.hop_of) take(finding.hop_of->dst);
  take(finding.src);
}

bool Checker::was_made(std::string_view check) const {
  return std::ranges::find(report_.checks, check, &CheckResult::check) != report_.checks.end();
}

bool Checker::proves_steps() {
  const auto needed = {&causality_check, &delivery_check, &ports_check, &links_check};
  return std::ranges::all_of(
      needed, [this](const CheckEntry* e) { return !applies(*e) || was_made(e->name); });
}

void Checker::report_findings(const Holdings::Outcome& outcome) {
  // Their causes are found by the process that reports.
  const bool wrong = !outcome.unheld.empty() || !outcome.unordered.empty();
  if (wrong && !threading_.share.whole()) throw Abandoned();
  provenance_.note(outcome);
  for (const auto& check : checks_) check->faults(outcome);
}

void Checker::report_findings(const RendezvousDeadlock& deadlock) {
  const auto make = [&] {
    Finding finding;
    finding.rank = deadlock.rank;
    finding.line = deadlock.line;
    finding.message = deadlock.message;
    return finding;
  };
  if (deadlock.long_messages && options_.eager == 0) {
    reporter_.error("deadlock", make);
  } else {
    reporter_.warning("deadlock", make);
  }
}

}  // namespace schedcc
