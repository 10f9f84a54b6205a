#pragma once

// Causes in words.

#include <functional>
#include <string>

#include "analysis/holdings.hpp"
#include "check/provenance/groups.hpp"
#include "schedcc/report.hpp"

namespace schedcc::provenance {

/// The names of nodes, and whether all errors were followed: else numbers are lower bounds.
struct MessageContext {
  const std::function<std::string(Rank)>& node;
  bool complete;
};

/// For a group with transfers whose sender does not hold the chunk.
Finding causality_finding(const Group& group, const MessageContext& wording);
/// For a group with ranks that end without the chunk, or with a wrong one.
Finding delivery_finding(const Group& group, const MessageContext& wording);
/// For a group with contributions sent that are not an interval of ranks.
Finding order_finding(const Group& group, const MessageContext& wording);

/// For errors that were not followed: as the first pass found them.
Finding untraced_finding(const Holdings::Shortfall& shortfall);
Finding untraced_causality(const Holdings::Fault& fault, const MessageContext& wording);
Finding untraced_order(const Holdings::Fault& fault, const MessageContext& wording);

}  // namespace schedcc::provenance
