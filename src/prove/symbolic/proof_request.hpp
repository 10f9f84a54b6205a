#pragma once

// A request for a proof of an algorithm for every number of chunks.

#include <string>

#include "prove/symbolic/symbolic.hpp"
#include "schedcc/algorithm.hpp"
#include "schedcc/prove.hpp"

namespace schedcc::prover {

/// The formulas of an algorithm's schedule for some ranks, and the machine that it is checked on.
struct ProofRequest {
  std::string spec;
  Collective collective;
  Machine machine;
  bool own_machine;           ///< the algorithm was made for it
  SymbolicSchedule schedule;  ///< its ranks are not listed yet

  const Algorithm* algorithm;
  const SymbolicScheduleEntry* entry;
  Request request;
};

/// Throws InputError if there is none, in time that does not depend on the number of ranks.
ProofRequest proof_request(const SymbolicQuestion& question);

/// The algorithms that have formulas.
std::string names_of_symbolic_schedules();

/// Lists the ranks of the schedule, and proves it.
SymbolicProof prove(ProofRequest& request, const SymbolicOptions& options);

}  // namespace schedcc::prover
