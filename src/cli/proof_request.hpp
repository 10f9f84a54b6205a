#pragma once

// What `prove ALGORITHM --all-chunks` is to prove, from the options.

#include <functional>
#include <string>

#include "cli/options.hpp"
#include "prove/symbolic/symbolic.hpp"
#include "schedcc/algorithm.hpp"

namespace schedcc::cli {

/// An algorithm's closed form on some ranks, and the machine whose rules it is to keep.
struct ProofRequest {
  std::string schedule;
  Collective collective;
  Machine machine;
  bool own_machine;               ///< the algorithm was made for it
  prover::SymbolicSchedule form;  ///< its ranks are not listed yet

  const Algorithm* algorithm;
  const prover::SymbolicScheduleEntry* entry;
  Request request;
};

/// Throws UsageError or InputError, in no time whatever the number of ranks, where there is none.
ProofRequest theorem(const ProveOptions& options);

/// Fills in the form. `watch` is called now and then; what it throws ends the work.
void list_ranks(ProofRequest& theorem, const std::function<void()>& watch);

}  // namespace schedcc::cli
