#pragma once

// The best algorithm, parameters and number of chunks for a problem and a size, under a cost model.
//
// Choices are compared by their synchronous time. If an algorithm claims that its messages are
// single chunks (CostClaim::width), that is the paper's steps (t + k/s), with k/s rounded up to
// whole bytes, without building a schedule; the number of chunks is the exact optimum over the
// integers; `cost`, whose chunks differ by a byte if K does not divide the size, says at most as
// much. Other schedules are built, for the few numbers of chunks that `tried` lists, and their
// time is that of `cost`: linear in the sizes that K divides. LogP and LogGP have no such formula:
// there, schedules are built and timed by the asynchronous clock. In the model `levels`, where
// contention and levels decide, they are built and timed for each size by the synchronous one.
//
// Of compositions "X then Y" the best X and the best Y make the best pair, since their times add:
// they are searched separately, for the same chunks.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "schedcc/algorithm.hpp"
#include "schedcc/cost.hpp"

#pragma GCC visibility push(default)

namespace schedcc {

/// The problem, the model, and the candidates.
struct TuneRequest {
  Problem problem;                           ///< its chunks are ignored
  std::optional<std::uint32_t> chunks = {};  ///< K, if it is not to be chosen
  std::optional<std::string> machine =
      {};  ///< none: duplex; LogP and LogGP: also logp, from L, o, g
  /// Must schedules hold? They are checked if the algorithm is for another machine.
  bool verify = true;
  /// Must all ranks end with the same expression (the check `agreement`)? Every schedule is then
  /// checked, if several ranks end with a sum.
  bool reproducible = false;
  CostModel model;
  std::vector<Spec> algorithms;  ///< with the parameters that are not to be chosen
  /// Are flags that are not given to be chosen, as other parameters are? Else they are off.
  bool choose_flags = true;
  /// Are compositions of two of the algorithms candidates, too (docs/composition.md)? The time of
  /// a sequence is a sum by the synchronous clock alone: models without one have none.
  bool compositions = false;
  /// Of several sizes, is only the best choice wanted? Then an algorithm that serves the problem is
  /// read only until it is slower than the best one.
  bool best_only = false;
  std::function<void(std::uint64_t)> progress = {};  ///< messages processed; may throw to stop
};

/// An algorithm, or a composition, with all parameters chosen.
struct Choice {
  std::shared_ptr<const Algorithm> algorithm = nullptr;
  Spec spec;  ///< with all parameters that were chosen
  Machine machine;
  std::uint32_t chunks = 1;  ///< K
  std::uint64_t steps = 0;   ///< of its schedule on `machine`, as Report::steps: on logp, cycles
  double seconds = 0;        ///< its time under the model of the request
  std::vector<std::uint64_t> tried = {};  ///< the numbers of chunks that were tried; empty: all
};

/// An algorithm that is not among the choices, and why.
struct Skipped {
  std::string algorithm, reason;
  /// If its schedule fails a check: which. The reason then begins with it, and its first finding
  /// follows. Empty: the algorithm does not serve the problem, or its schedule was not judged.
  std::string check = {};
};

/// How much a search went through, with the parts of compositions.
struct SearchCounts {
  std::uint64_t settings = 0;      ///< algorithms with values of their parameters
  std::uint64_t compositions = 0;  ///< those of the best parts, which were timed as a whole
  std::uint64_t schedules = 0;     ///< built and timed; the times of others follow from claims
};

/// `after` is the first size at which `to` is better than `from`.
struct Crossover {
  std::uint64_t bytes;
  std::string from, to;
};

/// Compares the algorithms that serve a request, for one message size after another; what is known
/// from one size is used for the next.
class Tuner {
 public:
  /// Finds the algorithms that serve the problem. Throws InputError for names and parameters that
  /// do not exist, and for a model that does not fit the machine.
  explicit Tuner(TuneRequest request);
  ~Tuner();
  Tuner(Tuner&&) noexcept;

  /// The best choice of every algorithm, and of every kind of composition, the best one first; ties
  /// in the order of the registry.
  std::vector<Choice> choices(std::uint64_t bytes);
  /// The best of all; none if no algorithm serves the problem.
  std::optional<Choice> best(std::uint64_t bytes);
  /// The sizes from sizes.front() to sizes.back() at which the best algorithm changes, to the byte:
  /// by bisection between two neighbours of the list whose best algorithms differ. Two changes
  /// between neighbours that cancel are not found.
  std::vector<Crossover> crossovers(const std::vector<std::uint64_t>& sizes);

  /// The algorithms without a choice for any size so far, in the order of the request.
  std::vector<Skipped> skipped() const;
  /// So far.
  SearchCounts judged() const;

 private:
  class [[gnu::visibility("hidden")]] Impl;
  std::unique_ptr<Impl> impl_;
};

/// The choices for one size.
struct TunedSize {
  std::uint64_t bytes;
  std::vector<Choice> choices;  ///< the best one first; empty: no algorithm serves the problem
  /// The best lower bound. None if no bound is known, and on networks: there a bound is for one
  /// number of chunks, and the choices have several.
  std::optional<TimeBound> bound = {};
  /// The time of the best other choice over that of the algorithm `TuneReport::improved`.
  std::optional<double> improvement = {};
};

/// The comparison for one problem.
struct TuneStudy {
  Problem problem;      ///< its chunks are ignored
  std::string machine;  ///< that all choices are for; empty if there are several
  std::vector<TunedSize> sizes;
  std::vector<Crossover> crossovers;  ///< of several sizes, without `improved`
  std::vector<Skipped> skipped;
  SearchCounts judged = {};

  /// "broadcast, 64 ranks, root 0 on duplex".
  std::string title() const;
  /// The size at which the improvement is largest; nullptr if there is none.
  const TunedSize* peak() const;
};

/// The comparisons under one model, for problems that differ in their ranks.
struct TuneReport {
  CostModel model;
  bool reproducible = false;  ///< as in the request
  std::string improved = {};  ///< an algorithm that is compared with the others; empty: none
  std::vector<TuneStudy> studies;

  /// The size in start-up times, FT's k/t; none where the model has no start-up time.
  std::optional<double> start_ups(std::uint64_t bytes) const;
};

/// The comparison for these sizes, which ascend, at least one. `improved`: as in TuneReport.
/// `after_size` is called after each size; may throw to stop. Throws InputError as Tuner does, and,
/// with the reasons, if no algorithm serves the problem.
TuneStudy tune(const TuneRequest& request, const std::vector<std::uint64_t>& sizes,
               const std::string& improved = {}, const std::function<void()>& after_size = {});

/// For each study a table: all choices for one size, with the command that makes the best one's
/// schedule; the best choice for each of several sizes, with a command for each of their intervals;
/// with `improved` the improvements.
/// `colored`: with the colours of a terminal.
std::string to_text(const TuneReport& report, bool colored = false);
/// An object, or of several studies an array, as docs/tune.schema.json describes it, and a newline.
std::string to_json(const TuneReport& report);
/// A line of names, and one for each choice for each size.
std::string to_csv(const TuneReport& report);

}  // namespace schedcc

#pragma GCC visibility pop
