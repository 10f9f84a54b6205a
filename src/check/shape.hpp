#pragma once

// The check `shape`, in its two parts: what one transfer may look like, and what may arrive
// together.

#include <memory>
#include <string_view>

#include "check/checks.hpp"
#include "schedcc/source.hpp"

namespace schedcc {

/// The steps with only those transfers whose nodes and chunks exist, that do not send to
/// themselves, and that reduce only reduction chunks. What is left out is reported, if `report` is
/// set.
std::unique_ptr<StepStream> admitted(std::unique_ptr<StepStream> stream, const Context& context,
                                     bool report);

/// For formats that cannot say all that is wrong: throws InputError, with the step and what is
/// amiss in it, where the check `shape` finds anything at the source's own level. `who` ("SCCL") is
/// what takes no such steps.
void refuse_misshapen(const Source& source, std::string_view who);

}  // namespace schedcc
