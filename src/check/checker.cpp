// The checker by one thread: which checks are made, and what each of them sees of the steps.

#include "check/checker.hpp"

#include <algorithm>
#include <iterator>

#include "analysis/queue_parts.hpp"
#include "check/direct.hpp"
#include "check/levels.hpp"
#include "check/shape.hpp"
#include "check/symmetry/rank_holdings.hpp"
#include "machine/lowering.hpp"
#include "model/watched_stream.hpp"

namespace schedcc {

namespace {

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

}  // namespace

Checker::Checker(const Source& source, const Machine& machine, const CheckOptions& options,
                 const Threading& threading, const CheckedPart& part)
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

Report Checker::run() {
  reporter_.notes(source_.notes);
  reporter_.refuse(symmetry_ != nullptr || part_.direct || part_.whole != nullptr);
  examine();
  reporter_.refuse(false);
  if (source_.rendezvous_deadlock && was_made("deadlock"))
    report_findings(*source_.rendezvous_deadlock);
  return conclude();
}

Context Checker::context() {
  return {.problem = source_.problem,
          .machine = machine_,
          .options = options_,
          .nodes = nodes(),
          .hop_level = hop_level_,
          .from_file = !source_.file.empty(),
          .reporter = reporter_,
          .report = report_,
          .reopen = [this] { return reopen(); },
          .causes = &provenance_,
          .threads = threading_.threads,
          .share = threading_.share,
          .most_rounds = &most_rounds_,
          .kept = part_.cut_out.kept,
          .by_symmetry = symmetry_ != nullptr,
          .direct = part_.direct,
          .demand = part_.whole == nullptr ? threading_.demand : nullptr,
          .one_queue = part_.one_queue};
}

std::vector<const CheckEntry*> Checker::selected() {
  std::vector<const CheckEntry*> result;
  for (const CheckEntry* entry : check_entries()) {
    if (asks_for(options_, entry->name) && applies(*entry)) result.push_back(entry);
  }
  return result;
}

std::unique_ptr<StepStream> Checker::open(Malformed malformed) {
  Context input = context();
  input.nodes = input_nodes();
  if (!was_made("shape")) malformed = Malformed::dropped;
  return well_formed_steps(source_.open(), input, malformed);
}

std::unique_ptr<StepStream> Checker::lowered(std::unique_ptr<StepStream> stream) const {
  return lowers_ ? lower(std::move(stream), machine_, source_.problem.ranks) : std::move(stream);
}

std::unique_ptr<StepStream> Checker::reopen() {
  if (threading_.threads == 1) return lowered(open(Malformed::dropped));
  const std::lock_guard lock(reading_);
  return std::make_unique<GuardedStream>(lowered(open(Malformed::dropped)), reading_);
}

provenance::Origins Checker::origins() {
  return {source_.problem, [this] { return source_.open(); },
          [this](const Transfer& t) { return well_formed(t, source_.problem, input_nodes()); },
          arrival_time(source_, machine_), [this](Rank node) { return context().node(node); }};
}

void Checker::examine() {
  make_holdings();
  open_steps();
  Step step;
  for (bool left = next(step); left;) {
    report_progress();
    if (const auto stages = stages_from(step)) {
      left = examine_by_threads(step, *stages);
      continue;
    }
    ends_.read(step);
    if (!examine({step, ends_.sent(), ends_.received()})) return;
    left = next(step);
  }
  finish();
}

bool Checker::next(Step& step) {
  while (steps_ != nullptr) {
    if (!steps_->next(step)) {
      steps_ = nullptr;  // it is not asked again
    } else if (!step.transfers.empty()) {
      note_read(step);
      return true;
    }
  }
  return false;
}

void Checker::make_holdings() {
  if (!needs_holdings_) return;
  if (symmetry_ != nullptr) {
    holdings_ = rank_holdings(source_.problem, *symmetry_);
    return;
  }
  if (part_.direct) {
    holdings_ = direct_holdings(source_.problem);
    return;
  }
  if (makes_provisional_holdings()) return;
  const auto make = source_.problem.reduction() ? reduction_holdings : copy_holdings;
  const std::uint64_t holders = lowers_ ? source_.problem.ranks : nodes();
  holdings_ =
      make(source_.problem, holders, machine_.latency(), threading_.share.chunks(source_.problem));
}

bool Checker::makes_provisional_holdings() {
  const Problem& problem = source_.problem;
  if (machine_.latency() != 1 || lowers_ || nodes() != problem.ranks || !threading_.share.whole())
    return false;
  if (may_be_along_trees(problem)) {
    holdings_ = tree_holdings(problem, [this] { return reopen(); });
  } else if (!problem.reduction() && was_made("causality") && was_made("redundancy") &&
             takes_queues()) {
    // Where chunks that are not held, or come again, are no findings, queues soon tell nothing.
    holdings_ = queued_holdings(problem, *queues_, [this] { return reopen(); });
  }
  return holdings_ != nullptr;
}

bool Checker::takes_queues() {
  const auto has_queues = [](const auto& following) {
    return following.first->queues() != nullptr;
  };
  std::ranges::copy_if(following_, std::back_inserter(telling_), has_queues);
  std::erase_if(following_, has_queues);
  return !telling_.empty();
}

void Checker::begin_queues(const Step& step) {
  if (queues_ != nullptr && !queues_->begun() && queues_->forwards(step))
    queues_->begin(step.number);
}

bool Checker::follow_queues(const StepEnds& ends) {
  for (const auto& [check, part] : telling_) check->follow(ends, part);
  return !telling_.empty() && queues_->tell_holdings();
}

void Checker::open_steps() {
  steps_ = open(Malformed::reported);
  if (!lowers_) return;
  steps_ = std::make_unique<WatchedStream>(std::move(steps_), [this](const Step& step) {
    if (!threading_.share.has_step(step.number, shares_steps_)) return;
    input_digest_.read(step);
    input_step(step, input_digest_);
  });
  steps_ = lowered(std::move(steps_));
}

bool Checker::examine(const StepEnds& ends) {
  begin_queues(ends.step);
  inspect(ends, follow_queues(ends));
  if (stops()) return false;
  for (const auto& [check, part] : following_) check->follow(ends, part);
  if (holdings_) advance(ends, digest_.chunks_meet());
  return !stops();
}

void Checker::inspect(const StepEnds& ends, bool apart) {
  const Step& step = ends.step;
  digest_.read(step);
  if (apart) digest_.note_apart();
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

void Checker::input_step(const Step& step, const Digest& digest) {
  report_.transfers += all(step.transfers.size());
  report_.messages += all(digest.size());
  const std::uint64_t largest = digest.largest();
  if (!source_.problem.tokens()) report_.volume += largest;
  report_.width = std::max(report_.width, largest);
  for (const auto& check : checks_) check->endpoint(step, digest);
}

void Checker::advance(const StepEnds& ends, bool meet) {
  holdings_->advance(ends.sent, meet, outcome_);
  if (!outcome_.empty()) report_findings(outcome_);
}

void Checker::finish() {
  if (holdings_) {
    holdings_->finish(outcome_);  // transfers still under way
    report_findings(outcome_);
    provenance_.trace(*holdings_, was_made("delivery"));
  }
  for (const auto& check : checks_) check->finish(holdings_.get());
}

void Checker::note_read(const Step& step) {
  most_rounds_ = std::max<std::uint64_t>(most_rounds_, step.rounds);
  seen_.store(seen_.load(relaxed) + all(step.transfers.size()), relaxed);
}

void Checker::report_progress() {
  constexpr std::uint64_t interval = 1 << 18;
  const std::uint64_t seen = seen_.load(relaxed);
  if (options_.progress && seen >= next_report_) {
    options_.progress(seen);
    next_report_ = seen + interval;
  }
}

}  // namespace schedcc
