#pragma once

// The filter of the check `shape`: drops and reports malformed transfers.

#include <cstdint>
#include <memory>

#include "check/checks.hpp"
#include "schedcc/schedule.hpp"

namespace schedcc {

/// Do its nodes and chunks exist, does it not send to itself, and reduce only reduction chunks?
bool well_formed(const Transfer& t, const Problem& problem, std::uint64_t nodes);

/// What becomes of transfers that are not.
enum class Malformed : std::uint8_t { dropped, reported };

/// The steps with only the transfers that are well-formed.
std::unique_ptr<StepStream> well_formed_steps(std::unique_ptr<StepStream> stream,
                                              const Context& context, Malformed malformed);

}  // namespace schedcc
