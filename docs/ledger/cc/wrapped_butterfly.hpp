#pragma once

// CC, optimal broadcast: the binomial trees in the wrapped butterfly.

#include <vector>

#include "cc/senders.hpp"
#include "ledger.hpp"

namespace ledger::CC {

/// The claims, as a part of the section.
std::vector<Claim> wrapped_butterfly();

using cc::S;

/// Calls fn(i, j, k) for all i, j = 0..h-1, k = 1..h-1.
template <typename F>
void each_level(std::uint32_t h, F fn) {
  for (std::uint32_t i = 0; i < h; ++i) {
    for (std::uint32_t j = 0; j < h; ++j) {
      for (std::uint32_t k = 1; k < h; ++k) fn(i, j, k);
    }
  }
}

}  // namespace ledger::CC
