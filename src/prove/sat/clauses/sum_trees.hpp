#pragma once

#include <cstddef>

#include "prove/sat/clauses/encoding.hpp"

namespace schedcc::prover {

/// The encoding of sums along trees (sum_trees.cpp) that pairings preserve: `pairings` of them, or
/// as many as there are and as the number of packets admits; Encoding::pairings says how many. A
/// model is a schedule of an allreduce. There is none if the machine is not one with ports, or if
/// the question is another one.
Encoding encode_sum_trees(const Instance& instance, const Problem& problem, std::size_t pairings,
                          const PollLimits& poll_limits);

}  // namespace schedcc::prover
