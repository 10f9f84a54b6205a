#pragma once

// Total exchange on the exponential fat tree in the fewest steps possible.

#include <cstdint>

#include "schedcc/schedule.hpp"

namespace schedcc {

/// Total exchange of K packets a block among n = 2^h >= 8 leaves, in K(n-1) + 2h - 2 steps; no
/// packet ever waits. Branches of level i carry 2^(i-1) packets.
Steps juggled_exchange(Rank n, std::uint32_t K);

}  // namespace schedcc
