#pragma once

// The checker: the steps of a source are read once, and every check sees each of them.
//
//     source -> shape's filter -> [endpoint checks] -> [lowering] -> checks -> holdings
//
// On a routed machine an endpoint schedule is lowered on the way, and links are checked by hops;
// holdings are decided at the ends of the routes.
//
// By several threads the same is done in stages, over blocks of steps (Pipeline): one reads, one
// makes the checks of single steps, and holdings and each check that follows chunks from step to
// step are stages of their own. No stage changes what another reads. They only show that there is
// nothing to report: as soon as one has a finding, or fails, all is done again by one thread. So
// reports do not depend on the number of threads. By symmetry, too, it is only shown that there is
// nothing to report (symmetry/symmetry.hpp): there the steps are what rank 0 does. So it is without
// the hops of direct exchanges on trees (direct.hpp), and by an excerpt of a schedule that repeats
// itself (period/period.hpp), and by the mirror image of a reduction (mirror.hpp).

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include <fmt/core.h>

#include "analysis/describe_source.hpp"
#include "analysis/route_ends.hpp"
#include "check/abandoned.hpp"
#include "check/checks.hpp"
#include "check/direct.hpp"
#include "check/levels.hpp"
#include "check/period/period.hpp"
#include "check/pipeline.hpp"
#include "check/provenance/provenance.hpp"
#include "check/shape.hpp"
#include "check/step_block.hpp"
#include "check/symmetry/rank_holdings.hpp"
#include "check/symmetry/rank_zero.hpp"
#include "check/threading.hpp"
#include "machine/lowering.hpp"
#include "model/watched_stream.hpp"
#include "schedcc/check.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

extern const CheckEntry causality_check, delivery_check, links_check, ports_check;

/// The steps of another stream, each read while the mutex is held.
class GuardedStream : public StepStream {
 public:
  GuardedStream(std::unique_ptr<StepStream> stream, std::mutex& mutex)
      : stream_(std::move(stream)), mutex_(mutex) {}

  bool next(Step& step) override {
    const std::lock_guard lock(mutex_);
    return stream_->next(step);
  }

 private:
  std::unique_ptr<StepStream> stream_;
  std::mutex& mutex_;
};

/// What is checked instead of all transfers of a source.
struct CheckedPart {
  const Symmetry* symmetry = nullptr;  ///< those of rank 0 of a symmetric schedule
  bool direct = false;                 ///< all of them, without their hops (direct.hpp)
  const Source* whole = nullptr;       ///< an excerpt of this source, or its mirror image,
  CutOut cut_out = {};                 ///< without these
  Report* alone = nullptr;             ///< set to the report of the excerpt, without `cut_out`
  bool one_queue = false;              ///< count the queues of all ranks as one
};

class Checker {
 public:
  Checker(const Source& source, const Machine& machine, const CheckOptions& options,
          const Threading& threading, const CheckedPart& part = {})
      : source_(source),
        machine_(machine),
        options_(options),
        threading_(threading),
        symmetry_(part.symmetry),
        part_(part),
        reporter_(options.max_findings, options.strict),
        hop_level_(machine.routed() && source.hop_level()),
        lowers_(is_lowered(source, machine) && !part.direct),
        provenance_(origins()) {
    source.problem.validate();
    require_level(source, machine);
    describe_problem();
    for (const CheckEntry* entry : selected()) {
      checks_.push_back(entry->make(context()));
      if (entry->follows) add_following(*checks_.back());
      needs_holdings_ |= entry->needs_holdings;
      shares_steps_ &= entry->by_step;
      report_.checks.push_back({entry->name, Verdict::holds});
    }
  }

  /// Throws Abandoned if it is to be done again by one thread, transfer by transfer.
  Report run() {
    reporter_.notes(source_.notes);
    reporter_.refuse(symmetry_ != nullptr || part_.direct || part_.whole != nullptr);
    examine();
    reporter_.refuse(false);
    if (source_.rendezvous_deadlock && was_made("deadlock"))
      report_findings(*source_.rendezvous_deadlock);
    return conclude();
  }

  /// The same for an excerpt whose report, without what was cut out, is known.
  Report run(const Report& alone) {
    report_ = alone;
    describe_problem();
    return complete();
  }

  /// The same where a schedule for another problem was checked, whose figures are those of a part
  /// of this one, so that all checks hold.
  Report run_by_figures(Report figures) {
    figures.checks = report_.checks;
    figures.lower_bound.reset();
    if (was_made("bound")) figures.lower_bound.emplace();
    return run(figures);
  }

  /// As `run` for a share. `merge` gets the figures of the share, and the hash of what was read,
  /// and replaces them by the figures of all shares. Throws Abandoned, or whatever a check does, if
  /// there may be something to report.
  Report run_share(const MergeFigures& merge) {
    if (source_.rendezvous_deadlock && was_made("deadlock")) throw Abandoned();
    reporter_.notes(source_.notes);
    const std::uint64_t hash = examine_share();
    merge(report_, hash);
    return conclude();
  }

 private:
  Report conclude() {
    for (const auto& check : checks_) check->conclude();
    if (part_.alone != nullptr) *part_.alone = report_;
    return complete();
  }

  /// With the figures of this process, or of all that share the check.
  Report complete() {
    if (part_.whole != nullptr) add_cut_out();
    for (CheckResult& result : report_.checks) reporter_.conclude(result);
    claim_queues();
    report_.findings = reporter_.take();
    report_.findings_total = reporter_.total();
    const auto& bound = report_.lower_bound;
    report_.below_bound = bound && report_.verdict() == Verdict::holds && proves_steps() &&
                          ((bound->steps && report_.steps < *bound->steps) ||
                           (bound->volume && report_.volume < *bound->volume));
    return std::move(report_);
  }

  Context context() {
    return {source_.problem,
            machine_,
            options_,
            nodes(),
            hop_level_,
            !source_.file.empty(),
            reporter_,
            report_,
            [this] { return reopen(); },
            &provenance_,
            threading_.threads,
            threading_.share,
            &most_rounds_,
            part_.cut_out.kept,
            symmetry_ != nullptr,
            part_.direct,
            part_.whole == nullptr ? threading_.demand : nullptr,
            part_.one_queue};
  }

  void add_following(Check& check) {
    for (std::size_t part = 0; part < check.parts(); ++part) following_.emplace_back(&check, part);
  }

  std::uint64_t nodes() const {
    return lowers_ ? machine_.network()->nodes() : source_.node_count();
  }

  void describe_problem() {
    describe_source(source_, source_.problem, report_);
    report_.chosen = source_.chosen;
    report_.machine = machine_.spec();
    report_.timed = machine_.timing() != nullptr;
    if (machine_.routed()) report_.hops = 0;
  }

  /// To the figures of an excerpt. Throws Abandoned if there is anything to report.
  void add_cut_out() {
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

  void claim_queues() {
    const auto& claimed = source_.claimed_queues;
    for (std::size_t i = 0; i < std::min(claimed.size(), report_.queues.size()); ++i)
      report_.queues[i].claimed = claimed[i];
  }

  /// The requested checks, in the order of the list; all that apply if none are named.
  std::vector<const CheckEntry*> selected() {
    std::vector<const CheckEntry*> result;
    for (const CheckEntry* entry : check_entries()) {
      if (asks_for(options_, entry->name) && applies(*entry)) result.push_back(entry);
    }
    return result;
  }

  bool applies(const CheckEntry& entry) {
    return entry.applies == nullptr || entry.applies(context());
  }

  bool was_made(std::string_view check) const {
    return std::ranges::find(report_.checks, check, &CheckResult::check) != report_.checks.end();
  }

  /// Were the checks made on which the lower bound relies?
  bool proves_steps() {
    const auto needed = {&causality_check, &delivery_check, &ports_check, &links_check};
    return std::ranges::all_of(
        needed, [this](const CheckEntry* e) { return !applies(*e) || was_made(e->name); });
  }

  std::unique_ptr<StepStream> open(bool report) {
    Context input = context();
    if (lowers_) input.nodes = source_.problem.ranks;
    return well_formed_steps(source_.open(), input, report && was_made("shape"));
  }

  std::unique_ptr<StepStream> lowered(std::unique_ptr<StepStream> stream) const {
    return lowers_ ? lower(std::move(stream), machine_, source_.problem.ranks) : std::move(stream);
  }

  /// For a stage; sources need not be ready for two threads that read at a time.
  std::unique_ptr<StepStream> reopen() {
    if (threading_.threads == 1) return lowered(open(false));
    const std::lock_guard lock(reading_);
    return std::make_unique<GuardedStream>(lowered(open(false)), reading_);
  }

  provenance::Origins origins() {
    return {source_.problem, [this] { return open(false); }, arrival_time(source_, machine_),
            [this](Rank node) { return context().node(node); }};
  }

  /// How many there are of what is seen `count` times. By symmetry everything is seen at rank 0
  /// only, at both of its ends.
  std::uint64_t all(std::uint64_t count) const {
    return symmetry_ != nullptr ? count / 2 * symmetry_->ranks() : count;
  }

  /// Figures and checks at the level of the input.
  void input_step(const Step& step, const Digest& digest) {
    report_.transfers += all(step.transfers.size());
    report_.messages += all(digest.size());
    const std::uint64_t largest = digest.largest();
    if (!source_.problem.tokens()) report_.volume += largest;
    report_.width = std::max(report_.width, largest);
    for (const auto& check : checks_) check->endpoint(step, digest);
  }

  void examine() {
    make_holdings();
    open_steps();
    for (Step step; steps_->next(step);) {
      if (step.transfers.empty()) continue;
      note_read(step);
      report_progress();
      if (spreads()) {
        examine_by_threads(step);
        break;
      }
      ends_.read(step);
      if (!examine({step, ends_.sent(), ends_.received()})) return;
    }
    finish();
  }

  void make_holdings() {
    if (!needs_holdings_) return;
    if (symmetry_ != nullptr) {
      holdings_ = rank_holdings(source_.problem, *symmetry_);
      return;
    }
    if (part_.direct) {
      holdings_ = direct_holdings(source_.problem);
      return;
    }
    if (may_be_along_trees(source_.problem) && machine_.latency() == 1 && !lowers_ &&
        nodes() == source_.problem.ranks && threading_.share.whole()) {
      holdings_ = tree_holdings(source_.problem, [this] { return reopen(); });
      return;
    }
    const auto make = source_.problem.reduction() ? reduction_holdings : copy_holdings;
    const std::uint64_t holders = lowers_ ? source_.problem.ranks : nodes();
    holdings_ = make(source_.problem, holders, machine_.latency(),
                     threading_.share.chunks(source_.problem));
  }

  void open_steps() {
    steps_ = open(true);
    if (!lowers_) return;
    steps_ = std::make_unique<WatchedStream>(std::move(steps_), [this](const Step& step) {
      if (!threading_.share.has_step(step.number, shares_steps_)) return;
      input_digest_.read(step);
      input_step(step, input_digest_);
    });
    steps_ = lowered(std::move(steps_));
  }

  /// All stages of a step; false if the first error is enough, and was found.
  bool examine(const StepEnds& ends) {
    inspect(ends);
    if (stops()) return false;
    for (const auto& [check, part] : following_) check->follow(ends, part);
    if (holdings_) advance(ends, digest_.chunks_meet());
    return !stops();
  }

  bool stops() const { return options_.fail_fast && reporter_.any_violated(); }

  /// What the digest of a step is needed for. If the first error is enough, the most expensive
  /// check, shape, which is the first, comes last.
  void inspect(const StepEnds& ends) {
    const Step& step = ends.step;
    digest_.read(step);
    if (!lowers_) input_step(step, digest_);
    if (report_.hops && !part_.direct) *report_.hops += all(step.transfers.size());
    report_.steps = step.number + machine_.latency();
    const StepView view{ends, digest_};
    if (!options_.fail_fast) {
      for (const auto& check : checks_) check->step(view);
    } else {
      for (std::size_t i = checks_.size(); i-- > 0 && !stops();) checks_[i]->step(view);
    }
  }

  /// The stages of all steps for a share of the check; the hash of what was read.
  std::uint64_t examine_share();
  void examine_share(const Step& step, StepCut& cut);
  void finish_share();
  bool follows_chunks() const {
    return holdings_ || std::ranges::any_of(following_, [](const auto& following) {
             return following.first->follows_chunks();
           });
  }

  void advance(const StepEnds& ends, bool meet) {
    holdings_->advance(ends.sent, meet, outcome_);
    if (!outcome_.empty()) report_findings(outcome_);
  }

  /// After the last step.
  void finish() {
    if (holdings_) {
      holdings_->finish(outcome_);  // transfers still under way
      report_findings(outcome_);
      provenance_.trace(was_made("delivery") ? holdings_.get() : nullptr);
    }
    for (const auto& check : checks_) check->finish(holdings_.get());
  }

  /// Are there threads for the steps that are left, and is it worth starting them? Not where there
  /// is something to report already: there will be more of it.
  bool spreads() const {
    return threading_.threads > 1 && seen_.load(relaxed) >= threading_.alone &&
           !options_.fail_fast && !reporter_.any();
  }

  /// The steps that are left, of which `first` was read already. Throws Abandoned if there is
  /// anything to report.
  void examine_by_threads(const Step& first);
  /// Reads the next steps of a block. Returns why the source cannot be read further, if so: then
  /// the block ends there.
  std::exception_ptr read(StepBlock& block);

  void report_findings(const Holdings::Outcome& outcome) {
    // Their causes are found by the process that reports.
    const bool wrong = !outcome.unheld.empty() || !outcome.unordered.empty();
    if (wrong && !threading_.share.whole()) throw Abandoned();
    provenance_.note(outcome);
    for (const auto& check : checks_) check->faults(outcome);
  }

  /// With --eager messages are buffered.
  void report_findings(const RendezvousDeadlock& deadlock) {
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

  void note_read(const Step& step) {  // one thread at a time does, others may read
    most_rounds_ = std::max<std::uint64_t>(most_rounds_, step.rounds);
    seen_.store(seen_.load(relaxed) + all(step.transfers.size()), relaxed);
  }

  void report_progress() {
    constexpr std::uint64_t interval = 1 << 18;
    const std::uint64_t seen = seen_.load(relaxed);
    if (options_.progress && seen >= next_report_) {
      options_.progress(seen);
      next_report_ = seen + interval;
    }
  }

  static constexpr auto relaxed = std::memory_order_relaxed;

  const Source& source_;
  const Machine& machine_;
  const CheckOptions& options_;
  const Threading& threading_;
  const Symmetry* symmetry_;  ///< by which it is checked; nullptr: transfer by transfer
  CheckedPart part_;
  Report report_;
  Reporter reporter_;
  bool hop_level_;  ///< of a network; other machines have only one level
  bool lowers_;
  bool needs_holdings_ = false;
  bool shares_steps_ = machine_.timing() == nullptr;  ///< with other processes
  provenance::Provenance provenance_;
  std::vector<std::unique_ptr<Check>> checks_;
  std::vector<std::pair<Check*, std::size_t>> following_;  ///< those that follow steps, by part
  std::unique_ptr<StepStream> steps_;
  std::mutex reading_;  ///< held by a stage that reads the source
  RouteEnds ends_;
  std::atomic<std::uint64_t> seen_ = 0;  ///< transfers read
  std::uint64_t next_report_ = 0;
  std::uint64_t most_rounds_ = 1;  ///< of a step
  Digest cut_digest_;              ///< of a step that is cut
  // The states of stages are not in the same cache line.
  Digest input_digest_;  ///< of what is lowered
  alignas(64) Digest digest_;
  alignas(64) std::unique_ptr<Holdings> holdings_;
  Holdings::Outcome outcome_;
};

}  // namespace schedcc
