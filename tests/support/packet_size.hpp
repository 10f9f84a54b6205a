#pragma once

// The best packet size of pipelines and pipelined trees, and the optimal k of k-nomial trees: the
// formulas of BL and CC. Times and sizes are real numbers in any units that fit together.

#include <cmath>

namespace schedcc {

/// Packets of size z > 0 that follow one another: (n + s/z) steps of α + βz each, for a message of
/// size s. n is the number of steps less the number of packets: P - 2 for the chain (BL, "Very
/// Large Message Broadcast"), h for the butterfly (CC, "Optimal broadcast construction").
struct Pipeline {
  double n, alpha, beta;

  double time(double s, double z) const { return (n + s / z) * (alpha + beta * z); }
  /// The z for which `time` is least, sqrt(sα / (nβ)).
  double best_packet(double s) const { return std::sqrt(s * alpha / (n * beta)); }
  /// That least time, (sqrt(nα) + sqrt(sβ))^2.
  double best_time(double s) const {
    return std::pow(std::sqrt(n * alpha) + std::sqrt(s * beta), 2);
  }
};

/// The pipelined binary tree of height h (CC, "Pipelined binary tree broadcast in LogP", "in
/// LogGP"). G is the gap per byte.
struct PipelinedBinaryTree {
  double h, L, o, g, G;

  /// LogP: h (L + 2g + o) + 2 g times the number of packets. The packets' size is the model's.
  double time_logp(double packets) const { return h * (L + 2 * g + o) + 2 * packets * g; }
  /// LogGP, packets of k bytes: h (L + 2g + o + 2kG) + 2 (s/k) (g + kG) for s bytes.
  double time(double s, double k) const {
    return h * (L + 2 * g + o + 2 * k * G) + 2 * (s / k) * (g + k * G);
  }
  /// The k for which it is least, sqrt(s/h) sqrt(g/G): the time is h (L + o) and twice a pipeline.
  double best_packet(double s) const { return Pipeline{h, g, G}.best_packet(s); }
};

/// The real k > 1 for which the LogP time of the k-nomial tree, log_k P (L + (k-2) o + 2o), o > g,
/// is least for any P: the zero of o ln k - L/k - o, which rises with k. (BL, "Example:
/// Broadcasts", which prints the last o with the other sign.) o > 0.
inline double best_knomial_degree(double L, double o) {
  double low = 1, high = std::exp(1.0) + L / o;  // ln(1 + y) >= y / (1 + y) with y = L / (e o)
  for (int i = 0; i < 200; ++i) {
    const double k = (low + high) / 2;
    (o * std::log(k) - L / k - o < 0 ? low : high) = k;
  }
  return low;
}

}  // namespace schedcc
