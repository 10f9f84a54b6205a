#pragma once

// The interface of checks: a check sees each step, and reports findings.

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "analysis/demand.hpp"
#include "analysis/digest.hpp"
#include "analysis/holdings.hpp"
#include "analysis/reporter.hpp"
#include "check/kept_chunks.hpp"
#include "check/share.hpp"
#include "schedcc/check.hpp"

namespace schedcc {

class QueueParts;

namespace provenance {
class Provenance;
}

/// The input of a check. References outlive the check.
struct Context {
  const Problem& problem;
  const Machine& machine;
  const CheckOptions& options;
  std::uint64_t nodes;  ///< at the level that is checked
  bool hop_level;       ///< the input is at hop level
  bool from_file;       ///< to read the steps again takes longer than to keep them
  Reporter& reporter;
  Report& report;  ///< figures so far; complete when finish() is called
  /// Opens the steps again, at the level that is checked: for checks that need a second pass.
  std::function<std::unique_ptr<StepStream>()> reopen = nullptr;

  /// The cause of missing or wrong data; complete when finish() is called.
  const provenance::Provenance* causes = nullptr;
  std::size_t threads = 1;  ///< the most that check
  Share share = {};         ///< of the check that is made by this process
  /// The most rounds of a step so far.
  const std::uint64_t* most_rounds = nullptr;
  /// What ranks keep beside the chunks of the steps, in the order of time; not where processes
  /// share the check.
  std::span<const KeptChunks> kept = {};
  bool by_symmetry = false;  ///< the steps are those of rank 0 of a symmetric schedule
  bool direct = false;       ///< the steps are not lowered, those of a direct exchange on a tree
  const Demand* demand = nullptr;  ///< of the problem, where it is known already
  bool one_queue = false;          ///< the queues of all ranks are counted as one

  /// Says in the report that a check is not decided.
  void undecided(std::string_view check, const std::string& reason) const;
  /// "rank 3" or "router 17 (level 2)".
  std::string node(Rank node) const;
  /// "rank 1 to rank 2".
  std::string ends(const Transfer& transfer) const;
};

/// A step as the checks see it, at the level that is checked. `sent` and `received` are the same
/// step if it was not lowered; otherwise they have the transfers that leave their source, and those
/// that reach their destination, in it.
struct StepEnds {
  const Step& step;
  const Step& sent;
  const Step& received;
};

/// The same with the properties that most checks need.
struct StepView : StepEnds {
  const Digest& digest;
};

/// One property. Transfers have passed the range checks of `shape`: nodes and chunks exist.
///
/// Where several threads check, no function is called by two of them at a time, but `endpoint`,
/// `step`, `faults` and the parts of `follow` may be called while another of these is, for a later
/// or an earlier step: they change no state that another one uses. `finish` is called alone. The
/// checker itself asks `queues`, and lets them begin while no part follows them.
class Check {
 public:
  explicit Check(Context c) : context(std::move(c)) {}
  virtual ~Check() = default;

  /// The step as it is in the input: at endpoint level also where hops are checked.
  virtual void endpoint(const Step&, const Digest&) {}
  virtual void step(const StepView&) {}
  /// The step for a check that follows chunks or ranks from step to step, and needs no digest: for
  /// each of `parts` parts of its state, if its entry says that it follows.
  virtual void follow(const StepEnds&, std::size_t /*part*/) {}
  virtual std::size_t parts() const { return 1; }
  /// Does it follow each chunk by itself, so that, where processes share a check, it may get steps
  /// that are cut to some of the chunks? Otherwise it gets whole steps in each process.
  virtual bool follows_chunks() const { return false; }
  /// The queues of ranks, if `follow` follows them, in as many parts.
  virtual QueueParts* queues() { return nullptr; }
  /// Errors that the state of the run shows, after each step and at the end.
  virtual void faults(const Holdings::Outcome&) {}
  /// At the end. Figures in the report are of this process; check/team.cpp combines them.
  virtual void finish(const Holdings*) {}
  /// Called after `finish` of all checks, when the report has their figures: where several
  /// processes share the check, those of all of them, and only in the one that reports.
  virtual void conclude() {}

 protected:
  Context context;
};

/// A check, defined at the end of its file.
struct CheckEntry {
  std::string_view name;
  std::string_view summary;
  bool needs_holdings = false;
  bool follows = false;  ///< by Check::follow
  /// `step` and `endpoint` judge each step by itself, if they do anything, and on machines without
  /// times: processes may share the steps. Otherwise one process has all of them.
  bool by_step = false;
  bool (*applies)(const Context&) = nullptr;  ///< nullptr: always
  std::unique_ptr<Check> (*make)(const Context&);
};

/// Throws InputError if the source is a program, whose sums cannot be compared with those of a
/// schedule.
void require_steps(const Source& source);

/// The bounds for a schedule whose width is in the report, and whose steps take up to `rounds`
/// rounds. `known` as for `lower_bound`.
LowerBound bound_of_report(const Problem& problem, const Machine& machine, const Report& report,
                           std::uint64_t rounds = 1, const Demand* known = nullptr);

/// Has the schedule fewer steps than the lower bound in its report, or a smaller volume? Not
/// without a bound.
bool is_below_bound(const Report& report);

/// All checks, in the order of docs/semantics.md, "Checks".
std::span<const CheckEntry* const> check_entries();

/// Do the options ask for a check, where it applies?
bool asks_for(const CheckOptions& options, std::string_view check);

/// For CheckEntry::make.
template <typename T>
std::unique_ptr<Check> make_check(const Context& context) {
  return std::make_unique<T>(context);
}

}  // namespace schedcc
