#pragma once

// The elements of a plan in its file.

#include <cstdint>

#include "program/findings.hpp"
#include "schedcc/plan.hpp"

namespace schedcc::program {

/// An operation, a threadblock, a GPU or the plan, by their numbers.
ProgramLocation location(const Plan& plan, std::uint32_t gpu = none, std::uint32_t block = none,
                         std::uint32_t step = none);

}  // namespace schedcc::program
