#pragma once

// What problem a program in MSCCL XML is for.

#include <memory>
#include <optional>
#include <string>

#include "schedcc/program.hpp"
#include "schedcc/source.hpp"

namespace schedcc {

/// Fills in the problem's chunks and root, unless the root is given; its collective and ranks are
/// known. Throws InputError with a place in `file` where the sizes of the buffers do not fit.
void find_problem(Program& program, const std::string& file,
                  std::optional<Rank> root = std::nullopt);

/// The source whose steps are those that the program amounts to.
Source program_source(const std::shared_ptr<const Program>& program, const std::string& file);

}  // namespace schedcc
