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
// step are stages of their own, checks in parts. No stage changes what another reads. So parts of
// queues tell holdings, each those of its ranks, only where there is no stage of holdings
// (queued_holdings). With a step that changes that other stages begin; a long transfer, from which
// on bits are needed, so that all steps are read once more, is left to one thread. Stages only show
// that there is nothing to report: as soon as one has a finding, or fails, all is done again by one
// thread. So reports do not depend on the number of threads. By symmetry, too, it is only shown
// that there is nothing to report (symmetry/symmetry.hpp): there the steps are what rank 0 does. So
// it is without the hops of direct exchanges on trees (direct.hpp), and by an excerpt of a schedule
// that repeats itself (period/period.hpp), and by the mirror image of a reduction (mirror.hpp).

#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/abandoned.hpp"
#include "analysis/route_ends.hpp"
#include "check/checks.hpp"
#include "check/period/period.hpp"
#include "check/provenance/provenance.hpp"
#include "check/shape.hpp"
#include "check/step_block.hpp"
#include "check/symmetry/rank_zero.hpp"
#include "check/threading.hpp"
#include "schedcc/check.hpp"

namespace schedcc {

class Pipeline;
class QueueParts;

/// What is checked instead of all transfers of a source.
struct CheckedPart {
  const Symmetry* symmetry = nullptr;  ///< those of rank 0 of a symmetric schedule
  bool direct = false;                 ///< all of them, without their hops (direct.hpp)
  const Source* whole = nullptr;       ///< an excerpt of this source, or its mirror image,
  CutOut cut_out = {};                 ///< without these
  Report* alone = nullptr;             ///< set to the report of the excerpt, without `cut_out`
  bool one_queue = false;              ///< count the queues of all ranks as one
};

/// One check of a source, by one thread here (checker.cpp), by several, or a share of it.
class Checker {
 public:
  Checker(const Source& source, const Machine& machine, const CheckOptions& options,
          const Threading& threading, const CheckedPart& part = {});

  /// Throws Abandoned if it is to be done again by one thread, transfer by transfer.
  Report run();

  /// The same for an excerpt whose report, without what was cut out, is known.
  Report run(const Report& alone);

  /// The same where a schedule for another problem was checked, whose figures are those of a part
  /// of this one, so that all checks hold.
  Report run_by_figures(Report figures);

  /// As `run` for a share. `merge` gets the figures of the share, and the hash of what was read,
  /// and replaces them by the figures of all shares. Throws Abandoned, or whatever a check does, if
  /// there may be something to report.
  Report run_share(const MergeFigures& merge);

 private:
  Context context();
  std::uint64_t nodes() const {
    return lowers_ ? machine_.network()->nodes() : source_.node_count();
  }
  std::uint64_t input_nodes() const { return lowers_ ? source_.problem.ranks : nodes(); }
  provenance::Origins origins();
  /// The requested checks, in the order of the list; all that apply if none are named.
  std::vector<const CheckEntry*> selected();
  bool applies(const CheckEntry& entry) {
    return entry.applies == nullptr || entry.applies(context());
  }
  void add_following(Check& check) {
    if (QueueParts* const queues = check.queues()) queues_ = queues;
    for (std::size_t part = 0; part < check.parts(); ++part) following_.emplace_back(&check, part);
  }

  std::unique_ptr<StepStream> open(Malformed malformed);
  std::unique_ptr<StepStream> lowered(std::unique_ptr<StepStream> stream) const;
  /// For a stage; sources need not be ready for two threads that read at a time.
  std::unique_ptr<StepStream> reopen();

  void examine();
  /// The next step that has transfers; false if there is none.
  bool next(Step& step);
  void make_holdings();
  /// Holdings that tree_holdings or queued_holdings can follow, if they are.
  bool makes_provisional_holdings();
  /// Takes the parts of the check that follows queues out of the others; false if there is none.
  bool takes_queues();
  /// Queues begin with this step, if it is the first in which chunks are passed on.
  void begin_queues(const Step& step);
  /// Follows the queues that may tell holdings; true if they do, so that no chunks meet.
  bool follow_queues(const StepEnds& ends);
  void open_steps();
  /// All stages of a step; false if the first error is enough, and was found.
  bool examine(const StepEnds& ends);
  bool stops() const { return options_.fail_fast && reporter_.any_violated(); }
  /// What the digest of a step is needed for. `apart`: its chunks are known not to meet. If the
  /// first error is enough, the most expensive check, shape, which is the first, comes last.
  void inspect(const StepEnds& ends, bool apart = false);
  /// Figures and checks at the level of the input.
  void input_step(const Step& step, const Digest& digest);
  /// How many there are of what is seen `count` times. By symmetry everything is seen at rank 0
  /// only, at both of its ends.
  std::uint64_t all(std::uint64_t count) const {
    return symmetry_ != nullptr ? count / 2 * symmetry_->ranks() : count;
  }
  void advance(const StepEnds& ends, bool meet);
  /// After the last step.
  void finish();
  /// By one thread at a time, while others may read how many transfers there were.
  void note_read(const Step& step);
  void report_progress();

  // check_by_threads.cpp
  /// What chunks and ranks are followed by, beside other stages.
  enum class Stages {
    holdings_only,  ///< as nothing is passed on yet
    queues_only,    ///< as they tell holdings
    both
  };
  /// Those that begin with this step, if there are threads for the steps that are left, and it is
  /// worth starting them. Not where there is something to report already: there will be more of it.
  std::optional<Stages> stages_from(const Step& step);
  /// May these stages follow a step?
  bool fits(const Step& step, Stages stages);
  /// Holdings have nothing to follow, and see what they may ask.
  void advance_to(std::uint64_t number);
  /// The steps that are left, from this one on, which was read already, up to one that does not
  /// fit the stages; that one replaces `step`, or false is returned. Throws Abandoned if there is
  /// anything to report.
  bool examine_by_threads(Step& step, Stages stages);
  struct Block;
  /// Lets the checks, and what follows chunks and ranks, visit all blocks.
  void add_stages(Pipeline& pipeline, std::vector<Block>& blocks, Stages stages);
  /// Reads the next steps of a block, up to one that does not fit the stages, which is put into
  /// `left_over`. Returns why the source cannot be read further, if so: then the block ends there.
  std::exception_ptr read(StepBlock& block, Stages stages, std::optional<Step>& left_over);

  // check_share.cpp
  /// The stages of all steps for a share of the check; the hash of what was read.
  std::uint64_t examine_share();
  void examine_share(const Step& step, StepCut& cut);
  void finish_share();
  bool follows_chunks() const;

  // checker_report.cpp
  void describe_problem();
  bool was_made(std::string_view check) const;
  void report_findings(const Holdings::Outcome& outcome);
  /// With --eager messages are buffered.
  void report_findings(const RendezvousDeadlock& deadlock);
  Report conclude();
  /// With the figures of this process, or of all that share the check.
  Report complete();
  /// To the figures of an excerpt. Throws Abandoned if there is anything to report.
  void add_cut_out();
  void claim_queues();
  /// A finding about a hop is about a rank, not about a router: the one that receives the hop, or
  /// the transfer that was lowered, or else the hop's sender.
  void name_rank(Finding& finding) const;
  /// Were the checks made on which the lower bound relies?
  bool proves_steps();

  static constexpr auto relaxed = std::memory_order_relaxed;

  const Source& source_;
  const Machine& machine_;
  const CheckOptions& options_;
  const Threading threading_;
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
  std::vector<std::pair<Check*, std::size_t>> telling_;    ///< those whose queues holdings_ asks
  QueueParts* queues_ = nullptr;  ///< of the check that follows queues, if it is made
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
