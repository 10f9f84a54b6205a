#include "ft/peaks.hpp"

#include <algorithm>
#include <cmath>

#include "algorithm/fractional_tree/fractional_tree.hpp"
#include "ft/times.hpp"
#include "measure.hpp"

namespace ledger::FT {

namespace {

/// The best T_r^* of (8), over whole r: a search around the estimate, beside which it is flat.
double best_r(U64 P, double k) {
  const double guess = estimate(real(P), k);
  double least = 1e300;
  for (double r = std::max(1.0, std::floor(guess / 2)); r <= 2 * guess + 2;
       r += std::max(1.0, std::floor(guess / 20))) {
    least = std::min(least, best_tree(real(d_of(P, static_cast<U64>(r))), r, k));
  }
  return least;
}

/// Simplex: steps are start + per s, for the best s as above.
double best_simplex(double start, double per, double k) {
  return square(std::sqrt(per * k) + std::sqrt(start));
}
double simplex_improvement(U64 P, double k) {
  const auto tree_of = [&](U64 r) {  // d + 2s + s/r - 2 steps
    return best_simplex(real(simplex_fractional_tree_steps(P, 1, r)) - 3, 2 + 1 / real(r), k);
  };
  double least = 1e300;
  const double guess = std::cbrt(k / std::log2(real(P)));
  for (double r = 1; r <= 2 * guess + 2; r += std::max(1.0, std::floor(r / 20)))
    least = std::min(least, tree_of(static_cast<U64>(r)));
  return std::min(best_simplex(real(P) - 3, 2, k), tree_of(1)) / least;
}

}  // namespace

double improvement(U64 P, double k) {
  return std::min(best_chain(real(P), k), best_binary(real(d_of(P, 1)), k)) / best_r(P, k);
}
double simple_methods_meet(U64 P) {
  const double d = real(d_of(P, 1));
  return crossing(1, 1e18, [&](double k) { return best_chain(real(P), k) - best_binary(d, k); });
}
double highest_improvement(U64 P) { return improvement(P, simple_methods_meet(P)); }

std::pair<double, double> peak(U64 P) {
  Fractional trees(P);
  const double middle = simple_methods_meet(P);
  std::pair<double, double> best{0, 0};
  for (int i = -20; i <= 20; ++i) {
    const double k = middle * std::pow(1.01, i);
    const double simple = std::min(chain_schedule(P, k), binary_schedule(P, k));
    best = std::max(best, {simple / trees.time(k), k});
  }
  return best;
}

double simplex_peak(U64 P) {
  const double start = real(simplex_fractional_tree_steps(P, 1, 1)) - 3;
  const double k = crossing(1, 1e18, [&](double at) {
    return best_simplex(real(P) - 3, 2, at) - best_simplex(start, 3, at);
  });
  return simplex_improvement(P, k);
}

}  // namespace ledger::FT
