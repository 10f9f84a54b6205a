#pragma once

#include "prove/sat/clauses/encoding.hpp"

namespace schedcc::prover {

/// The encoding of a reduction whose chunks gather contributions on `instance`.
Encoding encode_contributions(const Instance& instance, const Problem& problem, const Hints& hints,
                              const PollLimits& poll_limits);

}  // namespace schedcc::prover
