#pragma once

// From a program to the steps of a schedule.

#include <cstdint>
#include <memory>
#include <string>

#include "schedcc/program.hpp"
#include "schedcc/schedule.hpp"

namespace schedcc::program {

/// The steps that the program amounts to. Throws InputError, with a place in `file`, where there
/// are none: the program is wrong, or a rank keeps several values of a chunk apart that a schedule
/// has as one.
std::shared_ptr<const Schedule> steps(const Program& program, const std::string& file);

}  // namespace schedcc::program
