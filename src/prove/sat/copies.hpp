#pragma once

#include "prove/sat/encoding.hpp"

namespace schedcc::prover {

/// The encoding of `chunks` that are copied from node to node on `instance`.
Encoding encode_copies(const Instance& instance, const std::vector<Delivery>& chunks,
                       const Hints& hints, const PollLimits& poll_limits);

}  // namespace schedcc::prover
