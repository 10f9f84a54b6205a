#pragma once

// The causes of what is wrong with one chunk at one rank.

#include <vector>

#include "check/provenance/history.hpp"
#include "schedcc/report.hpp"

namespace schedcc::provenance {

/// Findings as of the checks causality and delivery, and whether there was time for all.
struct RankErrors {
  std::vector<Finding> findings = {};
  bool complete = true;
};

/// Why `rank` ends without the chunk of a history, or with a wrong one. `relevant`: the transfers
/// that its value is made of; those that break the order of operands are reported, too. The steps
/// are read again if a rank may have received another chunk in its place.
RankErrors errors_at(const Origins& origins, const History& history, Rank rank,
                     const std::vector<bool>& relevant);

}  // namespace schedcc::provenance
