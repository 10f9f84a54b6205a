#pragma once

// The chunks that are cut out of a schedule and wait at ranks between two cuts.

#include <cstdint>
#include <vector>

#include "check/kept_chunks.hpp"
#include "check/period/cuts.hpp"
#include "schedcc/problem.hpp"
#include "schedcc/schedule.hpp"

namespace schedcc {

/// For each two cuts that follow one another how many of the chunks that are cut out each rank has
/// received before the rows between them, and sends after those. The steps are those of the
/// schedule without what is cut out.
std::vector<KeptChunks> waits_between_cuts(const Steps& rows, const Cuts& cuts,
                                           const Problem& problem);

}  // namespace schedcc
