#pragma once

// Blocking calls: every rank makes its calls one after the other, until no rank can continue.

#include <vector>

#include "simulator/simulator.hpp"

namespace naive {

/// Does a rank of an endpoint schedule wait for ever?
bool deadlocks(const std::vector<Sent>& sent, Rank ranks, const Model& model,
               const Options& options);

}  // namespace naive
