#pragma once

// A check of the steps alone, before a format writes them.

#include <string_view>

#include "schedcc/source.hpp"

namespace schedcc {

/// For formats that cannot express every malformed step: throws InputError, with the step and the
/// finding, if the check `shape` finds anything at the source's own level. `who` ("SCCL") is the
/// format that needs well-formed steps.
void require_well_formed(const Source& source, std::string_view who);

}  // namespace schedcc
