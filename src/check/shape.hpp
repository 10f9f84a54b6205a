#pragma once

// The filter of the check `shape`: drops and reports malformed transfers.

#include <cstdint>
#include <memory>

#include "check/checks.hpp"
#include "schedcc/schedule.hpp"

namespace schedcc {

/// Do its nodes and chunks exist, does it not send to itself, and reduce only reduction chunks?
bool well_formed(const Transfer& t, const Problem& problem, std::uint64_t nodes);

/// The steps with only the transfers that are well-formed. The others are reported, if `report` is
/// set.
std::unique_ptr<StepStream> well_formed_steps(std::unique_ptr<StepStream> stream,
                                              const Context& context, bool report);

}  // namespace schedcc
