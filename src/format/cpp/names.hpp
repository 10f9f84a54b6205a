#pragma once

// Names in C++: the table's namespace, and names derived from it.

#include <string>
#include <string_view>

#include "schedcc/format.hpp"

namespace schedcc::cpp {

/// Throws InputError if the parameter `namespace` is not a valid name in C++.
void check_namespace(const Parameters& parameters);

/// The requested namespace, a::b::c, or else one that resembles the output file's name. Throws as
/// check_namespace does.
std::string namespace_of(const EmitOptions& options);

/// The include guard of a namespace: a macro that no other namespace has.
std::string guard_of(std::string_view space);

/// The text as a literal of ASCII characters; other bytes are written as their numbers.
std::string string_literal(std::string_view text);

}  // namespace schedcc::cpp
