// The checker: the steps of a source are read once, and every check sees each of them.
//
//     source -> shape's filter -> [endpoint checks] -> [lowering] -> holdings -> checks
//
// On a routed machine an endpoint schedule is lowered on the way, and links are checked by hops;
// holdings are decided at the ends of the routes.

#include "schedcc/check.hpp"
#include "model/watched_stream.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "analysis/describe_source.hpp"
#include "analysis/route_ends.hpp"
#include "check/checks.hpp"
#include "check/levels.hpp"
#include "check/provenance/provenance.hpp"
#include "check/shape.hpp"
#include "core/names.hpp"
#include "machine/lowering.hpp"
#include "program/check.hpp"
#include "program/plan/check.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

// clang-format off
#define SCHEDCC_CHECKS(ENTRY) \
  ENTRY(shape) ENTRY(ports) ENTRY(links) ENTRY(switches) ENTRY(causality) ENTRY(delivery) \
  ENTRY(deadlock) \
  ENTRY(buffers) ENTRY(redundancy) ENTRY(agreement) ENTRY(same_as) ENTRY(bound)
// clang-format on

#define SCHEDCC_DECLARE(name) extern const CheckEntry name##_check;
SCHEDCC_CHECKS(SCHEDCC_DECLARE)
#undef SCHEDCC_DECLARE

std::span<const CheckEntry* const> check_entries() {
#define SCHEDCC_ADDRESS(name) &name##_check,
  static constexpr const CheckEntry* list[] = {SCHEDCC_CHECKS(SCHEDCC_ADDRESS)};
#undef SCHEDCC_ADDRESS
  return list;
}

std::string Context::node(Rank node) const { return describe_node(problem, machine, node); }

std::string Context::ends(const Transfer& transfer) const {
  return fmt::format("{} to {}", node(transfer.src), node(transfer.dst));
}

void Context::undecided(std::string_view check, const std::string& reason) const {
  for (CheckResult& result : report.checks) {
    if (result.check == check) result = {result.check, Verdict::unknown, reason};
  }
}

namespace {

class Checker {
 public:
  Checker(const Source& source, const Machine& machine, const CheckOptions& options)
      : source_(source),
        machine_(machine),
        options_(options),
        reporter_(options.max_findings, options.strict),
        hop_level_(machine.routed() && source.hop_level()),
        lowers_(is_lowered(source, machine)),
        provenance_(origins()) {
    source.problem.validate();
    require_level(source, machine);
    describe_problem();
    for (const CheckEntry* entry : selected()) {
      checks_.push_back(entry->make(context()));
      needs_holdings_ |= entry->needs_holdings;
      report_.checks.push_back({entry->name, Verdict::holds});
    }
  }

  Report run() {
    reporter_.notes(source_.notes);
    examine();
    if (source_.rendezvous_deadlock && was_made("deadlock"))
      report_findings(*source_.rendezvous_deadlock);
    for (CheckResult& result : report_.checks) {
      if (reporter_.violated(result.check)) result.verdict = Verdict::violated;
    }
    claim_queues();
    report_.findings = reporter_.take();
    report_.findings_total = reporter_.total();
    const auto& bound = report_.lower_bound;
    report_.below_bound = bound && report_.verdict() == Verdict::holds && proves_steps() &&
                          ((bound->steps && report_.steps < *bound->steps) ||
                           (bound->volume && report_.volume < *bound->volume));
    return std::move(report_);
  }

 private:
  Context context() {
    return {source_.problem, machine_,   options_,
            nodes(),         hop_level_, !source_.file.empty(),
            reporter_,       report_,    [this] { return reopen(); },
            &provenance_};
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

  void claim_queues() {
    const auto& claimed = source_.claimed_queues;
    for (std::size_t i = 0; i < std::min(claimed.size(), report_.queues.size()); ++i)
      report_.queues[i].claimed = claimed[i];
  }

  /// The requested checks, in the order of the list; all that apply if none are named.
  std::vector<const CheckEntry*> selected() {
    const auto& chosen = options_.checks;
    std::vector<const CheckEntry*> result;
    for (const CheckEntry* entry : check_entries()) {
      const bool wanted = !chosen || std::ranges::find(*chosen, entry->name) != chosen->end();
      if (wanted && applies(*entry)) result.push_back(entry);
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

  std::unique_ptr<StepStream> reopen() {
    auto stream = open(false);
    return lowers_ ? lower(std::move(stream), machine_, source_.problem.ranks) : std::move(stream);
  }

  provenance::Origins origins() {
    return {source_.problem, [this] { return open(false); }, arrival_time(source_, machine_),
            [this](Rank node) { return context().node(node); }};
  }

  /// Figures and checks at the level of the input.
  void input_step(const Step& step, const Digest& digest) {
    report_.transfers += step.transfers.size();
    report_.messages += digest.size();
    const std::uint64_t largest = digest.largest();
    if (!source_.problem.tokens()) report_.volume += largest;
    report_.width = std::max(report_.width, largest);
    for (const auto& check : checks_) check->endpoint(step, digest);
  }

  void examine() {
    std::unique_ptr<Holdings> holdings;
    if (needs_holdings_) {
      const auto make = source_.problem.reduction() ? reduction_holdings : copy_holdings;
      const std::uint64_t holders = lowers_ ? source_.problem.ranks : nodes();
      holdings = make(source_.problem, holders, machine_.latency());
    }
    auto stream = open(true);
    Digest input_digest;
    if (lowers_) {
      stream = std::make_unique<WatchedStream>(std::move(stream), [&](const Step& step) {
        input_digest.read(step);
        input_step(step, input_digest);
      });
      stream = lower(std::move(stream), machine_, source_.problem.ranks);
    }
    Digest digest;
    RouteEnds ends;
    Holdings::Outcome outcome;
    for (Step step; stream->next(step);) {
      if (step.transfers.empty()) continue;
      report_progress(step);
      digest.read(step);
      if (!lowers_) input_step(step, digest);
      if (report_.hops) *report_.hops += step.transfers.size();
      report_.steps = step.number + machine_.latency();
      ends.read(step);
      if (!process({step, digest, ends.sent(), ends.received()})) return;
      if (holdings) {
        holdings->advance(ends.sent(), digest.chunks_meet(), outcome);
        if (!outcome.empty()) report_findings(outcome);
      }
      if (options_.fail_fast && reporter_.any_violated()) return;
    }
    if (holdings) {
      holdings->finish(outcome);  // transfers still under way
      report_findings(outcome);
      provenance_.trace(was_made("delivery") ? holdings.get() : nullptr);
    }
    for (const auto& check : checks_) check->finish(holdings.get());
  }

  /// False if the first error is enough, and was found. In that case the most expensive check,
  /// shape, which is the first, comes last.
  bool process(const StepView& view) {
    if (!options_.fail_fast) {
      for (const auto& check : checks_) check->step(view);
      return true;
    }
    for (std::size_t i = checks_.size(); i-- > 0;) {
      checks_[i]->step(view);
      if (reporter_.any_violated()) return false;
    }
    return true;
  }

  void report_findings(const Holdings::Outcome& outcome) {
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

  void report_progress(const Step& step) {
    constexpr std::uint64_t interval = 1 << 18;
    seen_ += step.transfers.size();
    if (options_.progress && seen_ >= next_report_) {
      options_.progress(seen_);
      next_report_ = seen_ + interval;
    }
  }

  const Source& source_;
  const Machine& machine_;
  const CheckOptions& options_;
  Report report_;
  Reporter reporter_;
  bool hop_level_;  ///< of a network; other machines have only one level
  bool lowers_;
  bool needs_holdings_ = false;
  provenance::Provenance provenance_;
  std::vector<std::unique_ptr<Check>> checks_;
  std::uint64_t seen_ = 0, next_report_ = 0;
};

}  // namespace

Report check(const Source& source, const Machine& machine, const CheckOptions& options) {
  if (options.checks) require_checks(*options.checks);
  if (source.program) {
    if (options.same_as) throw InputError({source.file, 0, 0}, std::string(program_has_no_steps));
    return check_program(source, options);
  }
  if (source.plan) {
    if (options.same_as) throw InputError({source.file, 0, 0}, std::string(program_has_no_steps));
    return check_plan(source, options);
  }
  return Checker(source, machine, options).run();
}

void require_checks(std::span<const std::string> names) {
  std::vector<std::string_view> known;
  for (const CheckEntry* entry : check_entries()) known.push_back(entry->name);
  for (const CheckInfo& check : program_checks()) {
    if (std::ranges::find(known, check.name) == known.end()) known.push_back(check.name);
  }
  for (const std::string& name : names) {
    if (std::ranges::find(known, name) == known.end())
      throw InputError(unknown("check", name, known));
  }
}

std::vector<CheckInfo> checks() {
  std::vector<CheckInfo> result;
  for (const CheckEntry* entry : check_entries()) result.push_back({entry->name, entry->summary});
  return result;
}

}  // namespace schedcc
