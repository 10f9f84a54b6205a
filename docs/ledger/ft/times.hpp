#pragma once

// Times of FT's algorithms: its formulas with the best real number of packets s, and the least that
// schedules take over all whole s.
//
// Times are in units of the start-up, t = 1, so that a step with packets of k/s takes 1 + k/s.

#include <string>
#include <string_view>
#include <vector>

#include "ledger.hpp"
#include "schedcc/tune.hpp"

namespace ledger::FT {

using schedcc::Choice;

/// The specification of a fractional tree of groups of r PUs.
std::string tree(U64 r, std::string_view more = "");

inline double square(double x) { return x * x; }
inline double real(U64 x) { return static_cast<double>(x); }

/// Message lengths k/t for claims about all of them.
inline const std::vector<double> some_k{1, 10, 100, 1000, 1e4, 1e5, 1e6};

/// FT's d: the step before the last PU's first packet, counted from 0.
U64 d_of(U64 P, U64 r);

/// T_r^s, (7), as printed.
double tree_time(double d, double r, double k, double s);
/// The times with the best s: T_∞^*, T_1^*, and T_r^*, (8).
double best_chain(double P, double k);
double best_binary(double d, double k);
double best_tree(double d, double r, double k);
/// FT's estimate of the best r: r ≈ (k/d')^(1/3) with d' ≈ log P - 1.
double estimate(double P, double k);

/// The least times of schedules over all whole s.
double chain_schedule(U64 P, double k);
double binary_schedule(U64 P, double k);
double circulant_schedule(U64 P, double k);
/// The least time d - 1 + s + ceil(s/r) steps of a group size over all whole s.
double best_run(double d, double r, double k);

/// The least time of a fractional tree over all whole r and s.
class Fractional {
 public:
  explicit Fractional(U64 P) : P_(P) {}

  double time(double k);

 private:
  U64 P_;
  std::vector<double> d_;  ///< of r = 1, 2, ...
};

/// What `schedcc tune` chooses: α = 1 us and β = 1 ps/B, so that k start-ups are k million bytes.
Choice tuned(U64 P, const std::string& algorithm, double k);

}  // namespace ledger::FT
