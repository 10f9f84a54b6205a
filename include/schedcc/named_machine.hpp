#pragma once

// The default machine of a source.

#include "schedcc/machine.hpp"
#include "schedcc/source.hpp"

#pragma GCC visibility push(default)

namespace schedcc {

/// The machine that the source names, for its ranks; duplex if it names none. Throws InputError as
/// make_machine does.
Machine named_machine(const Source& source);

}  // namespace schedcc

#pragma GCC visibility pop
