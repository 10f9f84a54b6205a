#pragma once

// The paths of files in the specifications of machines that a file contains.

#include <string>

namespace schedcc {

/// A specification from `file`, as make_machine takes it: the paths in it are relative to the
/// folder of `file`, and become relative to the current one. For standard input and other devices
/// that is the same folder.
std::string machine_spec_from_file(const std::string& file, const std::string& spec);
/// The reverse: a specification as it must be written in `file`.
std::string machine_spec_for_file(const std::string& file, const std::string& spec);

}  // namespace schedcc
