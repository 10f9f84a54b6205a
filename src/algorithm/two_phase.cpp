// Two-phase broadcast, pipelined: the root scatters every part of the message in blocks, and every
// rank sends its block to all others.
//
// A part is P - 1 chunks, one for each rank but the root. In every period all ranks send to all
// ranks except the root: the root the blocks of the next part, the others those of the previous
// period. So no rank receives more than P - 1 chunks in a period, the root sends no more, and s
// packets take ceil(s/(P-1)) + 1 periods. With k ports, in which rank r sends to the ranks r + kq +
// 1 .. r + kq + k in step q, a period is ceil((P-1)/k) steps. For k = P - 1 that is one step, and
// for S parts of a message of b bytes at most (S + 1)(l + g b/S) in the BSP model: with the best S
// about (sqrt(l) + sqrt(g b))^2, where one start-up and all bytes are l + g b.
//
// If the last part is a single chunk, its holder sends nothing at the end of the last period, where
// it would be the root's turn.
//
// Source: CC, Other collectives in BSP (broadcast as a scatter, then an allgather), of which this
// is the pipeline.

#include <algorithm>

#include <fmt/core.h>

#include "algorithm/kernel/two_phase.hpp"
#include "algorithm/local_terms.hpp"
#include "algorithm/shapes.hpp"

namespace schedcc::two_phase_algorithm {

namespace {

using namespace local_terms;

Result kernel(const LocalRequest& r) {
  const std::uint64_t ports = ports_of(r.machine);
  return rooted(r,
                Term<local::TwoPhase>{{r.problem.ranks, r.problem.chunks, ports},
                                      fmt::format("TwoPhase(ranks, chunks, {})", ports)},
                {"two_phase.hpp"});
}

CostClaim claim(const Request& r) {
  const std::uint64_t P = r.problem.ranks, s = r.problem.chunks, k = ports_of(r);
  if (P == 2) return {.steps = s, .width = 1, .steps_formula = "s"};
  const std::uint64_t parts = ceil_div(s, P - 1), period = ceil_div(P - 1, k);
  const bool single = s % (P - 1) == 1;  // the last part
  return {.steps = single ? parts * period + ceil_div(P - 2, k) : (parts + 1) * period,
          .width = 1,
          .idle = s < P - 1,
          .steps_formula = single ? "ceil(s/(P - 1)) ceil((P - 1)/k) + ceil((P - 2)/k)"
                                  : "(ceil(s/(P - 1)) + 1) ceil((P - 1)/k)"};
}

}  // namespace

extern const AlgorithmEntry entry;
const AlgorithmEntry entry{
    .name = "two-phase",
    .summary = "every rank gets a block of each part of the message, and sends it to all others",
    .source = "CC, Other collectives in BSP, pipelined",
    .collectives = {Collective::broadcast, Collective::reduce},
    .machines = {"bsp:h=2", "bsp", "kport"},
    .reason = [](const Request& r) -> std::optional<std::string> {
      if (ports_of(r) > 1) return std::nullopt;
      return fmt::format("it needs at least 2 ports, as bsp:h={} has",
                         std::max<std::uint64_t>(2, r.problem.ranks - 1));
    },
    .order = in_tree_order<stream_of<kernel>>,
    .kernel = kernel,
    .build = stream_of<kernel>,
    .claim = claim,
};

}  // namespace schedcc::two_phase_algorithm
