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
  /// Are compositions of two of the algorithms candidates, too (docs/composition.md)? The time of
  /// a sequence is a sum by the synchronous clock alone: models without one have none.
  bool compositions = false;
  std::function<void(std::uint64_t)> progress = {};  ///< messages processed; may throw to stop
};

/// An algorithm, or a composition, with all parameters chosen.
struct Choice {
  std::shared_ptr<const Algorithm> algorithm = nullptr;
  Spec spec;  ///< with all parameters that were chosen
  Machine machine;
  std::uint32_t chunks = 1;
  std::uint64_t steps = 0;
  double seconds = 0;
  std::vector<std::uint64_t> tried = {};  ///< the numbers of chunks that were tried; empty: all
};

/// An algorithm that is not among the choices, and why.
struct Skipped {
  std::string algorithm, reason;
};

/// `after` is the first size at which `to` is better than `from`.
struct Crossover {
  std::uint64_t bytes;
  std::string from, to;
};

class Tuner {
 public:
  /// Finds the algorithms that serve the problem. Throws InputError for names and parameters that
  /// do not exist.
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

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace schedcc

#pragma GCC visibility pop
