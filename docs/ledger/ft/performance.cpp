// FT, section 3: the performance analysis, with the r and s that it chooses. Its examples are in
// examples.cpp.

#include <algorithm>
#include <array>
#include <cmath>

#include "algorithm/fractional_tree/fractional_tree.hpp"
#include "ft/examples.hpp"
#include "ft/sections.hpp"
#include "ft/times.hpp"
#include "measure.hpp"

namespace ledger::FT {

namespace {

double tree_time(double d, double r, double k, double s) {
  return (d + s * (1 + 1 / r)) * (1 + k / s);
}

/// The chosen r and s of the performance analysis, rounded, and the time of the schedule.
struct ChosenParameters {
  U64 r, d, s;
  double time;
};
ChosenParameters choose(U64 P, double k) {
  const U64 r = std::max<U64>(1, static_cast<U64>(std::llround(estimate(real(P), k))));
  const U64 d = d_of(P, r);
  const U64 s =
      std::max<U64>(1, static_cast<U64>(std::llround(std::sqrt(k * real(d * r) / real(r + 1)))));
  return {r, d, s, real(fractional_tree_steps(P, s, r)) * (1 + k / real(s))};
}

const std::vector<Claim> analysis{
    {"equation (7)", "d + s (1 + 1/r) steps until all s/r runs have reached the last leaf group",
     "P = 30, 64, 100, 1024; r = 1, 2, 3, 8; s = r, 2r, 9r",
     [](Found& f) {
       for (const Rank P : {30U, 64U, 100U, 1024U}) {
         for (const std::uint32_t r : {1U, 2U, 3U, 8U}) {
           for (const std::uint32_t runs : {1U, 2U, 9U})
             f.equal(d_of(P, r) + runs * r + runs, steps({tree(r), P, runs * r}),
                     "P = {}, r = {}, s = {}", P, r, runs * r);
         }
       }
       f.say("d + s (1 + 1/r) - 1 steps, always");
       f.shows("{} steps", steps({tree(8), 1024, 456}));
     },
     "schedcc compile fractional-tree:r=8 --ranks 1024 --chunks 456 >/dev/null",
     "one step too many, as in the binary tree"},
    {"after equation (7)", "the best s is sqrt(k d r/(t (r+1)))",
     "P = 1024; r = 1, 3, 8; k/t = 100..10^6; s 1 % to both sides",
     [](Found& f) {
       for (const double r : {1.0, 3.0, 8.0}) {
         const double d = real(d_of(1024, static_cast<U64>(r)));
         for (const double k : {100.0, 5000.0, 1e6}) {
           const auto T = [&](double s) { return tree_time(d, r, k, s); };
           const double s = std::sqrt(k * d * r / (r + 1));
           f.holds(T(1.01 * s) > T(s) && T(s / 1.01) > T(s), "r = {}, k/t = {}", r, k);
         }
       }
       f.shows("FT (8)");
     },
     "schedcc cost fractional-tree:r=3 --ranks 1024 --bytes 5000MB --alpha 1us --beta 1ps/B"},
    {"equation (8)", "T_r^* = k (1 + 1/r)(1 + sqrt(d r t/(k (r+1))))^2",
     "the same; equal to (7) there, and to schedules with the best whole s to 2 %",
     [](Found& f) {
       for (const double r : {1.0, 3.0, 8.0}) {
         const double d = real(d_of(1024, static_cast<U64>(r)));
         for (const double k : {100.0, 5000.0, 1e6}) {
           const double T = best_tree(d, r, k);
           f.close(tree_time(d, r, k, std::sqrt(k * d * r / (r + 1))), T, 1e-9, "r = {}, k/t = {}",
                   r, k);
           f.close(T, best_run(d, r, k), 0.02, "r = {}, k/t = {}: a schedule", r, k);
         }
       }
       f.shows("FT (8)");
     },
     "schedcc cost fractional-tree:r=8 --ranks 1024 --bytes 5000MB --alpha 1us --beta 1ps/B"},
    {"after equation (8)",
     "r ≈ (k (r+1)/(dt))^(1/3) is close to optimal, with d/(r+1) ≈ log P - 1, for k (r+1) >= "
     "dt",
     "P = 16, 64, 256, 1024, 4096, 16384; k/t = 10 .. 10^8; rounded r and s against the best "
     "whole ones; to 10 %",
     [](Found& f) {
       double most = 0;
       for (U64 P = 16; P <= 16384; P *= 4) {
         Fractional best(P);
         for (double k = 10; k <= 1e8; k *= std::sqrt(10)) {
           const ChosenParameters chosen = choose(P, k);
           if (k * real(chosen.r + 1) < real(chosen.d)) continue;
           const double loss = chosen.time / best.time(k) - 1;
           f.at_most(0.1, loss, "P = {}, k/t = {:.0f}: lost", P, k);
           most = std::max(most, loss);
         }
       }
       f.say("at most {:.1f} % are lost", 100 * most);
       f.shows("fractional-tree:r=10");
     },
     "schedcc cost fractional-tree --ranks 1024 --bytes 4096MB --alpha 1us --beta 1ps/B"},
    {"after equation (8)", "for smaller k one should use r = 1 or even a non-pipelined algorithm",
     "P = 2^4 .. 2^14; k/t = 0.1 .. log P - 1 by 10 %; against the best whole r and s",
     [](Found& f) {
       for (U64 h = 4; h <= 14; ++h) {
         const U64 P = U64{1} << h;
         Fractional trees(P);
         for (double k = 0.1; k < real(h) - 1; k *= 1.1) {
           const double binomial = real(h) * (1 + k);
           f.at_most(trees.time(k) * 1.02, std::min(binary_schedule(P, k), binomial),
                     "P = {}, k/t = {:.2f}", P, k);
         }
       }
       f.say("r = 1, or the binomial tree, is within 2 % of the best");
       f.shows("binary-tree");
     },
     "schedcc tune --algorithms binary-tree,binomial-tree,fractional-tree --ranks 1024 --bytes "
     "1MB..8MB --alpha 1us --beta 1ps/B"},
    {"after equation (8)", "T* <= k (1 + (dt/(k (r+1)))^(1/3))^3 with these r and s",
     "the same P and k",
     [](Found& f) {
       double most = 0;
       for (U64 P = 16; P <= 16384; P *= 4) {
         for (double k = 10; k <= 1e8; k *= std::sqrt(10)) {
           const ChosenParameters c = choose(P, k);
           if (k * real(c.r + 1) < real(c.d)) continue;
           const double bound = k * std::pow(1 + std::cbrt(real(c.d) / (k * real(c.r + 1))), 3);
           expect(best_tree(real(c.d), real(c.r), k) >= bound * (1 - 1e-12));
           f.at_most(bound, c.time, "P = {}, k/t = {:.0f}", P, k);
           most = std::max(most, c.time / bound - 1);
         }
       }
       f.say("exceeded by {:.1f} % at most", 100 * most);
       f.shows("fractional-tree:r=10");
     },
     "schedcc cost fractional-tree --ranks 1024 --bytes 4096MB --alpha 1us --beta 1ps/B",
     "for fixed d/(r+1) that is the least T_r^* over real r, which no whole r can be below; it "
     "is an equality up to rounding"},
    {"after equation (8)", "for k much larger than t log P it is quite close to (4)",
     "P = 16, 1024, 16384; k = 10^4, 10^6, 10^8 t log P",
     [](Found& f) {
       std::array<double, 3> most{};
       for (const U64 P : {16U, 1024U, 16384U}) {
         Fractional best(P);
         for (std::size_t i = 0; i < 3; ++i) {
           const double lg = std::log2(real(P)), k = lg * std::pow(100, real(i) + 2);
           const double ratio = best.time(k) / (k + lg);
           f.at_most(std::array{1.2, 1.04, 1.01}[i], ratio, "P = {}, k/t = {}", P, k);
           most[i] = std::max(most[i], ratio);
         }
       }
       f.say("at most {:.3f}, {:.3f}, {:.4f} times (4)", most[0], most[1], most[2]);
       f.shows("k + t log P, for any schedule [FT (4)]");
     },
     "schedcc cost fractional-tree --ranks 64 --bytes 6TB --alpha 1us --beta 1ps/B"},
};

}  // namespace

Section performance() {
  Section section{"3 Performance analysis and examples", analysis};
  for (const Claim& claim : examples()) section.claims.push_back(claim);
  return section;
}

}  // namespace ledger::FT
