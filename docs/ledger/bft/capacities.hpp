#pragma once

// Fat trees with n = P = 2^h leaves, by the capacities of their branches.

#include <bit>
#include <string>
#include <vector>

#include "ledger.hpp"
#include "measure.hpp"

namespace ledger::BFT {

/// c_1 .. c_h: what a branch between levels i-1 and i carries, at [i - 1].
using Capacities = std::vector<U64>;

inline U64 log2(U64 n) { return static_cast<U64>(std::bit_width(n)) - 1; }

/// The specification of the machine.
std::string fattree(const Capacities& c);

Capacities constant(U64 h);
Capacities exponential(U64 h);
/// All capacities with c_1 = 1 that stay or double from level to level.
std::vector<Capacities> doubling(U64 h);
/// Constant, exponential, and others that follow no rule; single links at the leaves.
std::vector<Capacities> single_links(U64 h);

/// Calls fn(h, n, machine) for n = 4..most leaves and all capacities with single links at them.
template <typename F>
void each_tree(U64 most, F fn) {
  for (U64 h = 2; U64{1} << h <= most; ++h) {
    for (const Capacities& c : single_links(h)) fn(h, Rank{1} << h, fattree(c));
  }
}

}  // namespace ledger::BFT
