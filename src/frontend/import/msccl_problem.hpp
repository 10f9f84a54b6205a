#pragma once

// What problem a program in MSCCL XML is for.

#include <string>

#include "schedcc/program.hpp"

namespace schedcc {

/// Fills in the problem's chunks and root; its collective and ranks are known. Throws InputError
/// with a place in `file` where the sizes of the buffers do not fit.
void find_problem(Program& program, const std::string& file);

}  // namespace schedcc
