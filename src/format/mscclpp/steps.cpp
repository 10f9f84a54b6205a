#include "format/mscclpp/steps.hpp"

#include <utility>

#include <fmt/core.h>

#include "core/printable.hpp"
#include "format/mscclpp/operands.hpp"
#include "program/plan/forms.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

void PlanStepReader::begin_step(bool inner) {
  step_ = {};
  json_.here(step_);
  inner_ = inner;
  word_.clear();
}

void PlanStepReader::begin_body() {
  if (inner_) json_.fail("a pipeline must not contain a pipeline");
  pipeline_ = step_;
  pipeline_word_ = word_;
  body_at_ = steps_.size();
  steps_.emplace_back();
}

void PlanStepReader::end_body() {
  step_ = std::move(pipeline_);
  word_ = pipeline_word_;
  step_.body = static_cast<std::uint32_t>(steps_.size() - body_at_ - 1);
  has_body_ = true;
  inner_ = false;
}

void PlanStepReader::end_step() {
  const program::PlanForm* form = program::find_plan_form(word_);
  const auto fail = [&](const std::string& message) {
    throw InputError({file_, step_.line, step_.column}, message);
  };
  if (form == nullptr) {
    fail(fmt::format("unknown operation '{}'", printable(word_)));
  }
  step_.op = form->op;
  if (has_body_ != (step_.op == PlanOp::pipeline)) {
    fail(has_body_ ? fmt::format("'{}' cannot contain operations", word_)
                   : std::string("a pipeline needs the fields 'iter_context' and 'ops'"));
  }
  if (has_body_ && step_.unit == 0) fail("a pipeline needs 'iter_context' with a 'unit_size'");
  check_operands(step_, *form, file_);
  if (step_.parts == 0 || step_.part >= step_.parts) {
    fail(fmt::format("'tbg_info': part {} must be below the number of parts, {}", step_.part,
                     step_.parts));
  }
  if (has_body_) {
    steps_[body_at_] = std::move(step_);
    has_body_ = false;
  } else {
    steps_.push_back(std::move(step_));
  }
}

void PlanStepReader::end_operand(std::vector<PlanRange>& to) {
  if (operand_.named != 1) {
    json_.fail("an operand has one of 'type', 'buffer_id' and 'switch_channel_id'");
  }
  to.push_back(operand_.range);
}

}  // namespace schedcc
