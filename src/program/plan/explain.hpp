#pragma once

// Findings about a plan, and their texts.

#include <cstdint>
#include <string>

#include "program/plan/limits.hpp"
#include "program/plan/order.hpp"
#include "program/plan/trace.hpp"
#include "program/symbolic_value.hpp"
#include "schedcc/plan.hpp"
#include "schedcc/report.hpp"

namespace schedcc::program {

/// A finding about an operation, a threadblock, a GPU or the plan; UINT32_MAX: none.
Finding finding_at(const Plan& plan, std::uint32_t gpu, std::uint32_t block, std::uint32_t step,
                   std::string message);
/// The same, by a threadblock of the trace.
Finding finding_at(const PlanTrace& trace, std::uint32_t block, std::uint32_t step,
                   std::string message);

/// What an error is about: the beginning of its message; empty for notes.
std::string subject(const Plan& plan, const PlanRemark& remark);

std::string explain(const PlanTrace& trace, const PlanRace& race);
std::string explain(const PlanTrace& trace, const InvalidUse& use);

}  // namespace schedcc::program
