#pragma once

// Figure 3: how much faster fractional trees are than the better of the simple methods, and where
// most so.
//
// Times are in units of the start-up, t = 1, so that a step with packets of k/s takes 1 + k/s.

#include <cmath>
#include <utility>

#include "ledger.hpp"

namespace ledger::FT {

/// The k at which f(k) stops to be positive, between low and high, on a logarithmic scale.
template <typename F>
double crossing(double low, double high, F f) {
  for (int i = 0; i < 100; ++i) {
    const double middle = std::sqrt(low * high);
    (f(middle) > 0 ? low : high) = middle;
  }
  return low;
}

/// The improvement of fractional trees over the better of the simple methods, by the paper's
/// formulas.
double improvement(U64 P, double k);
/// The k of its peak, which is where the simple methods are equal.
double simple_methods_meet(U64 P);
/// The improvement there.
double highest_improvement(U64 P);

/// Figure 3's peak by the schedules, over all whole r and s: around the formulas' peak the curve
/// has teeth, so that the highest of 41 points is taken, 1 % apart. Improvement and k.
std::pair<double, double> peak(U64 P);

/// On simplex PUs: the improvement where chain and binary tree are equal, by the direct schedules.
double simplex_peak(U64 P);

}  // namespace ledger::FT
