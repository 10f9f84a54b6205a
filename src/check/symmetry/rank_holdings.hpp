#pragma once

// What rank 0 holds, in a schedule of symmetric steps (symmetry.hpp).

#include <memory>

#include "analysis/holdings.hpp"
#include "check/symmetry/symmetry.hpp"

namespace schedcc {

/// The state for a check by symmetry, which is advanced by the transfers of rank 0. Throws
/// Abandoned if the schedule is not right, or has anything else to report.
std::unique_ptr<Holdings> rank_holdings(const Problem& problem, const Symmetry& symmetry);

}  // namespace schedcc
