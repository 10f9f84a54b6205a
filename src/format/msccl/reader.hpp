#pragma once

// The reader of MSCCL XML.

#include <optional>
#include <string>
#include <string_view>

#include "schedcc/source.hpp"

namespace schedcc {

class InputText;

/// Reads a program of either dialect; the source's steps are those of the program.
Source read_msccl(const InputText& text, const std::string& file);
/// The program of a file that calls its collective `custom`, read as a program of the given
/// collective. The root, if it has one, is the one given, or else found from the program. Throws
/// InputError, with the location, if the sizes of its buffers are not those of the collective, or
/// the file names its collective.
Source with_collective(const Source& custom, Collective collective, std::optional<Rank> root);
/// The same for the problem of another file, of which the steps do not matter. Of a custom
/// collective, chunk c is number c of both buffers; if these do not have that size, the k-th chunk
/// that a rank starts (ends) with is number k of its input (output). Throws InputError if ranks or
/// chunks do not fit.
Source with_stated_problem(const Source& custom, const Source& stated);
/// Is it XML whose first element is an <algo>?
bool is_msccl(std::string_view text);

}  // namespace schedcc
