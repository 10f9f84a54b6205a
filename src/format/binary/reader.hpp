#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/input_text.hpp"
#include "schedcc/source.hpp"

namespace schedcc {

/// Reads a schedule in the binary format (docs/binary-format.md); `file` is its name for messages.
/// The header is read at once, the steps as the source is streamed. Throws InputError with the byte
/// at which the file is wrong.
Source read_binary(const InputText& bytes, const std::string& file);
/// The same with another limit on the transfers of a step: LimitError beyond it.
Source read_binary(const InputText& bytes, const std::string& file, std::uint64_t most_transfers);

/// Do the bytes begin as the binary format does?
bool is_binary(std::string_view bytes);

}  // namespace schedcc
