#pragma once

// The file of --block-sizes: how many chunks each block has.

#include <cstdint>
#include <string>

#include "schedcc/problem.hpp"

namespace schedcc {

/// Reads exactly `blocks` whole numbers, zeros allowed, with a sum of at most 2^31 - 1; where
/// `blocks` is 0, any number of them. White space and ends of lines separate, # starts a comment.
/// "-" is standard input. Throws InputError with its location.
BlockSizes read_block_sizes(const std::string& path, std::uint64_t blocks);

}  // namespace schedcc
