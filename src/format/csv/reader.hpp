#pragma once

#include <string>
#include <string_view>

#include "core/input_text.hpp"
#include "schedcc/source.hpp"

namespace schedcc {

/// Reads a schedule as a table (docs/formats.md, "csv"); `file` is its name for messages. The
/// header is read at once, the steps as the source is streamed. Throws InputError with the
/// location.
Source read_csv(const InputText& text, const std::string& file);

/// Does the text begin like one?
bool is_csv(std::string_view text);

}  // namespace schedcc
