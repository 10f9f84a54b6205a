#include "program/plan/forms.hpp"

#include <algorithm>

#include "schedcc/error.hpp"

namespace schedcc {

namespace program {

const PlanForm& form(PlanOp op) {
  const auto found = std::ranges::find(plan_forms, op, &PlanForm::op);
  if (found == plan_forms.end()) throw InternalError("an operation of a plan without a form");
  return *found;
}

const PlanForm* find_plan_form(std::string_view word) {
  const auto found = std::ranges::find(plan_forms, word, &PlanForm::word);
  return found == plan_forms.end() ? nullptr : &*found;
}

}  // namespace program

std::string_view name(PlanOp op) { return program::form(op).word; }

std::string_view name(PlanChannel channel) {
  switch (channel) {
    case PlanChannel::memory:
      return "memory";
    case PlanChannel::port:
      return "port";
    case PlanChannel::multicast:
      return "switch";
    case PlanChannel::none:
      break;
  }
  return "none";
}

}  // namespace schedcc
