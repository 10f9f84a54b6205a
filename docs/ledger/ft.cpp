// FT: the claims of "A Bandwidth Latency Tradeoff for Broadcast and Reduction", section by section.
//
// Times are in units of the start-up, t = 1, so that a step with packets of k/s takes 1 + k/s.

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

#include "checker/bounds.hpp"
#include "frontend/algorithms/fractional_tree.hpp"
#include "frontend/algorithms/shapes.hpp"
#include "ledger.hpp"
#include "measure.hpp"
#include "schedcc/cost.hpp"
#include "schedcc/tune.hpp"

namespace ledger {

namespace {

std::string tree(U64 r, std::string_view more = "") {
  return fmt::format("fractional-tree:r={}{}", r, more);
}

double square(double x) { return x * x; }
double real(U64 x) { return static_cast<double>(x); }

/// FT's d: the step before the last PU's first packet, counted from 0.
U64 d_of(U64 P, U64 r) { return fractional_tree_steps(P, 1, r) - 1; }

/// T_∞^s, T_1^s and T_r^s, (7), as printed.
double chain_time(double P, double k, double s) { return (P - 2 + s) * (1 + k / s); }
double binary_time(double d, double k, double s) { return (d + 2 * s) * (1 + k / s); }
double tree_time(double d, double r, double k, double s) {
  return (d + s * (1 + 1 / r)) * (1 + k / s);
}
/// The same with the best s: T_∞^*, T_1^*, and T_r^*, (8).
double best_chain(double P, double k) { return square(std::sqrt(k) + std::sqrt(P - 2)); }
double best_binary(double d, double k) { return square(std::sqrt(2 * k) + std::sqrt(d)); }
double best_tree(double d, double r, double k) {
  return k * (1 + 1 / r) * square(1 + std::sqrt(d * r / (k * (r + 1))));
}

/// The least (a + b s)(1 + k/s) over whole s: convex in s.
double best_whole(double a, double b, double k) {
  const double s = std::max(1.0, std::floor(std::sqrt(k * a / b)));
  return std::min((a + b * s) * (1 + k / s), (a + b * (s + 1)) * (1 + k / (s + 1)));
}
/// The least times of schedules over all whole s.
double chain_schedule(U64 P, double k) { return best_whole(real(P) - 2, 1, k); }
double binary_schedule(U64 P, double k) { return best_whole(real(d_of(P, 1)) - 1, 2, k); }
double circulant_schedule(U64 P, double k) { return best_whole(real(ceil_log2(P)) - 1, 1, k); }

/// The least time d - 1 + s + ceil(s/r) steps of a group size over all whole s.
///
/// At multiples of r it is (d - 1 + s (1 + 1/r))(1 + k/s), and elsewhere more. So it is least at
/// one of the multiples M, M + r beside the minimum of that, or between these, where steps are d -
/// 1 + (M + r)/r + s.
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

/// The least time of a fractional tree over all whole r and s.
class Fractional {
 public:
  explicit Fractional(U64 P) : P_(P) {}

  double time(double k) {
    double best = chain_schedule(P_, k);
    for (U64 r = 1; r + 1 < P_; ++r) {
      if (d_.size() < r) d_.push_back(real(d_of(P_, r)));
      const double d = d_[r - 1], R = real(r);
      if (square(std::sqrt(k) + std::sqrt(d - 1)) >= best) break;  // d does not fall as r grows
      if (best_tree(d - 1, R, k) < best) best = std::min(best, best_run(d, R, k));
    }
    return best;
  }

 private:
  U64 P_;
  std::vector<double> d_;  ///< of r = 1, 2, ...
};

/// What `schedcc tune` chooses: α = 1 us and β = 1 ps/B, so that k start-ups are k million bytes.
Choice tuned(U64 P, const std::string& algorithm, double k) {
  TuneRequest r;
  r.problem.ranks = static_cast<Rank>(P);
  r.model = make_cost_model("alpha-beta:alpha=1us,beta=1ps/B");
  r.algorithms = {Spec::parse(algorithm)};
  return *Tuner(std::move(r)).best(static_cast<U64>(std::llround(1e6 * k)));
}

/// The k at which f(k) stops to be positive, between low and high, on a logarithmic scale.
template <typename F>
double crossing(double low, double high, F f) {
  for (int i = 0; i < 100; ++i) {
    const double middle = std::sqrt(low * high);
    (f(middle) > 0 ? low : high) = middle;
  }
  return low;
}

/// FT's estimate r ≈ (k/d')^(1/3) with d' ≈ log P - 1.
double estimate(double P, double k) { return std::cbrt(k / (std::log2(P) - 1)); }

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

/// Figure 3 by the paper's formulas: the improvement of fractional trees over the better of the
/// simple methods, and its peak, which is where these are equal.
double improvement(U64 P, double k) {
  return std::min(best_chain(real(P), k), best_binary(real(d_of(P, 1)), k)) / best_r(P, k);
}
double simple_methods_meet(U64 P) {
  const double d = real(d_of(P, 1));
  return crossing(1, 1e18, [&](double k) { return best_chain(real(P), k) - best_binary(d, k); });
}

/// Figure 3's peak by the schedules, over all whole r and s: around the formulas' peak the curve
/// has teeth, so that the highest of 41 points is taken, 1 % apart.
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

void peak_of(Found& f, U64 P, double printed, double half_a_digit) {
  const auto [schedules, k] = peak(P);
  const double formulas = improvement(P, simple_methods_meet(P));
  f.close(printed, schedules, half_a_digit / printed, "P = {}: the schedules", P);
  f.close(printed, formulas, half_a_digit / printed, "P = {}: (8) and the formulas of section 2",
          P);
  f.say("{:.3f} at k/t = {:.0f}, over all whole r and s; {:.3f} by the paper's formulas", schedules,
        k, formulas);
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
double simplex_peak(U64 P) {
  const double start = real(simplex_fractional_tree_steps(P, 1, 1)) - 3;
  const double k = crossing(1, 1e18, [&](double at) {
    return best_simplex(real(P) - 3, 2, at) - best_simplex(start, 3, at);
  });
  return simplex_improvement(P, k);
}

/// The steps of a schedule as pairs, in sets.
std::set<std::tuple<U64, Rank, Rank, Chunk>> as_set(const Steps& steps) {
  std::set<std::tuple<U64, Rank, Rank, Chunk>> result;
  for (const auto& [step, t] : transfers(steps)) result.emplace(step, t.src, t.dst, t.first);
  return result;
}

const std::vector<double> some_k{1, 10, 100, 1000, 1e4, 1e5, 1e6};

const Section introduction{
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
           double before = 1;
           std::string peaks;
           for (const U64 h : {6U, 10U, 14U, 20U, 30U, 40U}) {
             const U64 P = U64{1} << h;
             const double now = improvement(P, simple_methods_meet(P));
             f.holds(now > before && now < 2, "P = 2^{}: {}", h, now);
             before = now;
             peaks += fmt::format("{}{:.3f}", peaks.empty() ? "" : ", ", now);
           }
           f.at_least(1.99, before, "P = 2^40");
           f.say("{}", peaks);
           f.shows("improvement  fractional-tree");
         },
         "schedcc tune --algorithms chain,binary-tree,fractional-tree --improvement "
         "fractional-tree --ranks 1048576 --bytes 6250GB..6251GB --points 2 --alpha 1us --beta "
         "1ps/B"},
        {"section 1", "the same for simplex PUs: 3/2",
         "P = 2^6, 2^10, 2^14, 2^20, 2^30; the direct schedules of section 3, at the best k",
         [](Found& f) {
           double before = 1;
           std::string peaks;
           for (const U64 h : {6U, 10U, 14U, 20U, 30U}) {
             const double now = simplex_peak(U64{1} << h);
             f.holds(now > before && now < 1.5, "P = 2^{}: {}", h, now);
             before = now;
             peaks += fmt::format("{}{:.3f}", peaks.empty() ? "" : ", ", now);
           }
           f.at_least(1.49, before, "P = 2^30");
           f.say("{}", peaks);
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

const Section lower_bounds{
    "2 Basic results: lower bounds",
    {
        {"equation (4)", "T >= k + t log P on duplex PUs",
         "P = 2..4096; k/t = 1..10^6; whole s = 1..10^5",
         [](Found& f) {
           for (U64 P = 2; P <= 4096; P = P < 16 ? P + 1 : P * 2) {
             for (const double k : some_k) {
               for (U64 s = 1; s < 100000; s = s * 3 / 2 + 1) {
                 const U64 least = s - 1 + ceil_log2(P);
                 f.at_least((k + std::log2(real(P))) * (1 - 1e-12), real(least) * (1 + k / real(s)),
                            "P = {}, k/t = {}, s = {}", P, k, s);
               }
             }
           }
           f.say("no number of packets is below it");
           f.shows("k + t log P, for any schedule [FT (4)]");
         },
         "schedcc cost circulant --ranks 1024 --bytes 1GB --alpha 1us --beta 1ps/B"},
        {"Lower Bounds", "T >= 2 (1 - 1/P) k on simplex PUs",
         "P = 2, 3, 16, 64, 1000, 4096; k/t = 1..10^6; whole s = 1..10^5",
         [](Found& f) {
           for (const Rank P : {2U, 3U, 16U, 64U, 1000U, 4096U}) {
             for (const double k : some_k) {
               for (std::uint32_t s = 1; s < 100000; s = s * 3 / 2 + 1)
                 f.at_least(2 * (1 - 1.0 / P) * k * (1 - 1e-12),
                            real(least_steps("broadcast", P, "simplex", s)) * (1 + k / s),
                            "P = {}, k/t = {}, s = {}", P, k, s);
             }
           }
           f.shows("(bound {})", least_steps("broadcast", 64, "simplex", 100));
         },
         "schedcc compile fractional-tree --machine simplex --ranks 64 --chunks 100 >/dev/null"},
        {"equation (5)", "T >= 2 (1 - 1/P) k + t (log P - 4) on simplex PUs", "the same",
         [](Found& f) {
           for (const Rank P : {2U, 3U, 16U, 64U, 1000U, 4096U}) {
             for (const double k : some_k) {
               for (std::uint32_t s = 1; s < 100000; s = s * 3 / 2 + 1)
                 f.at_least((2 * (1 - 1.0 / P) * k + std::log2(P) - 4) * (1 - 1e-12),
                            real(least_steps("broadcast", P, "simplex", s)) * (1 + k / s),
                            "P = {}, k/t = {}, s = {}", P, k, s);
             }
           }
           f.say(
               "schedcc's bound, the least T with sum of min(2^t, P/2) >= s (P-1) over t = 0..T-1, "
               "is never below it");
           f.shows("(bound {})", least_steps("broadcast", 1000, "simplex", 100));
         },
         "schedcc compile fractional-tree --machine simplex --ranks 1000 --chunks 100 >/dev/null"},
        {"Lower Bounds", "in s packets at least s - 1 + log P steps",
         "P = 2..100, s = 1, 2, 9; reached by `circulant`",
         [](Found& f) {
           for (Rank P = 2; P <= 100; ++P) {
             for (const std::uint32_t s : {1U, 2U, 9U}) {
               f.equal(s - 1 + ceil_log2(P), least_steps("broadcast", P, "duplex", s),
                       "P = {}, s = {}", P, s);
               f.equal(s - 1 + ceil_log2(P), steps({"circulant", P, s}),
                       "P = {}, s = {}: circulant", P, s);
             }
           }
           f.say("with log P rounded up it is the least number of steps, for every P");
           f.shows("{} steps (bound {})", steps({"circulant", 100, 9}),
                   least_steps("broadcast", 100, "duplex", 9));
         },
         "schedcc compile circulant --ranks 100 --chunks 9 >/dev/null"},
        {"before equation (6)", "(s - 1 + log P)(t + k/s) is least for s = sqrt(k t/log P)",
         "P = 4..4096; k/t = 10..10^6",
         [](Found& f) {
           for (double h = 2; h <= 12; ++h) {
             for (const double k : some_k) {
               if (k < 10) continue;
               const double least = square(std::sqrt(k) + std::sqrt(h - 1));
               const double s = std::sqrt(k / h);  // as printed, in packets: t = 1
               f.close((s - 1 + h) * (1 + k / s), least, 1e-9, "P = 2^{}, k/t = {}: the least time",
                       h, k);
             }
           }
           f.say("it is least for s = sqrt(k (log P - 1)/t)");
           f.shows("chunks (chunks chosen)");
         },
         "schedcc cost circulant --ranks 1024 --bytes 1GB --alpha 1us --beta 1ps/B",
         "the fraction is upside down (its dimension is wrong, too: s has none), and the 1 of s - "
         "1 is lost"},
        {"equation (6)", "so T >= k (1 + sqrt(t log P/k))^2 for packets of one size",
         "P = 4..4096; k/t = 1..10^6; `circulant` with the best whole s",
         [](Found& f) {
           for (std::uint32_t h = 2; h <= 12; ++h) {
             for (const double k : some_k)
               f.at_least(square(std::sqrt(k) + std::sqrt(real(h))),
                          circulant_schedule(U64{1} << h, k),
                          "P = 2^{}, k/t = {}: a schedule takes", h, k);
           }
           f.say("P = 1024, k/t = 1000: {:.1f} printed, a schedule takes {:.1f}",
                 square(std::sqrt(1000) + std::sqrt(10)), circulant_schedule(1024, 1000));
           f.shows("0.001198");
         },
         "schedcc cost circulant --ranks 1024 --bytes 1000MB --alpha 1us --beta 1ps/B --csv",
         "with s - 1 + log P steps it must have log P - 1 in place of log P"},
        {"equation (6)", "with log P - 1 in place of log P", "the same",
         [](Found& f) {
           for (std::uint32_t h = 2; h <= 12; ++h) {
             for (const double k : some_k)
               f.at_least(square(std::sqrt(k) + std::sqrt(h - 1.0)) * (1 - 1e-12),
                          circulant_schedule(U64{1} << h, k), "P = 2^{}, k/t = {}", h, k);
           }
           f.shows("FT (6), corrected");
         },
         "schedcc cost circulant --ranks 1024 --bytes 1GB --alpha 1us --beta 1ps/B"},
    }};

/// Both sides of the best s of a time that should be `least` there.
template <typename T>
void best_at(Found& f, T time, double s, double least, double P, double k) {
  f.close(least, time(s), 1e-9, "P = {}, k/t = {}: at s = {:.5g}", P, k, s);
  f.holds(time(1.01 * s) > time(s) && time(s / 1.01) > time(s), "P = {}, k/t = {}: not least at {}",
          P, k, s);
}

const Section simple{
    "2 Basic results: two simple pipelined algorithms",
    {
        {"chain", "T_∞^s = (P - 2 + s)(t + k/s)", "P = 2..128, s = 1..40",
         [](Found& f) {
           for (Rank P = 2; P <= 128; ++P) {
             for (std::uint32_t s = 1; s <= 40; ++s)
               f.equal(P - 2 + s, steps({"chain", P, s}), "P = {}, s = {}", P, s);
           }
           f.shows("{} steps", steps({"chain", 64, 40}));
         },
         "schedcc compile chain --ranks 64 --chunks 40 >/dev/null"},
        {"chain", "its best s is sqrt(k (P-2)/t)",
         "P = 16, 64, 1024; k/t = 1..10^6; s 1 % to both sides",
         [](Found& f) {
           for (const double P : {16.0, 64.0, 1024.0}) {
             for (const double k : some_k)
               best_at(
                   f, [&](double s) { return chain_time(P, k, s); }, std::sqrt(k * (P - 2)),
                   best_chain(P, k), P, k);
           }
           const Choice c = tuned(1024, "chain", 1000);
           f.shows("{} chunks", c.chunks);
         },
         "schedcc tune --algorithms chain,binary-tree --ranks 1024 --bytes 1000MB..1001MB --points "
         "2 --improvement chain --alpha 1us --beta 1ps/B"},
        {"chain", "T_∞^* = k (1 + sqrt(t (P-2)/k))^2",
         "P = 16, 64, 1024; k/t = 1..10^6; by schedules with whole s, to 0.2 %",
         [](Found& f) {
           for (const U64 P : {16U, 64U, 1024U}) {
             for (const double k : some_k)
               f.close(best_chain(real(P), k), chain_schedule(P, k), k < 10 ? 0.02 : 0.002,
                       "P = {}, k/t = {}", P, k);
           }
           f.say("to 2 % for k/t = 1");
           f.shows("k (1 + sqrt(t (P - 2) / k))^2, with the best s");
         },
         "schedcc cost chain --ranks 1024 --bytes 1GB --alpha 1us --beta 1ps/B"},
        {"chain", "for k much larger than tP it is quite close to (4)",
         "P = 16, 1024, 16384; k = 100 tP, 10^4 tP",
         [](Found& f) {
           std::array<double, 2> most{};
           for (const U64 P : {16U, 1024U, 16384U}) {
             for (const int far : {0, 1}) {
               const double k = (far == 0 ? 100 : 10000) * real(P);
               const double ratio = chain_schedule(P, k) / (k + std::log2(real(P)));
               f.at_most(far == 0 ? 1.25 : 1.025, ratio, "P = {}, k/t = {}", P, k);
               most[static_cast<std::size_t>(far)] =
                   std::max(most[static_cast<std::size_t>(far)], ratio);
             }
           }
           f.say("at most {:.3f} times (4), and {:.4f} times", most[0], most[1]);
           f.shows("k + t log P, for any schedule [FT (4)]");
         },
         "schedcc cost chain --ranks 1024 --bytes 10TB --alpha 1us --beta 1ps/B"},
        {"binary tree",
         "every interior node forwards every packet to both successors: two steps per packet",
         "P = 4..128, K = 1, 2, 11",
         [](Found& f) {
           for (Rank P = 4; P <= 128; ++P) {
             for (const std::uint32_t K : {1U, 2U, 11U})
               f.equal(2, steps({"binary-tree", P, K + 1}) - steps({"binary-tree", P, K}),
                       "P = {}, K = {}", P, K);
           }
           f.shows("{} steps", steps({"binary-tree", 64, 12}));
         },
         "schedcc compile binary-tree --ranks 64 --chunks 12 >/dev/null"},
        {"binary tree", "replace the 2 by 3 for the simplex model", "P = 4..128, K = 1, 2, 11",
         [](Found& f) {
           for (Rank P = 4; P <= 128; ++P) {
             for (const std::uint32_t K : {1U, 2U, 11U})
               f.equal(3,
                       steps({"binary-tree", P, K + 1, "simplex"}) -
                           steps({"binary-tree", P, K, "simplex"}),
                       "P = {}, K = {}", P, K);
           }
           f.shows("{} steps", steps({"binary-tree", 64, 12, "simplex"}));
         },
         "schedcc compile binary-tree --machine simplex --ranks 64 --chunks 12 >/dev/null"},
        {"binary tree",
         "P_i = 1 + P_{i-1} + P_{i-2}, P_0 = 1, P_1 = 2, d = min{i : P_i >= P} - 1; the last leaf "
         "has its first packet one step after d",
         "P = 3..1024",
         [](Found& f) {
           std::vector<U64> reach{1, 2};
           while (reach.back() < 2000) reach.push_back(1 + reach.back() + reach[reach.size() - 2]);
           for (Rank P = 3; P <= 1024; P += P < 64 ? 1 : 37) {
             const U64 d =
                 static_cast<U64>(std::ranges::lower_bound(reach, U64{P}) - reach.begin()) - 1;
             U64 last = 0;
             for (const Sent& s : transfers({"binary-tree", P})) last = std::max(last, s.step + 1);
             f.equal(d + 1, last, "P = {}", P);
           }
           f.shows("{} steps", steps({"binary-tree", 1024}));
         },
         "schedcc compile binary-tree --ranks 1024 >/dev/null"},
        {"binary tree", "T_1^s = (d + 2s)(t + k/s)", "P = 4..128, s = 1, 2, 5, 30",
         [](Found& f) {
           for (Rank P = 4; P <= 128; ++P) {
             for (const std::uint32_t s : {1U, 2U, 5U, 30U})
               f.equal(d_of(P, 1) + 2 * s, steps({"binary-tree", P, s}), "P = {}, s = {}", P, s);
           }
           f.say("d + 2s - 1 steps");
           f.shows("{} steps", steps({"binary-tree", 64, 30}));
         },
         "schedcc compile binary-tree --ranks 64 --chunks 30 >/dev/null",
         "one step too many: packet s - 1 follows packet 0 by 2 (s - 1) steps"},
        {"binary tree", "d ≈ log_1.62 P", "P = 2^1 .. 2^60; up to 2.5",
         [](Found& f) {
           double low = 1e300, high = -1e300;
           for (U64 h = 1; h <= 60; ++h) {
             const double difference = real(d_of(U64{1} << h, 1)) -
                                       static_cast<double>(h) / std::log2((1 + std::sqrt(5)) / 2);
             f.at_most(2.5, std::abs(difference), "P = 2^{}", h);
             low = std::min(low, difference);
             high = std::max(high, difference);
           }
           f.say("d is between {:.2f} and {:.2f} less, for the golden section 1.618", -high, -low);
           f.shows("{} steps", d_of(1 << 20, 1) + 1);
         },
         "schedcc compile binary-tree --ranks 1048576 >/dev/null"},
        {"binary tree; figure 1 a", "the tree has P_5 = 18 PUs", "",
         [](Found& f) {
           U64 P = 18;
           while (fractional_tree_steps(P + 1, 1, 1) == 5) ++P;
           f.equal(18, P, "most PUs within five steps");
           f.say("1, 2, 4, 7, 12, 20; 18 PUs take {} steps as well",
                 fractional_tree_steps(18, 1, 1));
           f.shows("5 steps (bound 5)");
         },
         "schedcc compile binary-tree --ranks 20",
         "18 is no value of the recurrence above; without its 1 the last two would be 4 + 7 = 11 "
         "and 7 + 11 = 18"},
        {"binary tree", "its best s is sqrt(2kd/t)", "P = 16, 64, 1024; k/t = 1..10^6",
         [](Found& f) {
           for (const U64 P : {16U, 64U, 1024U}) {
             const double d = real(d_of(P, 1));
             for (const double k : some_k)
               f.close(binary_time(d, k, std::sqrt(2 * k * d)), best_binary(d, k), 1e-9,
                       "P = {}, k/t = {}: the least time", P, k);
           }
           f.say("it is sqrt(kd/(2t))");
           f.shows("{} chunks", tuned(1024, "binary-tree", 1000).chunks);
         },
         "schedcc cost binary-tree --ranks 1024 --bytes 1000MB --alpha 1us --beta 1ps/B",
         "the 2 belongs below the line; the T_1^* that follows is right"},
        {"binary tree", "T_1^* = k (sqrt(2) + sqrt(dt/k))^2",
         "P = 16, 64, 1024; k/t = 1..10^6; at s = sqrt(kd/(2t)), s 1 % to both sides",
         [](Found& f) {
           for (const U64 P : {16U, 64U, 1024U}) {
             const double d = real(d_of(P, 1));
             for (const double k : some_k)
               best_at(
                   f, [&](double s) { return binary_time(d, k, s); }, std::sqrt(k * d / 2),
                   best_binary(d, k), real(P), k);
           }
           f.shows("k (sqrt(2) + sqrt(d t / k))^2, with the best s");
         },
         "schedcc cost binary-tree --ranks 1024 --bytes 1GB --alpha 1us --beta 1ps/B"},
        {"binary tree",
         "for small and medium k much better than the chain, for large k almost two times slower",
         "P = 1024; k/t = 1, 1000; 10^7, 10^9",
         [](Found& f) {
           std::string ratios;
           for (const double k : {1.0, 1000.0, 1e7, 1e9}) {
             const double ratio = binary_schedule(1024, k) / chain_schedule(1024, k);
             f.holds(k < 1e6 ? ratio < 0.8 : ratio > 1.9 && ratio < 2, "k/t = {}: {}", k, ratio);
             ratios += fmt::format("{}{:.3f}", ratios.empty() ? "" : ", ", ratio);
           }
           f.say("binary tree over chain: {}", ratios);
           f.shows("binary-tree");
         },
         "schedcc tune --algorithms chain,binary-tree --ranks 1024 --bytes 1MB..1000TB --points 10 "
         "--alpha 1us --beta 1ps/B"},
    }};

/// Does each PU do in each step what figure 2's pseudocode says, for s a multiple of r?
void pseudocode(Found& f, Rank P, U64 s, U64 r) {
  struct Pu {
    std::map<U64, Transfer> sends, receives;  // by step
  };
  std::map<Rank, Pu> pus;
  for (const auto& [step, t] : transfers(fractional_tree(P, s, r))) {
    pus[t.src].sends.emplace(step, t);
    pus[t.dst].receives.emplace(step, t);
  }
  for (const auto& [rank, pu] : pus) {
    // Step o of a PU counts from its recv(D[0]), which is a no-op for the root.
    const U64 begin = rank == 0 ? 0 : pu.receives.begin()->first + 1;
    std::set<Rank> down, right;
    std::set<U64> i;  // its index in the group, as seen by the packets that it sends right
    for (const auto& [step, t] : pu.sends) {
      const U64 run = (step - begin) / (r + 1), q = (step - begin) % (r + 1);
      (q == r ? right : down).insert(t.dst);
      if (q == r) i.insert(t.first - run * r);
      f.holds(q == r || t.first == run * r + q, "r = {}, P = {}, rank {}: sends {} in step {}", r,
              P, rank, t.first, step);
    }
    for (const auto& [step, t] : pu.receives) {
      const U64 o = step + 1 - begin, run = o / (r + 1), q = o % (r + 1);
      f.holds(t.first == run * r + q, "r = {}, P = {}, rank {}: receives {} in step {}", r, P, rank,
              t.first, step);
    }
    f.holds(down.size() <= 1 && right.size() <= 1 && i.size() <= 1 && (i.empty() || *i.begin() < r),
            "r = {}, P = {}, rank {}: too many successors", r, P, rank);
    f.equal(down.empty() ? 0 : s,
            static_cast<U64>(std::ranges::count_if(
                pu.sends, [&](const auto& e) { return down.contains(e.second.dst); })),
            "r = {}, P = {}, rank {}: packets sent down", r, P, rank);
    f.equal(right.empty() ? 0 : s / r,
            static_cast<U64>(std::ranges::count_if(
                pu.sends, [&](const auto& e) { return right.contains(e.second.dst); })),
            "r = {}, P = {}, rank {}: packets sent right", r, P, rank);
  }
}

std::vector<U64> recurrence(U64 r, U64 P) {
  std::vector<U64> reach;
  for (U64 i = 0; reach.empty() || reach.back() < P; ++i)
    reach.push_back(i <= r ? i + 1 : r + reach[i - r] + reach[i - r - 1]);
  return reach;
}

const Section fractional{
    "3 Fractional tree broadcasting",
    {
        {"figure 2", "the pseudocode of every PU",
         "P = r+2..80, r = 1..6, s = 3r; each step of each PU",
         [](Found& f) {
           for (U64 r = 1; r <= 6; ++r) {
             for (Rank P = static_cast<Rank>(r) + 2; P <= 80; P += 1 + P / 16)
               pseudocode(f, P, 3 * r, r);
           }
           f.say(
               "what is sent down, sent right and received in each step is what the program says");
           f.shows("fractional-tree:r=3: holds");
         },
         "schedcc compile fractional-tree:r=3 --ranks 18 --chunks 9"},
        {"section 3",
         "every r + 1 steps the head of the right successor gets a run of r packets in the right "
         "order",
         "P = 40, 100, r = 1..6, 4 runs; every PU",
         [](Found& f) {
           for (const Rank P : {40U, 100U}) {
             for (U64 r = 1; r <= 6; ++r) {
               std::map<Rank, std::vector<U64>> received;  // step of packet 0, 1, ...
               for (const auto& [step, t] : transfers(fractional_tree(P, 4 * r, r))) {
                 auto& steps = received[t.dst];
                 f.equal(steps.size(), t.first, "P = {}, r = {}, rank {}: packet", P, r, t.dst);
                 steps.push_back(step);
               }
               for (const auto& [rank, steps] : received) {
                 for (U64 p = 0; p < steps.size(); ++p)
                   f.equal(steps[0] + p / r * (r + 1) + p % r, steps[p],
                           "P = {}, r = {}, rank {}: step", P, r, rank);
               }
             }
           }
           f.shows("fractional-tree:r=3: holds");
         },
         "schedcc compile fractional-tree:r=3 --ranks 18 --chunks 12"},
        {"section 3", "right successors receive data one step later than the downward ones",
         "P = 40, 100, r = 1..6; every group with both",
         [](Found& f) {
           for (const Rank P : {40U, 100U}) {
             for (U64 r = 1; r <= 6; ++r) {
               std::map<Rank, U64> first;         // the step in which it receives packet 0
               std::map<Rank, Rank> down, right;  // of those that pass packet 0 on
               for (const auto& [step, t] : transfers(fractional_tree(P, 2 * r, r))) {
                 if (t.first != 0) continue;
                 first[t.dst] = step;
                 const U64 held = t.src == 0 ? 0 : first[t.src] + 1;
                 (step == held ? down : right)[t.src] = t.dst;
               }
               for (const auto& [head, to] : right) {
                 Rank below = head;
                 for (U64 i = 0; i < r && down.contains(below); ++i) below = down[below];
                 f.equal(first[below] + 1, first[to], "P = {}, r = {}, group of rank {}", P, r,
                         head);
               }
             }
           }
           f.shows("fractional-tree:r=3: holds");
         },
         "schedcc compile fractional-tree:r=3 --ranks 18 --chunks 3"},
        {"section 3",
         "P_i = r + P_{i-r} + P_{i-r-1}, P_i = i + 1 for i <= r, PUs are reachable within i steps",
         "r = 1..12, P = 2..300",
         [](Found& f) {
           for (U64 r = 1; r <= 12; ++r) {
             for (Rank P = 2; P <= 300; P += 1 + P / 40) {
               const U64 i = recurrence(r, P).size() - 1;
               U64 last = 0;
               for (const Sent& s : transfers(fractional_tree(P, 1, r)))
                 last = std::max(last, s.step + 1);
               f.equal(i, last, "r = {}, P = {}", r, P);
             }
           }
           f.shows("{} steps", fractional_tree_steps(1024, 1, 8));
         },
         "schedcc compile fractional-tree:r=8 --ranks 1024 >/dev/null"},
        {"section 3", "d = O(r log(P/r))", "r = 1..100, P = 2r..2^40; constant 2.5",
         [](Found& f) {
           double most = 0;
           for (U64 r = 1; r <= 100; r += 1 + r / 8) {
             for (U64 P = std::max<U64>(2 * r, 4); P <= U64{1} << 40; P *= 2) {
               const double constant = real(d_of(P, r)) / (real(r) * std::log2(real(P) / real(r)));
               f.at_most(2.5, constant, "r = {}, P = {}", r, P);
               most = std::max(most, constant);
             }
           }
           f.say("at most {:.2f} r log2(P/r)", most);
           f.shows("{} steps", fractional_tree_steps(16384, 1, 23));
         },
         "schedcc compile fractional-tree:r=23 --ranks 16384 >/dev/null"},
        {"figure 1",
         "trees with r = 1, 2, 3, ∞ in which the last PU has its first packet after 5 steps",
         "their sizes by the recurrence; one PU more takes a sixth step",
         [](Found& f) {
           std::string sizes;
           for (const U64 r : {1U, 2U, 3U, 100U}) {
             const U64 P = r == 100 ? 6 : recurrence(r, 1000)[5];
             U64 last = 0;
             for (const Sent& s : transfers(fractional_tree(P, 1, r)))
               last = std::max(last, s.step + 1);
             f.equal(5, last, "r = {}", r);
             f.equal(6, fractional_tree_steps(P + 1, 1, r), "r = {}, a PU more", r);
             sizes += fmt::format("{}{}", sizes.empty() ? "" : ", ", P);
           }
           f.say("{} PUs", sizes);
           f.shows("5 steps");
         },
         "schedcc compile fractional-tree:r=2 --ranks 10"},
        {"section 3",
         "on simplex PUs a run of r packets can be forwarded in 2r + 1 steps (announced for the "
         "full paper)",
         "P = 3..1000, r = 1, 2, 3, 5, 8; 1, 2, 3, 7 runs",
         [](Found& f) {
           for (const Rank P : {3U, 7U, 16U, 40U, 100U, 1000U}) {
             for (const std::uint32_t r : {1U, 2U, 3U, 5U, 8U}) {
               const U64 D = steps({tree(r), P, r, "simplex"});
               for (const std::uint32_t runs : {2U, 3U, 7U})
                 f.equal(D + (2 * r + 1) * (runs - 1), steps({tree(r), P, runs * r, "simplex"}),
                         "P = {}, r = {}", P, r);
             }
           }
           f.say("with groups of 2r PUs");
           f.shows("{} steps", steps({tree(3), 100, 21, "simplex"}));
         },
         "schedcc compile fractional-tree:r=3 --machine simplex --ranks 100 --chunks 21 "
         ">/dev/null"},
        {"section 3", "hence only a factor 2 - 1/(r+1) slower than duplex",
         "P = 1000, r = 1, 2, 3, 8, 50; 99 runs more",
         [](Found& f) {
           for (const U64 r : {1U, 2U, 3U, 8U, 50U}) {
             const auto runs = [r](auto steps_of) {
               return steps_of(1000, 100 * r, r) - steps_of(1000, r, r);
             };
             f.equal((2 * r + 1) * 99, runs(simplex_fractional_tree_steps), "r = {}: simplex", r);
             f.equal((r + 1) * 99, runs(fractional_tree_steps), "r = {}: duplex", r);
           }
           f.say("(2r+1)/(r+1) per run");
           f.shows("{} steps", steps({tree(8), 1000, 80, "simplex"}));
         },
         "schedcc compile fractional-tree:r=8 --machine simplex --ranks 1000 --chunks 80 "
         ">/dev/null"},
        {"section 3",
         "send|recv can be made sequential, \"send, recv\" or \"recv, send\", without deadlocks",
         "r = 1, 2, 3, 8, P = 2..100; program order, sending first, receiving first; rendezvous",
         [](Found& f) {
           CheckOptions options;
           options.checks = {"deadlock"};
           for (const U64 r : {1U, 2U, 3U, 8U}) {
             for (Rank P = 2; P <= 100; P += 7) {
               const auto [algorithm, request] = run::ready({tree(r), P, 11});
               for (const Blocking blocking :
                    {Blocking::program, Blocking::send_first, Blocking::recv_first}) {
                 options.blocking = blocking;
                 f.holds(
                     check(from_algorithm(*algorithm, request, tree(r)), request.machine, options)
                             .verdict() == Verdict::holds,
                     "r = {}, P = {}: a deadlock", r, P);
               }
             }
           }
           f.shows("fractional-tree:r=3: holds");
         },
         "schedcc compile fractional-tree:r=3 --ranks 64 --chunks 24 --blocking program "
         ">/dev/null"},
        {"section 3", "and without delays",
         "r = 1, 2, 3, 4, 5, 8, 200, P = 2..128, K = 1, 5, 16; each step in two halves, in the "
         "order of the schedule",
         [](Found& f) {
           for (const U64 r : {1U, 2U, 3U, 4U, 5U, 8U, 200U}) {
             for (U64 P = 2; P <= 128; P += 1 + P / 16) {
               for (const U64 K : {1U, 5U, 16U}) {
                 // When a rank has made its calls of the step, one after the other.
                 std::map<std::pair<U64, Rank>, U64> done;
                 U64 most = 0;
                 for (const auto& [step, t] : transfers(fractional_tree(P, K, r))) {
                   U64 &a = done[{step, t.src}], &b = done[{step, t.dst}];
                   most = std::max(most, a = b = std::max(a, b) + 1);
                 }
                 f.at_most(U64{2}, most, "r = {}, P = {}, K = {}: halves", r, P, K);
               }
             }
           }
           f.say("a step of sequential calls takes two halves, as two calls must");
           f.shows("fractional-tree:r=3: holds");
         },
         "schedcc compile fractional-tree:r=3 --ranks 64 --chunks 24 --blocking program "
         ">/dev/null"},
    }};

/// The chosen r and s of the performance analysis, rounded, and the time of the schedule.
struct Chosen {
  U64 r, d, s;
  double time;
};
Chosen choose(U64 P, double k) {
  const U64 r = std::max<U64>(1, static_cast<U64>(std::llround(estimate(real(P), k))));
  const U64 d = d_of(P, r);
  const U64 s =
      std::max<U64>(1, static_cast<U64>(std::llround(std::sqrt(k * real(d * r) / real(r + 1)))));
  return {r, d, s, real(fractional_tree_steps(P, s, r)) * (1 + k / real(s))};
}

/// T_r^s over k of the performance examples: (7), and what the schedule takes.
double printed_time(U64 r, U64 s) {
  return tree_time(real(d_of(1024, r)), real(r), 4096, real(s)) / 4096;
}
double schedule_time(U64 r, U64 s) {
  return real(fractional_tree_steps(1024, s, r)) * (1 + 4096 / real(s)) / 4096;
}

const Section performance{
    "3 Performance analysis and examples",
    {
        {"equation (7)",
         "d + s (1 + 1/r) steps until all s/r runs have reached the last leaf group",
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
               f.close(tree_time(d, r, k, std::sqrt(k * d * r / (r + 1))), T, 1e-9,
                       "r = {}, k/t = {}", r, k);
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
               const Chosen chosen = choose(P, k);
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
        {"after equation (8)",
         "for smaller k one should use r = 1 or even a non-pipelined algorithm",
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
               const Chosen c = choose(P, k);
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
         "schedcc cost fractional-tree --ranks 1024 --bytes 10TB --alpha 1us --beta 1ps/B"},
        {"Performance Examples", "P = 1024: d/(r+1) ≈ log P - 1 = 9",
         "the r = 8 and d of the example; to 10 %",
         [](Found& f) {
           f.close(9, real(d_of(1024, 8)) / 9, 0.1, "d/(r+1)");
           f.shows("{} steps", d_of(1024, 8) + 1);
         },
         "schedcc compile fractional-tree:r=8 --ranks 1024 >/dev/null",
         "with d = 57, which the paper itself gets, it is 57/9; that d' does not depend on r was "
         "only assumed, and the r that follows is "
         "a little too small"},
        {"Performance Examples", "k/t = 4096: r ≈ (k/(d't))^(1/3) ≈ 8", "rounded",
         [](Found& f) {
           f.equal(8, static_cast<U64>(std::llround(estimate(1024, 4096))), "r");
           f.say("{:.2f}", estimate(1024, 4096));
           f.shows("fractional-tree:r=8");
         },
         "schedcc cost fractional-tree:r=8 --ranks 1024 --bytes 4096MB --alpha 1us --beta 1ps/B"},
        {"Performance Examples", "this yields d = 57", "",
         [](Found& f) {
           f.equal(57, d_of(1024, 8), "d");
           f.equal(58, steps({tree(8), 1024}), "steps of one packet");
           f.say("the last PU has its first packet after {} steps", steps({tree(8), 1024}));
           f.shows("58 steps");
         },
         "schedcc compile fractional-tree:r=8 --ranks 1024 >/dev/null"},
        {"Performance Examples", "s = sqrt(4096 * 57 * 8/9) ≈ 456", "rounded",
         [](Found& f) {
           const double s = std::sqrt(4096 * real(d_of(1024, 8)) * 8 / 9);
           f.equal(456, static_cast<U64>(std::llround(s)), "s");
           f.say("{:.2f}", s);
           f.shows("569 steps");
         },
         "schedcc compile fractional-tree:r=8 --ranks 1024 --chunks 456 >/dev/null"},
        {"Performance Examples", "with these values T_r^s ≈ 1.389k", "(7), to three digits",
         [](Found& f) {
           f.equal(1389, static_cast<U64>(std::llround(1000 * printed_time(8, 456))),
                   "T/k in thousandths");
           f.say("{:.4f}k by (7); the schedule, a step less, takes {:.4f}k", printed_time(8, 456),
                 schedule_time(8, 456));
           f.shows(",0.005680");
         },
         "schedcc cost fractional-tree:r=8 --ranks 1024 --chunks 456 --bytes 4096MB --alpha 1us "
         "--beta 1ps/B --csv"},
        {"Performance Examples", "a better approximation of the optimal r yields r = 10",
         "the best whole r and s of all",
         [](Found& f) {
           const Choice best = tuned(1024, "fractional-tree", 4096);
           f.equal(10, best.spec.check(best.algorithm->parameters, "tree").integer("r"), "r");
           f.say("{} with {} packets, {:.4f}k", best.spec.text(), best.chunks,
                 1e6 * best.seconds / 4096);
           f.shows("{}", best.spec.text());
         },
         "schedcc cost fractional-tree --ranks 1024 --bytes 4096MB --alpha 1us --beta 1ps/B"},
        {"Performance Examples", "and s = 503", "sqrt(k d r/(t (r+1))) with r = 10, rounded",
         [](Found& f) {
           const double s = std::sqrt(4096 * real(d_of(1024, 10)) * 10 / 11);
           f.equal(503, static_cast<U64>(std::llround(s)), "s");
           f.say("{:.2f}, with d = {}", s, d_of(1024, 10));
           f.shows("chunks");
         },
         "schedcc cost fractional-tree:r=10 --ranks 1024 --bytes 4096MB --alpha 1us --beta 1ps/B"},
        {"Performance Examples", "for them T_r^s ≈ 1.387k", "(7), to three digits",
         [](Found& f) {
           f.equal(1387, static_cast<U64>(std::llround(1000 * printed_time(10, 503))),
                   "T/k in thousandths");
           f.say("{:.4f}k by (7), {:.4f}k by the schedule", printed_time(10, 503),
                 schedule_time(10, 503));
           f.shows(",{},", steps({tree(10), 1024, 503}));
         },
         "schedcc cost fractional-tree:r=10 --ranks 1024 --chunks 503 --bytes 4096MB --alpha 1us "
         "--beta 1ps/B --csv"},
        {"Performance Examples", "which is less than 0.2 % better", "",
         [](Found& f) {
           const double better = 1 - printed_time(10, 503) / printed_time(8, 456);
           f.holds(better > 0 && better < 0.002, "{:.3f} %", 100 * better);
           f.say("{:.3f} % by (7), {:.3f} % by the schedules", 100 * better,
                 100 * (1 - schedule_time(10, 503) / schedule_time(8, 456)));
           f.shows(",0.005680");
         },
         "schedcc cost fractional-tree:r=8 --ranks 1024 --chunks 456 --bytes 4096MB --alpha 1us "
         "--beta 1ps/B --csv"},
        {"figure 3", "P = 64: an improvement of up to a factor 1.29", "to two digits",
         [](Found& f) {
           peak_of(f, 64, 1.29, 0.005);
           f.shows("at most 1.2");
         },
         "schedcc tune --algorithms chain,binary-tree,fractional-tree --improvement "
         "fractional-tree --ranks 64 --bytes 100MB..300MB --points 41 --alpha 1us --beta 1ps/B",
         "the formulas of the text give no more, either, at their peak, where chain and binary "
         "tree are equally fast; the figure itself is a drawing"},
        {"figure 3", "P = 1024: the middle one of the three curves",
         "the peak, between those of 64 and 16384",
         [](Found& f) {
           const auto [now, k] = peak(1024);
           f.holds(now > peak(64).first && now < peak(16384).first, "{}", now);
           f.say("{:.3f} at k/t = {:.0f}, over all whole r and s; {:.3f} by the paper's formulas",
                 now, k, improvement(1024, simple_methods_meet(1024)));
           f.shows("at most 1.5");
         },
         "schedcc tune --algorithms chain,binary-tree,fractional-tree --improvement "
         "fractional-tree --ranks 1024 --bytes 4GB..6GB --points 21 --alpha 1us --beta 1ps/B"},
        {"figure 3", "P = 16384: up to a factor of 1.8", "to one digit",
         [](Found& f) {
           peak_of(f, 16384, 1.8, 0.05);
           f.shows("at most 1.77");
         },
         "schedcc tune --algorithms chain,binary-tree,fractional-tree --improvement "
         "fractional-tree --ranks 16384 --bytes 80GB..100GB --points 21 --alpha 1us --beta 1ps/B"},
        {"figure 3",
         "for P = 16384 a significant improvement over a large range of message lengths",
         "more than 1.2 over at least three decades, by the paper's formulas",
         [](Found& f) {
           const double middle = simple_methods_meet(16384);
           const double low =
               crossing(middle, 1, [](double k) { return improvement(16384, k) - 1.2; });
           const double high =
               crossing(middle, 1e12, [](double k) { return improvement(16384, k) - 1.2; });
           f.at_least(3.0, std::log10(high / low), "decades");
           f.say("more than 1.2 for k/t = {:.0f} .. {:.2g}", low, high);
           f.shows("at most 1.7");
         },
         "schedcc tune --algorithms chain,binary-tree,fractional-tree --improvement "
         "fractional-tree --ranks 16384 --bytes 1GB..10TB --points 13 --alpha 1us --beta 1ps/B"},
    }};

// Section 4.

std::string crossbar(U64 a, U64 b, U64 in = 2, U64 out = 2) {
  return fmt::format("crossbar:a={},b={},in={},out={}", a, b, in, out);
}

/// A broadcast by fractional trees of groups of r PUs, laid out on a network.
Case laid_out(U64 r, std::string_view layout, U64 P, const std::string& machine, U64 K = 1,
              std::string collective = "broadcast") {
  return {tree(r, fmt::format(",layout={}", layout)), static_cast<Rank>(P),
          static_cast<std::uint32_t>(K), machine, std::move(collective)};
}

/// D of both constructions: the steps of a single packet.
U64 crossbar_depth(U64 a, U64 b, U64 r, bool thin) {
  return steps(laid_out(r, thin ? "crossbar-thin" : "crossbar", a * b, crossbar(a, b)));
}

/// The links that the global groups of an a x b crossbar use: PUs outside the group that get
/// packets from it, counted for all groups.
U64 links_used(U64 a, U64 b, U64 r) {
  std::set<std::pair<U64, Rank>> links;
  for (const auto& [step, t] : transfers(laid_out(r, "crossbar", a * b, crossbar(a, b), 4 * r))) {
    const U64 module = t.src / b;
    const bool in_group = t.dst / b == module && t.dst % b < r;
    if (t.src % b < r && !in_group) links.emplace(module, t.dst);
  }
  return links.size();
}

const Section networks{
    "Section 4: sparse interconnection networks",
    {
        {"Hierarchies of Crossbars",
         "a group in each module and a local tree: two incoming and two outgoing channels suffice",
         "a = 2..9, b = 2..9, r <= b, K = 1, 7",
         [](Found& f) {
           for (U64 a = 2; a <= 9; ++a) {
             for (U64 b = 2; b <= 9; ++b) {
               for (U64 r = 1; r <= b; ++r) {
                 for (const U64 K : {1U, 7U}) {
                   const Case c = laid_out(r, "crossbar", a * b, crossbar(a, b), K);
                   f.at_most(U64{2}, *checked(c).congestion, "{} on {}", c.spec, c.machine);
                 }
               }
             }
           }
           f.say("at most 2 messages a step into a module, and out of it");
           f.shows(", congestion 2");
         },
         "schedcc compile fractional-tree:r=8,layout=crossbar --ranks 16384 --chunks 16 --machine "
         "crossbar:a=256,b=64 >/dev/null"},
        {"Hierarchies of Crossbars", "there will be one remaining unused link",
         "a = 2..16, b = 2r + 1, r = 1, 2, 3, 5",
         [](Found& f) {
           for (const U64 r : {1U, 2U, 3U, 5U}) {
             for (U64 a = 2; a <= 16; ++a) {
               f.equal(2 * a - 1, links_used(a, 2 * r + 1, r), "a = {}, r = {}", a, r);
             }
           }
           f.say(
               "of the 2a links of the global groups a - 1 lead to other groups and a to local "
               "trees");
           f.shows("in=2,out=2: {} steps", steps(laid_out(2, "crossbar", 80, crossbar(16, 5), 8)));
         },
         "schedcc compile fractional-tree:r=2,layout=crossbar --ranks 80 --chunks 8 --machine "
         "crossbar:a=16,b=5 >/dev/null"},
        {"Hierarchies of Crossbars",
         "with two global groups per module one connection per module less is enough",
         "a = 2..9, b = 2..9, 2r <= b, K = 1, 7, one incoming channel",
         [](Found& f) {
           for (U64 a = 2; a <= 9; ++a) {
             for (U64 b = 2; b <= 9; ++b) {
               for (U64 r = 1; 2 * r <= b; ++r) {
                 for (const U64 K : {1U, 7U})
                   f.holds(checked(laid_out(r, "crossbar-thin", a * b, crossbar(a, b, 1), K))
                                   .verdict() == Verdict::holds,
                           "a = {}, b = {}, r = {}", a, b, r);
               }
             }
           }
           f.say("holds with in=1; two messages a step may still leave a module");
           f.shows("crossbar:a=256,b=64,in=1,out=2: 144 steps");
         },
         "schedcc compile fractional-tree:r=8,layout=crossbar-thin --ranks 16384 --chunks 16 "
         "--machine crossbar:a=256,b=64,in=1,out=2 >/dev/null"},
        {"Hierarchies of Crossbars", "its additional depth is (r + 1) log b",
         "r = 1, 2, 4, a = 2^1 .. 2^12, b = 2r, 4r",
         [](Found& f) {
           for (const U64 r : {1U, 2U, 4U}) {
             for (U64 log_a = 1; log_a <= 12; ++log_a) {
               for (const U64 b : {2 * r, 4 * r}) {
                 const U64 a = U64{1} << log_a;
                 const U64 thin = crossbar_depth(a, b, r, true);
                 const U64 more = thin - std::min(thin, crossbar_depth(a, b, r, false));
                 expect(more <= (r + 1) * log_a);
                 f.at_most((r + 1) * ceil_log2(b), more, "a = {}, b = {}, r = {}", a, b, r);
               }
             }
           }
           f.say("(r + 1) log a is enough; for 256 x 64 and r = 8, D = {} and {}",
                 crossbar_depth(256, 64, 8, false), crossbar_depth(256, 64, 8, true));
           f.shows("in=2,out=2: {} steps", crossbar_depth(4096, 2, 1, true));
         },
         "schedcc compile fractional-tree:r=1,layout=crossbar-thin --ranks 8192 --machine "
         "crossbar:a=4096,b=2 >/dev/null",
         "the paths that are longer are those of the global tree, whose a nodes make it log a "
         "levels deep: where a is much larger than b, (r + 1) log b is less than they take"},
        {"Meshes; figure 4", "r = 2 on an 8 x 16 mesh: edge congestion one, even with x-y routing",
         "K = 1, 2, 3, 40, 41",
         [](Found& f) {
           for (const U64 K : {1U, 2U, 3U, 40U, 41U})
             f.equal(1, *checked(laid_out(2, "mesh", 128, "mesh:8x16", K)).congestion, "K = {}", K);
           f.say("in a corner's broadcast; its reverse, a reduction, has edges with 2");
           expect(*run::report(laid_out(2, "mesh", 128, "mesh:8x16", 40, "reduce")).congestion ==
                  2);
           f.shows(", congestion 1");
         },
         "schedcc compile fractional-tree:r=2,layout=mesh --ranks 128 --chunks 40 --machine "
         "mesh:8x16 >/dev/null"},
        {"Meshes",
         "an embedding with constant edge congestion where a/r_1 = b/r_2 is a power of two",
         "r_1, r_2 = 1, 2, 3, a/r_1 = 2, 4, 8, 16, broadcast and reduce, full pipelines",
         [](Found& f) {
           U64 broadcast = 0, reduce = 0;
           for (const U64 r1 : {1U, 2U, 3U}) {
             for (const U64 r2 : {1U, 2U, 3U}) {
               for (const U64 m : {2U, 4U, 8U, 16U}) {
                 const U64 P = m * m * r1 * r2, K = 48 * r1 * r2;
                 const auto congestion = [&](const char* collective) {
                   return *run::report(
                               laid_out(r1 * r2, "mesh", P,
                                        fmt::format("mesh:{}x{},congestion=4", m * r1, m * r2), K,
                                        collective))
                               .congestion;
                 };
                 const U64 down = congestion("broadcast"), up = congestion("reduce");
                 f.at_most(U64{3}, down, "broadcast, {} x {} groups of {} x {}", m, m, r1, r2);
                 f.at_most(U64{4}, up, "reduce, {} x {} groups of {} x {}", m, m, r1, r2);
                 broadcast = std::max(broadcast, down);
                 reduce = std::max(reduce, up);
               }
             }
           }
           f.say("at most {} messages on an edge for broadcasts, {} for reductions", broadcast,
                 reduce);
           f.shows(", congestion 3");
         },
         "schedcc compile fractional-tree:r=4,layout=mesh --ranks 1024 --chunks 192 --machine "
         "mesh:32x32,congestion=4 >/dev/null"},
    }};

}  // namespace

Paper ft() {
  return {"FT",
          "A Bandwidth Latency Tradeoff for Broadcast and Reduction",
          {introduction, lower_bounds, simple, fractional, performance, networks},
          {"Figures 1 to 4 are drawings: what their captions and the text say of them is above.",
           "That each processor finds its place in time O(d) without communication: schedcc lays "
           "all PUs out at once.",
           "That fractional trees are the best known method for sparse networks, that other "
           "algorithms are complicated, and "
           "what is said of machines of the time: judgements.",
           "Section 4: the generalization to more than two levels of hierarchy, and to other "
           "meshes, is only named."}};
}

}  // namespace ledger
