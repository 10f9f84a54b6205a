#pragma once

// Writing a schedule in a format.

#include "schedcc/format.hpp"
#include "schedcc/source.hpp"

#pragma GCC visibility push(default)

namespace schedcc {

/// Writes the source. A default-constructed machine in `options` stands for the one that the source
/// names, or duplex: the order of a rank's operations depends on it. Throws InputError as
/// Format::write does, and for a machine that does not exist for the source's ranks.
void emit(const Source& source, const Format& format, EmitOptions options, Output& out);

}  // namespace schedcc

#pragma GCC visibility pop
