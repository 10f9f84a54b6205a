// The pipelined binary tree in the LogP model: every rank forwards every packet to two others.
//
// A packet reaches the first child L + 2o after its parent holds it, to the second s = max(g, o)
// later, so a level costs at most L + s + 2o: BL's bound log2 P (L + max(o,g) + 2o). The schedule
// takes the least time of a binary tree over P ranks, min { t : N(t) >= P } with
//     N(t) = 1 + N(t - L - 2o) + N(t - L - 2o - s),
// and packets follow one another every s + max(s, 2o) cycles, in which a rank receives one and
// sends it twice: 2g, as in CC, where g >= 2o. The best packet size for a message of given length
// is in tests/support/packet_size.hpp.
//
// Source: BL, "Example: Broadcasts" (T_bin); CC, "Pipelined binary tree broadcast in LogP".

#include "algorithm/logp_shapes.hpp"

namespace schedcc::logp_binary_algorithm {

namespace {

std::uint64_t arity(const LocalRequest&) { return 2; }

}  // namespace

extern const AlgorithmEntry entry;
const AlgorithmEntry entry = on_logp_tree<LogpKary, arity>(
    "logp-binary", "LogP: every rank forwards every packet to two others",
    "BL, Example: Broadcasts; CC, Pipelined binary tree broadcast in LogP");

}  // namespace schedcc::logp_binary_algorithm
