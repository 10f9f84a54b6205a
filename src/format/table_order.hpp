#pragma once

#include <string_view>

#include "schedcc/machine.hpp"
#include "schedcc/source.hpp"

namespace schedcc::cpp {

/// A program makes its calls step by step, and combines what it receives at once. On a network a
/// transfer is under way for as many steps as its route has links, and reaches its destination
/// after others that left later. Throws InputError, with the transfer, where a reduction relies on
/// that: where a rank sends a chunk while more of it is under way to that rank, or a copy changes
/// places with something else for its chunk. `what` ("a C++ table") cannot say it.
void refuse_reordered(const Source& source, const Machine& machine, std::string_view what);

}  // namespace schedcc::cpp
