#pragma once

// What counting says of chunks that are copied: how much must have arrived where by when.

#include <vector>

#include "prover/formula.hpp"
#include "prover/instance.hpp"
#include "prover/traffic.hpp"

namespace schedcc::prover {

/// Adds what holds of every schedule in which nothing is sent to a node that has it already.
/// `has[c][v][t]` is true from the time on at which node v holds chunk c.
void count(const Instance& instance, const std::vector<Delivery>& chunks,
           const std::vector<std::vector<Literals>>& has, Traffic& traffic, Formula& formula);

}  // namespace schedcc::prover
