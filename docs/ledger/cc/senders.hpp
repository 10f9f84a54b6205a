#pragma once

// CC's S(i, j), from its formula: who sends on level i of the j-th binomial tree of the optimal
// broadcast to 2^h ranks.

#include <cstdint>
#include <set>

#include "schedcc/schedule.hpp"

namespace cc {

/// {2^j + sum of 2^(j+r mod h) over r in R}, for all subsets R of {1..i}; i, j = 0..h-1.
inline std::set<schedcc::Rank> S(std::uint32_t i, std::uint32_t j, std::uint32_t h) {
  using schedcc::Rank;
  std::set<Rank> result;
  for (Rank R = 0; R < Rank{1} << i; ++R) {
    Rank member = Rank{1} << j;
    for (std::uint32_t r = 1; r <= i; ++r) {
      if ((R >> (r - 1) & 1) != 0) member += Rank{1} << ((j + r) % h);
    }
    result.insert(member);
  }
  return result;
}

}  // namespace cc
