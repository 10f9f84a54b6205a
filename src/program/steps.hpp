#pragma once

// From a program to the steps of a schedule.

#include <memory>
#include <string>

#include "schedcc/program.hpp"
#include "schedcc/schedule.hpp"

namespace schedcc::program {

/// The steps of the program. Throws InputError, with a location in `file`, if there are none: the
/// program is wrong, or a rank has several values of a chunk, of which a schedule has one.
std::shared_ptr<const Schedule> steps(const Program& program, const std::string& file);

}  // namespace schedcc::program
