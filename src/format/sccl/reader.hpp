#pragma once

#include <string>
#include <string_view>

#include "core/input_text.hpp"
#include "machine/topology.hpp"
#include "schedcc/source.hpp"

namespace schedcc {

/// Reads an algorithm in the JSON of msccl-tools (docs/formats.md, "sccl") into memory; `file` is
/// its name for messages. Throws InputError with the location.
Source read_sccl(const InputText& text, const std::string& file);

/// The links of such an algorithm. Its switches limit several links together, which a Topology
/// cannot express: throws InputError if there are any.
Topology read_sccl_topology(const InputText& text, const std::string& file);

/// Does the text begin like one?
bool is_sccl(std::string_view text);

}  // namespace schedcc
