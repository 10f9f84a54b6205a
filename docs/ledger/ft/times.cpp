#include "ft/times.hpp"

#include <algorithm>
#include <cmath>

#include "algorithm/fractional_tree/fractional_tree.hpp"
#include "core/integers.hpp"
#include "measure.hpp"
#include "schedcc/cost.hpp"

namespace ledger::FT {

namespace {

/// The least (a + b s)(1 + k/s) over whole s: convex in s.
double best_whole(double a, double b, double k) {
  const double s = std::max(1.0, std::floor(std::sqrt(k * a / b)));
  return std::min((a + b * s) * (1 + k / s), (a + b * (s + 1)) * (1 + k / (s + 1)));
}

}  // namespace

std::string tree(U64 r, std::string_view more) {
  return fmt::format("fractional-tree:r={}{}", r, more);
}

U64 d_of(U64 P, U64 r) { return fractional_tree_steps(P, 1, r) - 1; }

double tree_time(double d, double r, double k, double s) {
  return (d + s * (1 + 1 / r)) * (1 + k / s);
}
double best_chain(double P, double k) { return square(std::sqrt(k) + std::sqrt(P - 2)); }
double best_binary(double d, double k) { return square(std::sqrt(2 * k) + std::sqrt(d)); }
double best_tree(double d, double r, double k) {
  return k * (1 + 1 / r) * square(1 + std::sqrt(d * r / (k * (r + 1))));
}

double estimate(double P, double k) { return std::cbrt(k / (std::log2(P) - 1)); }

double chain_schedule(U64 P, double k) { return best_whole(real(P) - 2, 1, k); }
double binary_schedule(U64 P, double k) { return best_whole(real(d_of(P, 1)) - 1, 2, k); }
double circulant_schedule(U64 P, double k) { return best_whole(real(ceil_log2(P)) - 1, 1, k); }

// At multiples of r it is (d - 1 + s (1 + 1/r))(1 + k/s), and elsewhere more. So it is least at
// one of the multiples M, M + r beside the minimum of that, or between these, where steps are d -
// 1 + (M + r)/r + s.
double best_run(double d, double r, double k) {
  const double real_s = std::sqrt(k * (d - 1) * r / (r + 1));
  const double M = std::floor(real_s / r) * r, ceiling = (M + r) / r;
  const auto T = [&](double s) { return (d - 1 + s + std::ceil(s / r)) * (1 + k / s); };
  const double between = std::sqrt(k * (d - 1 + ceiling));
  double least = T(M + r);
  if (M > 0) least = std::min(least, T(M));
  for (const double s : {std::floor(between), std::floor(between) + 1})
    least = std::min(least, T(std::clamp(s, M + 1, M + r)));
  return least;
}

double Fractional::time(double k) {
  double best = chain_schedule(P_, k);
  for (U64 r = 1; r + 1 < P_; ++r) {
    if (d_.size() < r) d_.push_back(real(d_of(P_, r)));
    const double d = d_[r - 1], R = real(r);
    if (square(std::sqrt(k) + std::sqrt(d - 1)) >= best) break;  // d does not fall as r grows
    if (best_tree(d - 1, R, k) < best) best = std::min(best, best_run(d, R, k));
  }
  return best;
}

Choice tuned(U64 P, const std::string& algorithm, double k) {
  TuneRequest r;
  r.problem.ranks = static_cast<Rank>(P);
  r.model = make_cost_model("alpha-beta:alpha=1us,beta=1ps/B");
  r.algorithms = {Spec::parse(algorithm)};
  return *Tuner(std::move(r)).best(static_cast<U64>(std::llround(1e6 * k)));
}

}  // namespace ledger::FT
