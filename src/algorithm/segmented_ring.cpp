// The segmented ring: an allreduce whose reduction goes around the ring in several passes, each
// with a part of every block.
//
// Blocks are cut into f segments. In pass i the ring reduces segment i of each block, P - 1 steps,
// then all blocks go around the ring at once (ring.cpp): (f + 1)(P - 1) steps, and the volume of
// the ring. Messages of the reduction are smaller, so that less memory is needed for what arrives.
//
// Source: Open MPI, coll/tuned (segmented ring).

#include <utility>
#include <vector>

#include <fmt/core.h>

#include "algorithm/from_kernel.hpp"
#include "algorithm/kernel/ring.hpp"
#include "algorithm/shapes.hpp"
#include "model/algebra.hpp"

namespace schedcc::segmented_ring_algorithm {

namespace {

/// The allgather of segment i of f of each block: its reverse is a pass of the reduction. Blocks
/// have at least f chunks, or f = 1.
Steps pass(std::uint64_t P, std::uint64_t K, std::uint64_t i, std::uint64_t f) {
  if (f == 1) return from_kernel(local::RingAllgather(P, K), P);
  return each_transfer(from_kernel(local::RingAllgather(P, P), P), [=](Transfer& t) {
    const Run block = vector_block(K, P, t.first);
    const Run segment = vector_block(block.count, f, i);
    t.first = block.first + segment.first;
    t.count = segment.count & max_transfer_count;
  });
}

/// The number of segments, f; if it was left open two, or one, as in the ring, where blocks are too
/// small for two.
std::uint64_t segments(const Request& r) {
  if (r.parameters.has("segments")) return r.parameters.integer("segments");
  return r.problem.chunks / r.problem.ranks >= 2 ? 2 : 1;
}

Steps build(const Request& r) {
  const std::uint64_t P = r.problem.ranks, K = r.problem.chunks, f = segments(r);
  std::vector<Steps> passes;
  for (std::uint64_t i = 0; i < f; ++i) passes.push_back(reverse(pass(P, K, i, f), true));
  passes.push_back(pass(P, K, 0, 1));
  return sequence(std::move(passes));
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
    .build = build,
    .claim =
        [](const Request& r) {
          const std::uint64_t P = r.problem.ranks, K = r.problem.chunks;
          return CostClaim{.steps = (segments(r) + 1) * (P - 1),
                           .volume = allreduce_volume(K, P),
                           .steps_formula = "(f + 1) (P - 1)",
                           .volume_formula = "2 (1 - 1/P)"};
        },
    .choose =
        [](const Request& r) {
          if (r.parameters.has("segments")) return ChosenParameters();
          return ChosenParameters{{"segments", std::to_string(segments(r))}};
        },
};

}  // namespace schedcc::segmented_ring_algorithm
