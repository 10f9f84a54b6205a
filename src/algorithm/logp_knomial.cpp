// The k-nomial tree in the LogP model: as the binomial one, with k - 1 children on every level.
//
// Of the tree of k^h ranks the P that can be reached earliest. A level costs its last child L +
// (k-2) s + 2o, s = max(g, o): with l = L + 2o, T(k^h) = h (k-2) s + l + (h-1) max(l, s), which for
// L > g is BL's bound log_k P (L + (k-2) max(o,g) + 2o). Several packets follow one another, each
// when the root has sent the previous one to all its children. k >= P is the linear tree.
//
// Source: BL, "Example: Broadcasts" (the k-nomial tree).

#include "algorithm/logp_shapes.hpp"

namespace schedcc::logp_knomial_algorithm {

namespace {

std::uint64_t arity(const LocalRequest& r) { return r.parameters.integer("k"); }

}  // namespace

extern const AlgorithmEntry entry;
const AlgorithmEntry entry = on_logp_tree<LogpKnomial, arity>(
    "logp-knomial", "LogP: the k-nomial tree", "BL, Example: Broadcasts",
    {{.name = "k",
      .summary = "a rank has k - 1 children on each level",
      .min = 2,
      .max = UINT32_MAX,
      .default_value = "2"}});

}  // namespace schedcc::logp_knomial_algorithm
