#pragma once

#include <string>
#include <string_view>

#include "core/input_text.hpp"
#include "schedcc/source.hpp"

namespace schedcc {

/// Reads a GOAL program (docs/formats.md, "goal") into a schedule in memory; `file` is its name for
/// messages. Throws InputError with the location.
Source read_goal(const InputText& text, const std::string& file);

/// Does the text begin like one?
bool is_goal(std::string_view text);

}  // namespace schedcc
