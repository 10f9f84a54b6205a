#pragma once

// The reader of execution plans of MSCCL++.

#include <memory>
#include <string>
#include <string_view>

#include "schedcc/plan.hpp"
#include "schedcc/source.hpp"

namespace schedcc {

class InputText;

/// Reads a plan; `file` is its name for messages. Throws InputError with the location.
Source read_mscclpp(const InputText& text, const std::string& file);
/// Does the text begin like a plan?
bool is_mscclpp(std::string_view text);

/// The word of a collective in a plan; empty if there is none.
std::string_view plan_word(Collective collective);
/// Finds the problem of a plan by its word, with the numbers of chunks. Throws InputError, with the
/// location, if these are not those of the collective.
void find_problem(Plan& plan, const std::string& file);
/// The source of a plan.
Source plan_source(std::shared_ptr<const Plan> plan, const std::string& file);

}  // namespace schedcc
