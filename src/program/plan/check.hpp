#pragma once

// Checking execution plans; see check.cpp.

#include "schedcc/check.hpp"

namespace schedcc {

/// Proves the plan of a source correct, or reports its errors. Requested checks that are not for
/// programs are ignored; their names are those of `program_checks`.
Report check_plan(const Source& source, const CheckOptions& options);

}  // namespace schedcc
