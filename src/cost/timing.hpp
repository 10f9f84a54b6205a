#pragma once

// The time of a schedule by the model's own clock, without the rest of a CostReport.

#include <functional>
#include <optional>

#include "cost/kept_messages.hpp"
#include "cost/permutations.hpp"
#include "cost/search_memory.hpp"
#include "schedcc/cost.hpp"
#include "schedcc/source.hpp"

namespace schedcc {

struct Timing {
  std::uint64_t steps = 0;
  std::uint64_t width = 0;  ///< the largest message, in chunks
  double seconds = 0;
};

/// What a search knows of a schedule before it is timed, and learns by that for other sizes.
struct Outlook {
  std::uint64_t width = 0;  ///< the most chunks of a message; 0: unknown
  double known = 0;         ///< a lower bound on its time
  /// Becomes Clock::least_so_far() of the steps that were timed.
  std::optional<LinkTime> least = {};
};

/// CostReport::seconds; none if they are not below `limit`, in which case the timing stops early.
/// With an `outlook` the timing also stops when what is to come takes too long.
std::optional<Timing> time_below(double limit, const Source& source, const Machine& machine,
                                 const CostModel& model, std::uint64_t bytes,
                                 const std::function<void(std::uint64_t)>& progress,
                                 Outlook* outlook = nullptr);

/// What is kept of a schedule that is timed for several sizes: its first steps.
struct KeptSteps {
  KeptMessages messages = {};
  KeptPermutations permutations = {};
};

/// A schedule that is timed for several sizes, on a machine without routers whose switches neither
/// copy nor combine messages. Its first steps are kept, as far as there is memory for them.
struct RepeatedSource {
  const Problem& problem;
  const std::function<Source(std::uint64_t row)>& rest;  ///< the schedule from a row on
  KeptSteps& kept;
  SearchMemory& memory;
  bool keeps_messages = true;  ///< else only permutations
};

/// The same.
std::optional<Timing> time_below(double limit, const RepeatedSource& source, const Machine& machine,
                                 const CostModel& model, std::uint64_t bytes,
                                 const std::function<void(std::uint64_t)>& progress,
                                 Outlook* outlook = nullptr);

/// Does the synchronous time of every schedule have a profile?
bool has_profiles(const CostModel& model, const Machine& machine);

}  // namespace schedcc
