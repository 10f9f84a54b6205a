#pragma once

// The reader of MSCCL XML.

#include <string>
#include <string_view>

#include "schedcc/source.hpp"

namespace schedcc {

class InputText;

/// Reads a program of either dialect; the source's steps are those that it amounts to.
Source read_msccl(const InputText& text, const std::string& file);
/// Does the text begin like XML?
bool is_msccl(std::string_view text);

}  // namespace schedcc
