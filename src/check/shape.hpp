#pragma once

// The filter of the check `shape`: drops and reports malformed transfers.

#include <memory>

#include "check/checks.hpp"
#include "schedcc/schedule.hpp"

namespace schedcc {

/// The steps with only those transfers whose nodes and chunks exist, that do not send to
/// themselves, and that reduce only reduction chunks. The others are reported, if `report` is set.
std::unique_ptr<StepStream> well_formed_steps(std::unique_ptr<StepStream> stream,
                                              const Context& context, bool report);

}  // namespace schedcc
