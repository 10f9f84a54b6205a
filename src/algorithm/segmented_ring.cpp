// The segmented ring: an allreduce whose reduction goes around the ring in several passes, each
// with a part of every block.
//
// Blocks are cut into f segments. In pass i the ring reduces segment i of each block, P - 1 steps,
// then all blocks go around the ring at once (ring.cpp): (f + 1)(P - 1) steps, and the volume of
// the ring. Messages of the reduction are smaller, so that less memory is needed for what arrives.
//
// Source: Open MPI, coll/tuned (segmented ring).

#include <fmt/core.h>

#include "algorithm/kernel/ring.hpp"
#include "algorithm/local_terms.hpp"

namespace schedcc::segmented_ring_algorithm {

namespace {

using namespace local_terms;

/// The number of segments, f; if it was left open two, or one, as in the ring, where blocks are too
/// small for two.
std::uint64_t segments(const LocalRequest& r) {
  if (r.parameters.has("segments")) return r.parameters.integer("segments");
  return r.problem.chunks / r.problem.ranks >= 2 ? 2 : 1;
}
std::uint64_t segments(const Request& r) { return segments(LocalRequest(r)); }

Result kernel(const LocalRequest& r) {
  const std::uint64_t P = r.problem.ranks, K = r.problem.chunks, f = segments(r);
  const Headers headers{"blocks.hpp", "ring.hpp"};
  const Term<local::RingAllgather> ring{{P, K}, "RingAllgather(ranks, chunks)"};
  if (f == 1) return from_allgather(r, ring, headers);
  const Term<local::SegmentedRingAllgather> passes{
      {P, K, f}, fmt::format("SegmentedRingAllgather(ranks, chunks, {})", f)};
  return result(r, sequence(reverse_reducing(passes), ring), headers);
}

std::optional<std::string> reason(const Request& r) {
  const std::uint64_t P = r.problem.ranks, f = segments(r);
  if (f == 1 || r.problem.chunks / P >= f) return std::nullopt;
  return fmt::format("{} segments of each of {} blocks need {} chunks, not {}", f, P, f * P,
                     r.problem.chunks);
}

/// A single chunk is that of the last block, which does not wrap.
std::optional<std::string> order(const Request& r) {
  if (r.problem.ranks == 2 || r.problem.chunks == 1) return std::nullopt;
  return "contributions are combined around the ring, which wraps from the last rank to rank 0";
}

}  // namespace

extern const AlgorithmEntry entry;
const AlgorithmEntry entry{
    .name = "segmented-ring",
    .summary = "a ring allreduce that reduces parts of the blocks one after another",
    .source = "Open MPI, coll/tuned",
    .collectives = {Collective::allreduce},
    .machines = {"duplex"},
    .parameters = {{.name = "segments",
                    .summary = "parts of a block (default: 2, or 1 if blocks are too small)",
                    .min = 1,
                    .max = 64}},
    .reason = reason,
    .order = order,
    .kernel = kernel,
    .build = stream_of<kernel>,
    .claim =
        [](const Request& r) {
          const std::uint64_t P = r.problem.ranks, K = r.problem.chunks;
          const std::uint64_t block = ceil_div(K, P);
          return CostClaim{.steps = (segments(r) + 1) * (P - 1),
                           // Of single chunks nothing is claimed: with more of them messages grow.
                           .width = block > 1 ? static_cast<std::uint32_t>(block) : 0,
                           .volume = allreduce_volume(K, P),
                           .steps_formula = "(f + 1) (P - 1)",
                           .volume_formula = "2 (1 - 1/P)"};
        },
    .choose = [](const Request& r) { return chosen_if_open(r, "segments", segments(r)); },
};

}  // namespace schedcc::segmented_ring_algorithm
