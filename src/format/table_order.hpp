#pragma once

// Schedules whose transfers overtake one another, which tables of calls cannot express.

#include <string_view>

#include "schedcc/machine.hpp"
#include "schedcc/source.hpp"

namespace schedcc::cpp {

/// A program makes its calls step by step, and combines received chunks immediately. On a network a
/// transfer is under way for as many steps as its route has links, and reaches its destination
/// after others that left later. Throws InputError, with the transfer, if a reduction relies on
/// that: if a rank sends a chunk while a transfer of it is under way to that rank, or a copy
/// arrives in another order than another transfer of its chunk. `what` ("a C++ table") is the
/// format that cannot express it.
void refuse_reordered(const Source& source, const Machine& machine, std::string_view what);

}  // namespace schedcc::cpp
