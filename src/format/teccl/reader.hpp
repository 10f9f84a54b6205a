#pragma once

#include <string>
#include <string_view>

#include "core/input_text.hpp"
#include "schedcc/source.hpp"

namespace schedcc {

/// Reads a schedule in the JSON of TE-CCL (docs/formats.md, "teccl") into memory; `file` is its
/// name for messages. Throws InputError with the location.
Source read_teccl(const InputText& text, const std::string& file);

/// Does the text begin like one?
bool is_teccl(std::string_view text);

}  // namespace schedcc
