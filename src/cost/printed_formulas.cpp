// The formulas of the papers for the time of an algorithm, each in the paper's own notation:
// FT's t is alpha, its k the message's bytes times beta, s the number of packets; CC's and BL's s
// is the message. If a formula is known to be wrong, its text says so: the report also has the
// simulated time.
//
// log P is the integer that schedules need, ceil(log2 P).

#include "cost/printed_formulas.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/core.h>

#include "algorithm/fractional_tree/fractional_tree.hpp"
#include "core/integers.hpp"
#include "cost/bounds.hpp"
#include "cost/reals.hpp"
#include "schedcc/algorithm.hpp"
#include "schedcc/cost.hpp"

namespace schedcc {

namespace {

/// The variables of formulas. Times are those of the whole message, or of a block.
struct Values {
  const Problem& problem;
  const Parameters& parameters;
  const CostModel& model;
  double bytes;  ///< of the message, or of a block

  double P = problem.ranks;
  double s = problem.chunks;  ///< packets
  double t = model.alpha;
  double k = bytes * model.beta;
  double lg = ceil_log2(problem.ranks);

  double parameter(std::string_view name) const {
    return static_cast<double>(parameters.integer(name));
  }
  /// FT's d for groups of r PUs: the step before the last PU's first packet, from 0.
  double d(double r) const {
    return static_cast<double>(fractional_depth(problem.ranks, static_cast<std::uint64_t>(r)));
  }
  /// ceil(log_base P); the levels of a chain for base 1.
  double log(double base) const {
    if (base <= 1) return P - 1;
    return static_cast<double>(ceil_log(static_cast<std::uint64_t>(base), problem.ranks));
  }
  /// One send or receive after another: max(o, g).
  double spacing() const { return std::max(model.o, model.g); }
  double message() const { return model.L + 2 * model.o; }
  /// CC's pipelined binary tree in LogGP with packets of `packet` bytes; h is about log2 P.
  double loggp_tree(double packet) const {
    const double G = packet * model.G;
    return lg * (model.L + 2 * model.g + model.o + 2 * G) + 2 * (bytes / packet) * (model.g + G);
  }
};

enum class CollectiveGroup : std::uint8_t { message, blocks, allreduce, product };

struct PrintedFormula {
  std::string_view algorithm;
  CollectiveGroup collectives;
  std::string_view model;
  std::string_view text, source;
  double (*seconds)(const Values&);
  std::string_view needs = {};  ///< the parameter that it reads
};

using V = const Values&;

constexpr double no_such_formula = std::numeric_limits<double>::quiet_NaN();

/// Does a rank send one message a step?
bool one_port(V v) { return v.parameter("ports") == 1; }

/// The side of the square or cube of P ranks that a grid is; none if the grid has other sides.
double side(V v, int axes) {
  const double side = std::round(std::pow(v.P, 1.0 / axes));
  std::string grid = fmt::format("{}", side);
  for (int i = 1; i < axes; ++i) grid += fmt::format("x{}", side);
  return v.parameters.text("grid") == grid ? side : no_such_formula;
}

/// The time of CC's tree with the given packets, and with the best packets.
double with_given_packets(V v) { return v.loggp_tree(std::max(1.0, v.bytes / v.s)); }
double with_best_packets(V v) {
  return v.loggp_tree(
      std::clamp(std::sqrt(v.bytes / v.lg * v.model.g / v.model.G), 1.0, std::max(1.0, v.bytes)));
}

/// The root's messages of LogGP, each whole.
double linear_loggp(V v) {
  if (v.s != 1) return no_such_formula;
  const double further_bytes = std::max(v.bytes - 1, 0.0) * v.model.G;
  return v.message() + further_bytes + (v.P - 2) * std::max(v.model.o, v.model.g + further_bytes);
}

const PrintedFormula entries[] = {
    {"linear", CollectiveGroup::message, "alpha-beta", "s (P - 1) (t + k/s)", "BL, Quick Example",
     [](V v) { return one_port(v) ? v.s * (v.P - 1) * (v.t + v.k / v.s) : no_such_formula; }},
    {"linear", CollectiveGroup::message, "logp", "L + (P - 2) max(o, g) + 2o",
     "BL, Example: Broadcasts", [](V v) { return v.message() + (v.P - 2) * v.spacing(); }},
    {"linear", CollectiveGroup::message, "loggp",
     "L + (s - 1) G + (P - 2) max(o, g + (s - 1) G) + 2o",
     "BL, Example: Broadcasts, with the gap of Alexandrov et al., LogGP", linear_loggp},

    {"chain", CollectiveGroup::message, "alpha-beta", "(P - 2 + s) (t + k/s)",
     "FT, section 2; BL, Very Large Message Broadcast",
     [](V v) { return (v.P - 2 + v.s) * (v.t + v.k / v.s); }},
    {"chain", CollectiveGroup::message, "alpha-beta",
     "k (1 + sqrt(t (P - 2) / k))^2, with the best s", "FT, section 2",
     [](V v) { return square(std::sqrt(v.k) + std::sqrt(v.t * (v.P - 2))); }},

    {"binary-tree", CollectiveGroup::message, "alpha-beta", "(d + 2s) (t + k/s), one step too many",
     "FT, section 2", [](V v) { return (v.d(1) + 2 * v.s) * (v.t + v.k / v.s); }},
    {"binary-tree", CollectiveGroup::message, "alpha-beta",
     "k (sqrt(2) + sqrt(d t / k))^2, with the best s", "FT, section 2",
     [](V v) { return square(std::sqrt(2 * v.k) + std::sqrt(v.d(1) * v.t)); }},
    {"binary-tree", CollectiveGroup::message, "loggp", "h (L + 2g + o + 2kG) + 2 (s/k) (g + kG)",
     "CC, Pipelined binary tree broadcast in LogGP", with_given_packets},
    {"binary-tree", CollectiveGroup::message, "loggp",
     "the same with the best k, sqrt(s/h) sqrt(g/G)",
     "CC, Pipelined binary tree broadcast in LogGP", with_best_packets},

    {"fractional-tree", CollectiveGroup::message, "alpha-beta",
     "(d + s (1 + 1/r)) (t + k/s), one step too many", "FT (7)",
     [](V v) {
       const double r = v.parameter("r");
       return (v.d(r) + v.s * (1 + 1 / r)) * (v.t + v.k / v.s);
     },
     "r"},
    {"fractional-tree", CollectiveGroup::message, "alpha-beta",
     "k (1 + 1/r) (1 + sqrt(d r t / (k (r + 1))))^2, with the best s", "FT (8)",
     [](V v) {
       const double r = v.parameter("r");
       return (1 + 1 / r) * square(std::sqrt(v.k) + std::sqrt(v.d(r) * r * v.t / (r + 1)));
     },
     "r"},

    {"binomial-tree", CollectiveGroup::message, "alpha-beta", "s log P (t + k/s)",
     "BL, Faster Trees?", [](V v) { return v.s * v.lg * (v.t + v.k / v.s); }},
    {"binomial-tree", CollectiveGroup::message, "logp", "log P (L + 2o), at most, for L > g",
     "BL, Example: Broadcasts", [](V v) { return v.lg * v.message(); }},
    {"binomial-tree", CollectiveGroup::blocks, "alpha-beta", "log P t + (P - 1) k",
     "CC, Allreduce cost derivation", [](V v) { return v.lg * v.t + (v.P - 1) * v.k; }},
    {"knomial-tree", CollectiveGroup::message, "alpha-beta", "(k - 1) log_k P (t + s beta)",
     "BL, Faster Trees?",
     [](V v) {
       if (!one_port(v)) return no_such_formula;
       const double arity = v.parameter("k");
       return v.s * (arity - 1) * v.log(arity) * (v.t + v.k / v.s);
     },
     "k"},

    {"butterfly", CollectiveGroup::message, "alpha-beta", "(s + h) (t + k/s)",
     "CC, Optimal broadcast construction", [](V v) { return (v.s + v.lg) * (v.t + v.k / v.s); }},
    {"butterfly", CollectiveGroup::message, "alpha-beta",
     "(sqrt(h t) + sqrt(k))^2, with the best s", "CC, Optimal broadcast",
     [](V v) { return square(std::sqrt(v.lg * v.t) + std::sqrt(v.k)); }},
    {"circulant", CollectiveGroup::message, "alpha-beta", "(s - 1 + log P) (t + k/s)",
     "FT (6); Träff, doi 10.1145/3735139",
     [](V v) { return (v.s - 1 + v.lg) * (v.t + v.k / v.s); }},
    {"circulant", CollectiveGroup::message, "alpha-beta",
     "k (1 + sqrt(t (log P - 1) / k))^2, with the best s", "FT (6), corrected",
     [](V v) { return square(std::sqrt(v.k) + std::sqrt(v.t * (v.lg - 1))); }},

    {"ring", CollectiveGroup::blocks, "alpha-beta", "(P - 1) (t + k)",
     "BL, Very Large Message Broadcast", [](V v) { return (v.P - 1) * (v.t + v.k); }},
    {"ring", CollectiveGroup::allreduce, "alpha-beta", "2 (P - 1) (t + k/P)",
     "BL, Very Large Message Broadcast", [](V v) { return 2 * (v.P - 1) * (v.t + v.k / v.P); }},
    {"pairwise", CollectiveGroup::blocks, "alpha-beta", "(P - 1) (t + k)", "BFT, section 5",
     [](V v) { return one_port(v) ? (v.P - 1) * (v.t + v.k) : no_such_formula; }},
    {"recursive-doubling", CollectiveGroup::blocks, "alpha-beta", "h t + (P - 1) k",
     "CC, Allreduce cost derivation", [](V v) { return v.lg * v.t + (v.P - 1) * v.k; }},
    {"recursive-doubling", CollectiveGroup::allreduce, "alpha-beta", "h (t + k)",
     "CC, Allreduce cost derivation", [](V v) { return v.lg * (v.t + v.k); }},
    {"recursive-halving", CollectiveGroup::blocks, "alpha-beta", "h t + (P - 1) k",
     "CC, Allreduce cost derivation", [](V v) { return v.lg * v.t + (v.P - 1) * v.k; }},
    {"butterfly-allreduce", CollectiveGroup::allreduce, "alpha-beta", "2 sum over i of t + k / 2^i",
     "CC, Allreduce cost derivation", [](V v) { return 2 * (v.lg * v.t + v.k * (1 - 1 / v.P)); }},

    {"summa", CollectiveGroup::product, "alpha-beta",
     "2 sqrt(P) log P t + 4 sqrt(P) k, at most, with CC's broadcast", "CC, Matrix multiplication",
     [](V v) { return side(v, 2) * (2 * v.lg * v.t + 4 * v.k); }, "grid"},
    {"matmul-3d", CollectiveGroup::product, "alpha-beta",
     "2 log P t + 6 k, at most, with CC's broadcast", "CC, 3D Matrix multiplication algorithm",
     [](V v) { return side(v, 3) / side(v, 3) * (2 * v.lg * v.t + 6 * v.k); }, "grid"},

    {"bsp-butterfly", CollectiveGroup::blocks, "bsp", "log_{h+1} P alpha + s beta",
     "CC, (Reduce-)Scatter and (All)Gather in BSP",
     [](V v) { return v.log(v.parameter("h") + 1) * v.t + v.P * v.k; }, "h"},
    {"bsp-butterfly", CollectiveGroup::message, "bsp", "2 (log_{h+1} P alpha + s beta)",
     "CC, Other collectives in BSP",
     [](V v) { return 2 * (v.log(v.parameter("h") + 1) * v.t + v.k); }, "h"},
    {"bsp-butterfly", CollectiveGroup::allreduce, "bsp", "2 (log_{h+1} P alpha + s beta)",
     "CC, Other collectives in BSP",
     [](V v) { return 2 * (v.log(v.parameter("h") + 1) * v.t + v.k); }, "h"},

    {"karp", CollectiveGroup::message, "logp",
     "least t with P(t) >= P, P(t) = P(t - max(g, o)) + P(t - L - 2o)",
     "Karp et al. 1993; BL, Optimal Broadcast Runtime",
     [](V v) { return karp_seconds(v.problem.ranks, v.model).value_or(no_such_formula); }},
    {"logp-linear", CollectiveGroup::message, "logp", "L + (P - 2) max(o, g) + 2o",
     "BL, Example: Broadcasts", [](V v) { return v.message() + (v.P - 2) * v.spacing(); }},
    {"logp-binary", CollectiveGroup::message, "logp", "log2 P (L + max(o, g) + 2o), at most",
     "BL, Example: Broadcasts", [](V v) { return v.lg * (v.message() + v.spacing()); }},
    {"logp-binary", CollectiveGroup::message, "loggp", "h (L + 2g + o + 2kG) + 2 (s/k) (g + kG)",
     "CC, Pipelined binary tree broadcast in LogGP", with_given_packets},
    {"logp-binary", CollectiveGroup::message, "loggp",
     "the same with the best k, sqrt(s/h) sqrt(g/G)",
     "CC, Pipelined binary tree broadcast in LogGP", with_best_packets},
    {"logp-kary", CollectiveGroup::message, "logp", "log_k P (L + (k - 1) max(o, g) + 2o), at most",
     "BL, Example: Broadcasts",
     [](V v) {
       const double k = v.parameter("k");
       return v.log(k) * (v.message() + (k - 1) * v.spacing());
     },
     "k"},
    {"logp-binomial", CollectiveGroup::message, "logp", "log2 P (L + 2o), at most, for L > g",
     "BL, Example: Broadcasts", [](V v) { return v.lg * v.message(); }},
    {"logp-knomial", CollectiveGroup::message, "logp",
     "log_k P (L + (k - 2) max(o, g) + 2o), at most", "BL, Example: Broadcasts",
     [](V v) {
       const double k = v.parameter("k");
       return v.log(k) * (v.message() + (k - 2) * v.spacing());
     },
     "k"},
};

bool is_for(CollectiveGroup collectives, const Problem& problem) {
  if (problem.declared()) return collectives == CollectiveGroup::product;
  switch (problem.collective) {
    case Collective::broadcast:
    case Collective::reduce:
      return collectives == CollectiveGroup::message;
    case Collective::allreduce:
      return collectives == CollectiveGroup::allreduce;
    default:
      return collectives == CollectiveGroup::blocks && problem.in_blocks();
  }
}

/// BL's formulas in the LogP model are those of a single packet.
bool is_one_packet(const CostModel& model, const Problem& problem, double bytes) {
  return problem.chunks == 1 && (model.packet == 0 || bytes <= static_cast<double>(model.packet));
}

}  // namespace

std::vector<TimeFormula> printed_formulas(const Algorithm& algorithm, const Request& request,
                                          const CostModel& model, double bytes) {
  const Values values{request.problem, request.parameters, model, bytes};
  std::vector<TimeFormula> result;
  for (const PrintedFormula& entry : entries) {
    if (entry.algorithm != algorithm.name || entry.model != model.name) continue;
    if (!is_for(entry.collectives, request.problem)) continue;
    if (entry.model == "logp" && !is_one_packet(model, request.problem, bytes)) continue;
    if (!entry.needs.empty() && !request.parameters.has(entry.needs)) continue;
    const double seconds = entry.seconds(values);
    if (std::isfinite(seconds)) {
      result.push_back({std::string(entry.text), std::string(entry.source), seconds});
    }
  }
  return result;
}

std::vector<std::string_view> algorithms_with_formulas() {
  std::vector<std::string_view> names;
  for (const PrintedFormula& entry : entries) names.push_back(entry.algorithm);
  return names;
}

}  // namespace schedcc
