#pragma once

// The lines that state a sweep: two sweeps with the same lines judge the same cases, in the same
// order, with the same verdicts.
//
// That holds for the same program on the same files. So the lines have checksums of the program,
// and of the files that the machine and the generator name; what these use beyond that is not
// known.

#include <string>
#include <string_view>
#include <vector>

#include "cli/options.hpp"
#include "schedcc/spec.hpp"

namespace schedcc::cli {

/// `algorithms`: those that are swept, in order.
std::string sweep_header(const SweepOptions& options, const std::vector<Spec>& algorithms);

/// The last line of a header, after `text`: the checksum of that.
std::string header_end(std::string_view text);

}  // namespace schedcc::cli
