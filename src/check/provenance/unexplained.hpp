#pragma once

// What is wrong with a sum, and no single transfer explains.

#include <vector>

#include "check/provenance/culprits.hpp"
#include "check/provenance/played.hpp"

namespace schedcc::provenance {

/// A transfer to a wrong place that has been found, and what it carried.
struct MisdirectedTransfer {
  std::size_t cause;
  Window carried;
};

/// Adds a cause for all that is still wrong: how far a contribution came, where it meets again.
/// What a misled transfer carried is missing for its sake. False if the budget did not suffice.
bool add_unexplained(const PlayedSums& sums, const std::vector<MisdirectedTransfer>& misdirected,
                     std::vector<Cause>& causes, Budget& budget);

}  // namespace schedcc::provenance
