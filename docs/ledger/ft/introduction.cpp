// FT, abstract and section 1: both ends of the interpolation, the improvement over the simple
// algorithms, and the cited times.

#include <algorithm>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "algorithm/fractional_tree/fractional_tree.hpp"
#include "core/integers.hpp"
#include "ft/peaks.hpp"
#include "ft/sections.hpp"
#include "ft/times.hpp"
#include "measure.hpp"

namespace ledger::FT {

namespace {

/// The steps of a schedule as pairs, in sets.
std::set<std::tuple<U64, Rank, Rank, Chunk>> as_set(const Steps& steps) {
  std::set<std::tuple<U64, Rank, Rank, Chunk>> result;
  for (const auto& [step, t] : transfers(steps)) result.emplace(step, t.src, t.dst, t.first);
  return result;
}

/// The improvements rise with P = 2^h towards `limit`, and come as near as `near`.
void approaches(Found& f, double limit, double near, const std::vector<U64>& exponents,
                double (*improvement)(U64)) {
  std::vector<double> peaks;
  for (const U64 h : exponents) {
    const double now = improvement(U64{1} << h);
    f.holds(now > (peaks.empty() ? 1 : peaks.back()) && now < limit, "P = 2^{}: {}", h, now);
    peaks.push_back(now);
  }
  f.at_least(near, peaks.back(), "P = 2^{}", exponents.back());
  f.say("{:.3f}", fmt::join(peaks, ", "));
}

const Section introduction_section{
    "Abstract; 1 Introduction",
    {
        {"Abstract; figure 1",
         "fractional trees interpolate between the pipelined binary tree (r = 1) and the "
         "sequential pipeline (r = ∞)",
         "P = 2..64, K = 1..12; the same transfers in the same steps",
         [](Found& f) {
           for (Rank P = 2; P <= 64; ++P) {
             for (std::uint32_t K = 1; K <= 12; K += 1 + K / 4) {
               const auto [binary, binary_request] = run::ready({"binary-tree", P, K});
               const auto [chain, chain_request] = run::ready({"chain", P, K});
               f.holds(as_set(fractional_tree(P, K, 1)) == as_set(binary->steps(binary_request)),
                       "r = 1, P = {}", P);
               f.holds(as_set(fractional_tree(P, K, P)) == as_set(chain->steps(chain_request)),
                       "r = {0}, P = {0}", P);
             }
           }
           f.shows("{} steps", steps({"chain", 20, 12}));
         },
         "schedcc compile fractional-tree:r=19 --ranks 20 --chunks 12 >/dev/null"},
        {"Abstract; section 1",
         "the improvement over both simple algorithms approaches two for large P and medium k",
         "P = 2^6, 2^10, 2^14, 2^20, 2^30, 2^40; (8) and the formulas of section 2, at the best k",
         [](Found& f) {
           approaches(f, 2, 1.99, {6, 10, 14, 20, 30, 40}, highest_improvement);
           f.shows("improvement  fractional-tree");
         },
         "schedcc tune --algorithms chain,binary-tree,fractional-tree --improvement "
         "fractional-tree --ranks 1048576 --bytes 6250GB..6251GB --points 2 --alpha 1us --beta "
         "1ps/B"},
        {"section 1", "the same for simplex PUs: 3/2",
         "P = 2^6, 2^10, 2^14, 2^20, 2^30; the direct schedules of section 3, at the best k",
         [](Found& f) {
           approaches(f, 1.5, 1.49, {6, 10, 14, 20, 30}, simplex_peak);
           f.shows("fractional-tree:r=");
         },
         "schedcc tune --machine simplex --algorithms chain,binary-tree,fractional-tree --ranks "
         "1024 --bytes 10GB --alpha 1us --beta 1ps/B"},
        {"section 1", "reversed, broadcasts become reductions, for any associative operator",
         "`chain`, `binary-tree`, `fractional-tree:r=3`; duplex, simplex; P = 2..40, K = 1, 5; "
         "operands in order",
         [](Found& f) {
           for (const char* algorithm : {"chain", "binary-tree", "fractional-tree:r=3"}) {
             for (const char* machine : {"duplex", "simplex"}) {
               for (Rank P = 2; P <= 40; ++P) {
                 for (const std::uint32_t K : {1U, 5U}) {
                   f.equal(steps({algorithm, P, K, machine}),
                           steps({algorithm, P, K, machine, "reduce", 0, true}),
                           "{} on {}, P = {}, K = {}", algorithm, machine, P, K);
                 }
               }
             }
           }
           f.say("the same steps, and the operator need not be commutative");
           f.shows("holds: reduce, 40 ranks, root 0, 5 chunks on duplex");
         },
         "schedcc compile fractional-tree:r=3 --collective reduce --ordered --ranks 40 --chunks 5 "
         ">/dev/null"},
        {"section 1; footnote 2",
         "simplex broadcasting takes at most twice the time of duplex for half as many PUs",
         "P = 3..128, K = 1, 2, 7, 16, r = 1, 2, 3, 8; P/2 rounded up",
         [](Found& f) {
           for (const U64 r : {1U, 2U, 3U, 8U}) {
             for (Rank P = 3; P <= 128; ++P) {
               for (const std::uint32_t K : {1U, 2U, 7U, 16U})
                 f.equal(2 * fractional_tree_steps(ceil_div(P, 2), K, r),
                         steps({tree(r, ",coupled"), P, K, "simplex"}), "P = {}, K = {}, r = {}", P,
                         K, r);
             }
           }
           f.say(
               "the couples of footnote 2 take exactly twice as many steps; for P = 2, where half "
               "as many is one PU, K steps");
           f.shows("{} steps", steps({tree(3, ",coupled"), 100, 16, "simplex"}));
         },
         "schedcc compile fractional-tree:r=3,coupled --machine simplex --ranks 100 --chunks 16 "
         ">/dev/null"},
        {"equation (1)", "T* = k (1 + O(sqrt(tP/k))) + O(tP) for a chain",
         "P = 4..16384, k/t = 1..10^6; whole s; constants 2 and 1",
         [](Found& f) {
           for (U64 P = 4; P <= 16384; P *= 4) {
             for (const double k : some_k) {
               const double p = real(P);
               f.at_most(k + 2 * std::sqrt(k * p) + p, chain_schedule(P, k), "P = {}, k/t = {}", P,
                         k);
             }
           }
           f.shows("k (1 + sqrt(t (P - 2) / k))^2, with the best s");
         },
         "schedcc cost chain --ranks 1024 --bytes 1GB --alpha 1us --beta 1ps/B"},
        {"equation (2)", "T* = k (2 + O(sqrt(t log P/k))) + O(t log P) for a binary tree",
         "P = 4..16384, k/t = 1..10^6; whole s; constants 3.5 and 2",
         [](Found& f) {
           for (U64 P = 4; P <= 16384; P *= 4) {
             const double lg = std::log2(real(P));
             for (const double k : some_k) {
               f.at_most(2 * k + 3.5 * std::sqrt(k * lg) + 2 * lg, binary_schedule(P, k),
                         "P = {}, k/t = {}", P, k);
             }
           }
           f.shows("k (sqrt(2) + sqrt(d t / k))^2, with the best s");
         },
         "schedcc cost binary-tree --ranks 1024 --bytes 1GB --alpha 1us --beta 1ps/B"},
        {"equation (3)", "T* = k (1 + O((t log P/k)^(1/3))) + O(t log P) for fractional trees",
         "P = 4..16384, k/t = log P .. 10^10 log P; whole r and s; constants 4 and 2",
         [](Found& f) {
           double most = 0;
           for (U64 P = 4; P <= 16384; P *= 4) {
             Fractional trees(P);
             const double lg = std::log2(real(P));
             for (double k = lg; k <= 1e10 * lg; k *= 10) {
               const double constant = ((trees.time(k) - 2 * lg) / k - 1) / std::cbrt(lg / k);
               f.at_most(4.0, constant, "P = {}, k/t = {}", P, k);
               most = std::max(most, constant);
             }
           }
           f.say("with 2 t log P for the last term the first constant is at most {:.2f}", most);
           f.shows("k (1 + 1/r) (1 + sqrt(d r t / (k (r + 1))))^2, with the best s");
         },
         "schedcc cost fractional-tree --ranks 1024 --bytes 1GB --alpha 1us --beta 1ps/B"},
        {"section 1", "hypercubes: T = k (1 + sqrt(t log P/k))^2 (cited)",
         "P = 4..128; s = 1..20, for k/t = s^2/log P, where s is the best number of packets",
         [](Found& f) {
           for (std::uint32_t h = 2; h <= 7; ++h) {
             for (std::uint32_t s = 1; s <= 20; ++s) {
               const double k = real(U64{s} * s) / h;
               f.close(k * square(1 + std::sqrt(h / k)),
                       real(steps({"butterfly", Rank{1} << h, s})) * (1 + k / s), 1e-9,
                       "P = 2^{}, s = {}", h, s);
             }
           }
           f.say(
               "CC's butterfly, whose transfers go along the hypercube's edges, takes s + log P "
               "steps");
           f.shows("{} steps", steps({"butterfly", 64, 10}));
         },
         "schedcc compile butterfly --ranks 64 --chunks 10 >/dev/null"},
    }};

}  // namespace

Section introduction() { return introduction_section; }

}  // namespace ledger::FT
