#pragma once

// Errors of a sum that no single transfer explains.

#include <optional>
#include <vector>

#include "check/provenance/causes.hpp"
#include "check/provenance/replayed_sums.hpp"

namespace schedcc::provenance {

/// A transfer to a wrong place that has been found, and what it carried.
struct MisdirectedTransfer {
  std::size_t cause;
  Window carried;
};

/// The faults before any repair, and the rank whose error is to be explained.
struct OriginalFaults {
  const SumFaults& original;
  std::optional<Rank> focus;
};

/// Adds a cause for all remaining errors: how far a contribution came, or where it is counted
/// twice. Contributions that a misdirected transfer carried are missing because of it. False if the
/// budget did not suffice.
bool add_unexplained(const ReplayedSums& sums, const OriginalFaults& faults,
                     const std::vector<MisdirectedTransfer>& misdirected,
                     std::vector<Cause>& causes, Budget& budget);

}  // namespace schedcc::provenance
