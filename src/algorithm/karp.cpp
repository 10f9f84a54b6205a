// Karp's optimal LogP broadcast: every rank that has the packet forwards it as fast as the model
// allows.
//
// A rank that holds the packet at time t can have others hold it at the times t + L + 2o,
// t + L + 2o + s, t + L + 2o + 2s, ..., with s = max(g, o). The P earliest of all these times make
// the optimal tree, and so P(t) = P(t - s) + P(t - L - 2o) ranks can hold it at time t, P(t) = 1
// for 0 <= t < L + 2o. It is the k-ary tree without a limit on children. Every subtree is an
// interval of ranks, so the reversed broadcast, the optimal summation, can keep the order of
// operands.
//
// Optimal for one packet. More of them use the same tree, a period apart (logp_shapes.cpp).
//
// Source: Karp, Sahay, Santos, Schauser 1993; BL, "Optimal Broadcast Runtime"; CC, "Broadcasts in
// the LogP model".

#include "algorithm/logp_shapes.hpp"

namespace schedcc::karp_algorithm {

namespace {

std::uint64_t arity(const LocalRequest&) { return any_arity; }

}  // namespace

extern const AlgorithmEntry entry;
const AlgorithmEntry entry = on_logp_tree<LogpKary, arity>(
    "karp", "the optimal LogP tree: every rank forwards as fast as the model allows",
    "Karp et al. 1993; BL, Optimal Broadcast Runtime");

}  // namespace schedcc::karp_algorithm
