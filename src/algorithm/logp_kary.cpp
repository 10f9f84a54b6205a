// The k-ary tree in the LogP model: every rank forwards every packet to k others.
//
// The last child has a packet L + (k-1) s + 2o after its parent, s = max(g, o): BL's bound log_k P
// (L + (k-1) max(o,g) + 2o). The schedule takes the least time of a k-ary tree over P ranks, min {
// t : N(t) >= P } with
//     N(t) = 1 + N(t - L - 2o) + N(t - L - 2o - s) + ... + N(t - L - 2o - (k-1) s),
// and packets follow one another every (k-1) s + max(s, 2o) cycles, or less if no rank has k
// children. k = 1 is the chain, k >= P - 1 Karp's tree.
//
// Source: BL, "Example: Broadcasts" (the k-ary tree).

#include "algorithm/logp_shapes.hpp"

namespace schedcc::logp_kary_algorithm {

namespace {

std::uint64_t arity(const LocalRequest& r) { return r.parameters.integer("k"); }

}  // namespace

extern const AlgorithmEntry entry;
const AlgorithmEntry entry = on_logp_tree<LogpKary, arity>(
    "logp-kary", "LogP: every rank forwards every packet to k others", "BL, Example: Broadcasts",
    {{.name = "k",
      .summary = "children of a rank",
      .min = 1,
      .max = UINT32_MAX,
      .default_value = "2"}});

}  // namespace schedcc::logp_kary_algorithm
