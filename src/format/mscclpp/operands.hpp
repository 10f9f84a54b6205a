#pragma once

// The operands of an operation in a plan.

#include <string>

#include "program/plan/forms.hpp"
#include "schedcc/plan.hpp"

namespace schedcc {

/// Throws InputError, with the location of the operation in `file`, if it does not have as many
/// sources and destinations as its form, or one is of the wrong kind: the GPU's own, another's, or
/// of a switch.
void check_operands(const PlanStep& step, const program::PlanForm& form, const std::string& file);

}  // namespace schedcc
