#pragma once

// Errors of a sum that no single transfer explains.

#include <vector>

#include "check/provenance/culprits.hpp"
#include "check/provenance/played.hpp"

namespace schedcc::provenance {

/// A transfer to a wrong place that has been found, and what it carried.
struct MisdirectedTransfer {
  std::size_t cause;
  Window carried;
};

/// Adds a cause for all remaining errors: how far a contribution came, or where it is counted
/// twice. Contributions that a misdirected transfer carried are missing because of it. False if the
/// budget did not suffice.
bool add_unexplained(const PlayedSums& sums, const std::vector<MisdirectedTransfer>& misdirected,
                     std::vector<Cause>& causes, Budget& budget);

}  // namespace schedcc::provenance
