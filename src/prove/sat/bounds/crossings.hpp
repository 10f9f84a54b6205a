#pragma once

// Chunks whose every path crosses a certain arc.

#include <vector>

#include "prove/sat/question/instance.hpp"

namespace schedcc::prover {

/// A chunk that must cross an arc, with the earliest and the latest step in which it can.
struct Crossing {
  Chunk chunk;
  std::uint64_t first, last;
};

/// The crossings of arc `a`; none if there is another path to its end. Only if every arc takes one
/// step.
std::vector<Crossing> crossings(const Instance& instance, const std::vector<Delivery>& chunks,
                                std::size_t a);

}  // namespace schedcc::prover
