// The binomial tree in the LogP model: every rank that has the packet keeps sending it, to the
// roots of ever smaller trees.
//
// Of the tree of 2^h ranks the P that can be reached earliest. The root of a tree of h levels sends
// to one of h - 1 levels, then to one of h - 2, and so on, s = max(g, o) apart: with l = L + 2o
// cycles for a packet, T(2^h) = l + (h-1) max(l, s). For L > g that is BL's bound log2 P (L + 2o).
// Several packets follow one another, each when the root has sent the previous one to all its
// children.
//
// Source: BL, "Example: Broadcasts" (the binomial tree).

#include "algorithm/logp_shapes.hpp"

namespace schedcc::logp_binomial_algorithm {

namespace {

std::uint64_t two(const LocalRequest&) { return 2; }

}  // namespace

extern const AlgorithmEntry entry;
const AlgorithmEntry entry = on_logp_tree<LogpKnomial, two>(
    "logp-binomial", "LogP: the binomial tree", "BL, Example: Broadcasts");

}  // namespace schedcc::logp_binomial_algorithm
