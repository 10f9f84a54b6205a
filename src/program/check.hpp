#pragma once

// Checking programs; see program.cpp.

#include "schedcc/check.hpp"
#include "schedcc/program.hpp"

namespace schedcc {

/// Proves the program of a source right, or finds where it is not. The checks asked for that are
/// not for programs are left out; their names are those of `program_checks`.
Report check_program(const Source& source, const CheckOptions& options);

}  // namespace schedcc
