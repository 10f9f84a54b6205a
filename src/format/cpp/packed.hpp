#pragma once

// Large tables as string literals, which compilers read a hundred times faster than initializers.

#include "format/table.hpp"
#include "format/text.hpp"
#include "schedcc/spec.hpp"

namespace schedcc::cpp {

/// The parameter that chooses between initializers and literals.
Parameter form_parameter();
/// Is a table packed? As `form` says, else if it has 2^15 operations or more, for whose
/// initializers g++ 12 takes half a second.
bool is_packed(const Parameters& parameters, const Table& table);

/// The constant `operations`, a range of operations with random access, and the type `Program` of a
/// part of it: the same names as for an array. Operations are records of digits to the base 64, in
/// literals of at most 2^16 characters, which is as many as clang++ takes without a warning.
void write_packed_operations(const Table& table, Text& out);

}  // namespace schedcc::cpp
