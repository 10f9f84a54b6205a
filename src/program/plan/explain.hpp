#pragma once

// Texts for the errors of a plan.

#include <string>

#include "program/plan/order.hpp"
#include "program/plan/trace.hpp"
#include "program/symbolic_value.hpp"

namespace schedcc::program {

std::string explain(const PlanTrace& trace, const PlanRace& race);
std::string explain(const PlanTrace& trace, const InvalidUse& use);

}  // namespace schedcc::program
