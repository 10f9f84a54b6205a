#pragma once

// What problem a program in MSCCL XML is for.

#include <optional>
#include <string>

#include "schedcc/program.hpp"

namespace schedcc {

/// Fills in the problem's chunks and root, unless the root is given; its collective and ranks are
/// known. Throws InputError with a place in `file` where the sizes of the buffers do not fit.
void find_problem(Program& program, const std::string& file,
                  std::optional<Rank> root = std::nullopt);

}  // namespace schedcc
