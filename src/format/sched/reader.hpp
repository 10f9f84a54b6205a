#pragma once

#include <string>
#include <string_view>

#include "core/input_text.hpp"
#include "schedcc/source.hpp"

namespace schedcc {

/// Reads a schedule in the .sched text format; `file` is its name for messages. The header is read
/// at once, the steps as the source is streamed. Throws InputError with the location.
Source read_sched(const InputText& text, const std::string& file);

/// Does the text begin as the .sched format does?
bool is_sched(std::string_view text);

}  // namespace schedcc
