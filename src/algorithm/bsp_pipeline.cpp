// A pipeline of scatters and allgathers: the broadcast for machines with many ports.
//
// Scatter, then allgather, sends the message twice: down from the root, and among the ranks. Here
// it is cut into parts, each of which is scattered and gathered among all ranks but the root, which
// sends only in the scatter; and every superstep begins a part. So no rank receives more than a
// part in a superstep, besides blocks to forward; the root sends no more than a part. With
// `levels=` m the N = P - 1 others have the radix r = ceil(N^(1/m)): a part takes m supersteps to
// be scattered, m to be gathered, and S parts take S + 2m - 1. In the BSP model that is about
// (S + 2m - 1)(l + g b/S), with the best S
//
//     (sqrt((2m - 1) l) + sqrt(g b))^2
//
// where a scatter followed by an allgather takes 2m l + 2 g b. A rank sends to r - 1 others for
// each level of the allgather, and rank 1, to which the largest parts come first, as many for each
// level of the scatter but the first: (2m - 1)(r - 1) messages a superstep. With one level that is
// two-phase on a machine with P - 1 ports.
//
// Source: CC, Other collectives in BSP (broadcast as a scatter, then an allgather), of which this
// is the pipeline; the levels are those of "(Reduce-)Scatter and (All)Gather in BSP".

#include <algorithm>

#include <fmt/core.h>

#include "algorithm/kernel/scatter_pipeline.hpp"
#include "algorithm/local_terms.hpp"
#include "algorithm/shapes.hpp"

namespace schedcc::bsp_pipeline_algorithm {

namespace {

/// The shape of the pipeline.
struct PipelineParameters {
  std::uint64_t N, K;
  std::uint64_t radix = 2;

  /// The least radix with at most that many levels.
  PipelineParameters(const WideProblem& problem, std::uint64_t max_levels)
      : N(problem.ranks - 1), K(problem.chunks) {
    for (std::uint64_t enough = std::max<std::uint64_t>(2, N); radix < enough;) {
      const std::uint64_t middle = radix + (enough - radix) / 2;
      if (ceil_log(middle, N) <= max_levels) {
        enough = middle;
      } else {
        radix = middle + 1;
      }
    }
  }
  /// The actual number: fewer than requested if 2^levels > N.
  std::uint64_t levels() const { return ceil_log(radix, N); }
  /// A part is N chunks, the last one may have fewer.
  std::uint64_t parts() const { return ceil_div(K, N); }
  /// Supersteps of a part: it is scattered, even to a single rank, and gathered.
  std::uint64_t stages() const { return std::max<std::uint64_t>(1, levels()) + levels(); }
  std::uint64_t ports() const { return std::max((stages() - 1) * (radix - 1), std::min(radix, N)); }
};

/// With the requested levels, else with the fewest for which the machine has enough ports.
PipelineParameters parameters_of(const LocalRequest& r) {
  if (r.parameters.has("levels")) return {r.problem, r.parameters.integer("levels")};
  for (std::uint64_t levels = 1;; ++levels) {
    const PipelineParameters p(r.problem, levels);
    if (p.ports() <= ports_of(r.machine) || p.radix == 2) return p;
  }
}
PipelineParameters parameters_of(const Request& r) { return parameters_of(LocalRequest(r)); }

std::optional<std::string> refusal(const LocalRequest& r) {
  const PipelineParameters p = parameters_of(r);
  if (ports_of(r.machine) >= p.ports()) return std::nullopt;
  return fmt::format("with levels={} it takes {} ports, as bsp:h={}", p.levels(), p.ports(),
                     p.ports());
}

/// The sum over the supersteps of the largest messages, in chunks: r^(m-1) each, if some part is in
/// its first or last stage, all parts are whole, and N = r^m. 0: unknown.
std::uint64_t volume(const PipelineParameters& p) {
  const std::uint64_t m = p.levels(), S = p.parts();
  const bool full = p.K % p.N == 0 && power(p.radix, m) == p.N;
  if (!full || S + 1 < p.stages()) return 0;
  return (S + p.stages() - 1) * power(p.radix, std::max<std::uint64_t>(1, m) - 1);
}

using namespace local_terms;

Result kernel(const LocalRequest& r) {
  const std::uint64_t radix = parameters_of(r).radix;
  require_product(radix, r.problem.ranks, "r P");
  return rooted(
      r,
      Term<local::ScatterPipeline>{{r.problem.ranks, r.problem.chunks, radix},
                                   fmt::format("ScatterPipeline(ranks, chunks, {})", radix)},
      {"blocks.hpp", "trees.hpp", "circular.hpp", "scatter_pipeline.hpp"});
}

}  // namespace

}  // namespace schedcc::bsp_pipeline_algorithm

namespace schedcc {

Steps from_kernel(const local::ScatterPipeline& kernel, std::uint64_t P) {
  return every_step(kernel.steps(), [kernel, P](std::uint64_t t, Transfers& out) {
    const auto of_part = [&](const local::ScatteredPart& part, std::uint64_t stage,
                             std::uint64_t first) {
      const std::size_t begin = out.size();
      if (stage < part.scatter_steps()) {
        append_sends(part, part.senders(stage), stage, out);
      } else {
        append_receives(part, {1, P, 1}, stage, out);
      }
      for (std::size_t i = begin; i < out.size(); ++i) out[i].first += static_cast<Chunk>(first);
    };
    kernel.each_part(t, of_part);
  });
}

}  // namespace schedcc

namespace schedcc::bsp_pipeline_algorithm {

extern const AlgorithmEntry entry;
const AlgorithmEntry entry{
    .name = "bsp-pipeline",
    .summary = "pipelined scatters and allgathers; each superstep begins a part of the message",
    .source = "CC, Other collectives in BSP, pipelined",
    .collectives = {Collective::broadcast, Collective::reduce},
    .machines = {"bsp:h=64", "bsp", "kport"},
    .parameters = {{.name = "levels",
                    .summary = "levels of the scatter and of the allgather (default: as few as the "
                               "machine's ports allow)",
                    .min = 1,
                    .max = 32}},
    .reason = [](const Request& r) { return refusal(LocalRequest(r)); },
    .wide_reason = refusal,
    .order = in_tree_order<stream_of<kernel>>,
    .kernel = kernel,
    .build = stream_of<kernel>,
    .claim =
        [](const Request& r) {
          const PipelineParameters p = parameters_of(r);
          return CostClaim{
              .steps = p.parts() + p.stages() - 1,
              .volume = volume(p),
              .steps_formula = p.N == 1 ? "s" : "ceil(s/(P - 1)) + 2 levels - 1",
              .volume_formula =
                  p.N == 1 ? "1" : "(ceil(s/(P - 1)) + 2 levels - 1)/s (P - 1)^(1 - 1/levels)"};
        },
    .choose =
        [](const Request& r) {
          return chosen_if_open(r, "levels", std::max<std::uint64_t>(1, parameters_of(r).levels()));
        },
};

}  // namespace schedcc::bsp_pipeline_algorithm
