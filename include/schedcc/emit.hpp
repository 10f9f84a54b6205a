#pragma once

// Writing a schedule in a format.

#include "schedcc/format.hpp"
#include "schedcc/source.hpp"

#pragma GCC visibility push(default)

namespace schedcc {

/// Writes the source. Options whose machine was left as it is made get the one that the source
/// names, or duplex: the order of a rank's operations depends on it. Throws InputError as
/// Format::write does, and for a machine that cannot be made for the source's ranks.
void emit(const Source& source, const Format& format, EmitOptions options, Output& out);

}  // namespace schedcc

#pragma GCC visibility pop
