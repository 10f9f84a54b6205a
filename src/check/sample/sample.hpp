#pragma once

// A sample of a schedule that is too large to be checked: random ranks in random steps.
//
// Theory. A kernel (algorithm/local.hpp) computes what a rank does in a step without the other
// ranks, so that one place, a rank in a step, costs the same for 2^40 ranks as for 8. Of each place
// the sample asks
//
//   shape      Are the peers other ranks, and the chunks those of the problem?
//   matching   Does each peer, which computes its own part, expect what the rank sends, and send
//              what it expects: the same chunks, to be copied or combined?
//   ports      Has the rank no more messages, and no larger ones, than the machine allows?
//   causality  Did the sender of each message hold what it sends? It did if it started with the
//              chunk, or received it in a step early enough (search.hpp). Of a sum that the
//              receiver combines any part will do, and the sender starts with its own.
//   delivery   Does the rank get a chunk that it must end with, in some step? Of reductions: is
//              what a rank combines sent on later, or kept to the end?
//
// Ranks are mostly idle where there are more of them than chunks, so that a random step of a rank
// is rarely one in which it does anything. From there the sample goes on, forwards or backwards, by
// a random number of the steps that the rank names: the first one alone would always be that in
// which something arrives. And each message is looked at from both ends, since few ranks may do all
// the sending.
//
// Any finding is an error of the schedule; a sum that is combined and then not used is one at least
// of the rule, as no kernel sends what is not needed. But without one nothing is proved of other
// places: the verdict on a sample is never "holds". It does not ask which contributions are in a
// sum, nor whether a chunk comes twice.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "algorithm/local.hpp"
#include "model/wide_problem.hpp"
#include "schedcc/machine.hpp"
#include "schedcc/report.hpp"

namespace schedcc {

struct SampleOptions {
  std::uint64_t places = 0;       ///< ranks in steps; the same rank may come again
  std::uint64_t seed = 1;         ///< of the random numbers
  std::size_t max_findings = 20;  ///< that are kept
  std::function<void(std::uint64_t)> progress = {};  ///< called with the number of places
};

/// What was looked at, and what was found.
struct Sample {
  std::uint64_t places = 0;    ///< with at least one transfer
  std::uint64_t idle = 0;      ///< ranks that were found idle instead
  std::uint64_t messages = 0;  ///< that were compared at both ends
  std::uint64_t held = 0;      ///< messages with a chunk that was found to be held by the sender
  std::uint64_t chunks = 0;    ///< whose arrival at a rank, or use by it, was looked for
  /// Of `places`: those in which a rank has too many transfers, which were not read.
  std::uint64_t unread = 0;
  /// Of `chunks`: those that were not found in so many steps as were read.
  std::uint64_t undecided = 0;
  /// The checks, in the order above, and whether each is violated; `ports` only where the machine
  /// limits messages.
  std::vector<std::pair<std::string_view, bool>> checks;
  std::vector<Finding> findings;
  std::uint64_t findings_total = 0;
};

/// Looks at random places of the schedule, which is one of the problem, on a machine without links.
/// The same arguments have the same result.
Sample check_sample(const WideProblem& problem, const LocalSchedule& schedule,
                    const Machine& machine, const SampleOptions& options);

}  // namespace schedcc
