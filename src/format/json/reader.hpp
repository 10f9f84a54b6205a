#pragma once

#include <string>
#include <string_view>

#include "core/input_text.hpp"
#include "schedcc/source.hpp"

namespace schedcc {

/// Reads a schedule in schedcc's JSON (docs/schedule.schema.json), into memory; `file` is its name
/// for messages. Throws InputError with the location.
Source read_json(const InputText& text, const std::string& file);

/// Does the text begin like an object, and is there a field `schedcc`?
bool is_json(std::string_view text);

}  // namespace schedcc
