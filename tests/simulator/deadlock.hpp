#pragma once

// Blocking calls: every rank makes its calls one after another, until no rank can continue.

#include <vector>

#include "simulator/simulator.hpp"

namespace naive {

/// Does an endpoint schedule deadlock?
bool deadlocks(const std::vector<Sent>& sent, Rank ranks, const Model& model,
               const Options& options);

}  // namespace naive
