#pragma once

// The file of --block-sizes: how many chunks each block has.

#include <cstdint>
#include <string>

#include "schedcc/problem.hpp"

namespace schedcc {

/// Reads exactly `blocks` whole numbers, zeros among them allowed, at most 2^31 - 1 together; where
/// `blocks` is 0, any number of them. White space and ends of lines separate, # starts a comment.
/// "-" is standard input. Throws InputError with the place.
BlockSizes read_block_sizes(const std::string& path, std::uint64_t blocks);

}  // namespace schedcc
