#pragma once

#include <cstdint>

#include "schedcc/schedule.hpp"

namespace schedcc {

/// Allreduce of K chunks on P = 2^h ranks by recursive halving, then doubling, in 2h steps. In step
/// i < h partners differ in bit i.
Steps butterfly_allreduce(std::uint64_t P, std::uint64_t K);

}  // namespace schedcc
