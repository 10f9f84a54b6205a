#pragma once

// The reader of MSCCL XML.

#include <optional>
#include <string>
#include <string_view>

#include "schedcc/source.hpp"

namespace schedcc {

class InputText;

/// Reads a program of either dialect; the source's steps are those that it amounts to.
Source read_msccl(const InputText& text, const std::string& file);
/// The program of a file that calls its collective `custom`, which does not say what it is, taken
/// for a program of the collective that is named. The root, if it has one, is the one given, or
/// else the one that the program lets appear. Throws InputError, with the place, where the sizes of
/// its buffers are not those of the collective, or the file names its collective.
Source taken_for(const Source& custom, Collective collective, std::optional<Rank> root);
/// The same for the problem of another file, of which the steps do not matter. Of a custom
/// collective, chunk c is number c of both buffers; where these have not the size for that, the
/// k-th chunk that a rank starts (ends) with is number k of its input (output). Throws InputError
/// where ranks or chunks do not fit.
Source taken_for(const Source& custom, const Source& stated);
/// Does the text begin like XML?
bool is_msccl(std::string_view text);

}  // namespace schedcc
