#pragma once

// Broadcasts whose steps repeat themselves, packet after packet.

#include <vector>

#include "prove/sat/clauses/encoding.hpp"
#include "prove/sat/clauses/pipeline_lines.hpp"
#include "prove/sat/question/instance.hpp"
#include "prove/sat/solve/poll_limits.hpp"

namespace schedcc::prover {

/// The formula of which every model is a pipeline, which is a schedule of K - 1 + ceil(log2 P)
/// steps for K packets. It has no model if the chunks are not those of a broadcast, if ranks do not
/// have one port each way, if that is more than the steps of the instance, or if it would be large.
Encoding encode_pipeline(const Instance& instance, const std::vector<Delivery>& chunks,
                         const PipelineLines& lines, const PollLimits& poll_limits);

}  // namespace schedcc::prover
