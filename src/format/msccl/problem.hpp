#pragma once

// The problem of a program in MSCCL XML.

#include <memory>
#include <optional>
#include <string>

#include "schedcc/program.hpp"
#include "schedcc/source.hpp"

namespace schedcc {

/// Fills in the problem's chunks and root, unless the root is given; its collective and ranks are
/// known. Throws InputError with a location in `file` if the sizes of the buffers do not fit.
void find_problem(Program& program, const std::string& file,
                  std::optional<Rank> root = std::nullopt);

/// Why a program cannot have a block for each rank, as its collective has; empty if it can.
std::string unequal_blocks(const Program& program);

/// The source with the steps of the program.
Source program_source(const std::shared_ptr<const Program>& program, const std::string& file);

}  // namespace schedcc
