#pragma once

// Chunks that have no other way than over a certain arc.

#include <vector>

#include "prove/sat/instance.hpp"

namespace schedcc::prover {

/// A chunk that must go over an arc: from when on it can, and until when it must have.
struct Crossing {
  Chunk chunk;
  std::uint64_t first, last;
};

/// Those of arc `a`; none where there is another way to its end. Only where every arc takes a step.
std::vector<Crossing> crossings(const Instance& instance, const std::vector<Delivery>& chunks,
                                std::size_t a);

}  // namespace schedcc::prover
