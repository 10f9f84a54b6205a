#pragma once

// Dependencies that a program does not need.

#include "schedcc/program.hpp"

namespace schedcc::program {

/// The program without the dependencies that follow from its messages, from the order within its
/// threadblocks, and from other dependencies; and without the nops that had only such ones. A
/// program that does not complete is returned as it is.
Program without_implied(Program program);

}  // namespace schedcc::program
