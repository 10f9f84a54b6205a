// The share of one process of a check (share.hpp).

#include <algorithm>

#include "check/checker.hpp"

namespace schedcc {

Report Checker::run_share(const MergeFigures& merge) {
  if (source_.rendezvous_deadlock && was_made("deadlock")) throw Abandoned();
  reporter_.notes(source_.notes);
  const std::uint64_t hash = examine_share();
  merge(report_, hash);
  return conclude();
}

std::uint64_t Checker::examine_share() {
  reporter_.refuse(true);
  make_holdings();
  open_steps();
  StepCut cut(threading_.share.chunks(source_.problem));
  SourceHash hash;
  hash.add(source_.problem);
  for (Step step; next(step);) {
    report_progress();
    hash.add(step);
    examine_share(step, cut);
  }
  finish_share();
  reporter_.refuse(false);
  return hash.value();
}

void Checker::examine_share(const Step& step, StepCut& cut) {
  report_.steps = step.number + machine_.latency();
  ends_.read(step);
  const StepEnds whole{step, ends_.sent(), ends_.received()};
  begin_queues(step);
  if (threading_.share.has_step(step.number, shares_steps_)) inspect(whole);
  for (const auto& [check, part] : following_) {
    if (!check->follows_chunks()) check->follow(whole, part);
  }
  if (!follows_chunks()) return;
  const StepEnds own{cut.read(step), cut.ends().sent(), cut.ends().received()};
  for (const auto& [check, part] : following_) {
    if (check->follows_chunks()) check->follow(own, part);
  }
  if (!holdings_) return;
  cut_digest_.read(own.step);
  advance(own, cut_digest_.chunks_meet());
}

bool Checker::follows_chunks() const {
  return holdings_ || std::ranges::any_of(following_, [](const auto& following) {
           return following.first->follows_chunks();
         });
}

void Checker::finish_share() {
  if (holdings_) {
    // A schedule of fewer transfers than ranks is soon checked by one process.
    if (seen_.load(relaxed) < source_.problem.ranks / 2) throw Abandoned();
    holdings_->finish(outcome_);
    report_findings(outcome_);
    if (was_made("delivery") && !holdings_->all_complete()) throw Abandoned();
  }
  for (const auto& check : checks_) check->finish(holdings_.get());
  if (report_.verdict() != Verdict::holds && !report_.checks.empty()) throw Abandoned();
}

Report check_share(const Source& source, const Machine& machine, const CheckOptions& options,
                   const Share& share, const MergeFigures& merge) {
  return Checker(source, machine, options, {.threads = 1, .share = share}).run_share(merge);
}

}  // namespace schedcc
