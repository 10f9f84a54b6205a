#pragma once

#include "prove/sat/clauses/encoding.hpp"

namespace schedcc::prover {

/// The encoding of chunks that are copied from node to node (before any reversal).
Encoding encode_copies(const std::shared_ptr<const CopyQuestion>& question, const Hints& hints,
                       const PollLimits& poll_limits);

}  // namespace schedcc::prover
