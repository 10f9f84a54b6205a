// All pairs: every rank sends to every other rank itself.
//
// This takes one step if ranks have P - 1 ports; with k of them, it takes ceil((P - 1)/k): in step
// t rank r sends to the ranks r + kt + 1 .. r + kt + k. Allgather: every rank sends its block to
// all others. Reversed it is a reduce-scatter, in which rank j gets all contributions to block j;
// both in sequence are the allreduce that MSCCL calls allpairs, two steps with P - 1 ports. With
// `whole` every rank sends the whole vector to all others, and each adds up all of them: an
// allreduce in one step, with P/2 times the volume. That takes P - 1 ports, since after one step no
// rank has its own contribution alone.
//
// Ranks send only their own contributions and complete sums: any operator is served.
//
// Source: Cowan, Maleki, Musuvathi, Saarikivi, Xiong 2023, MSCCLang, doi 10.1145/3575693.3575724
// (allpairs); CC, BSP model definition (h-relations).

#include <algorithm>

#include <fmt/core.h>

#include "algorithm/kernel/all_pairs.hpp"
#include "algorithm/local_terms.hpp"
#include "algorithm/shapes.hpp"

namespace schedcc::all_pairs_algorithm {

namespace {

std::uint64_t ports(const LocalRequest& r) {
  return local::usable_ports(ports_of(r.machine), r.problem.ranks);
}

std::uint64_t once(const LocalRequest& r) { return ceil_div(r.problem.ranks - 1, ports(r)); }
std::uint64_t once(const Request& r) { return once(LocalRequest(r)); }

bool whole(const Parameters& given) { return given.has("whole"); }

using namespace local_terms;

Result kernel(const LocalRequest& r) {
  const std::uint64_t P = r.problem.ranks, most = ports_of(r.machine);
  const Headers headers{"blocks.hpp", "all_pairs.hpp"};
  if (whole(r.parameters)) {
    return result(r, Term<local::WholeToAll>{{P, r.problem.chunks}, "WholeToAll(ranks, chunks)"},
                  headers);
  }
  const Vector v(r);
  return from_allgather(r,
                        Term<local::AllPairs>{{P, v.total, most},
                                              fmt::format("AllPairs(ranks, {}, {})", v.text, most)},
                        headers);
}

std::optional<std::string> refusal(const LocalRequest& r) {
  if (!whole(r.parameters)) return std::nullopt;
  if (r.problem.collective != Collective::allreduce) {
    return "only allreduce can send whole vectors";
  }
  if (once(r) <= 1) return std::nullopt;
  return fmt::format("whole vectors go to all ranks in one step, which needs {} ports; {} has {}",
                     r.problem.ranks - 1, r.machine.spec(), ports(r));
}

}  // namespace

extern const AlgorithmEntry entry;
const AlgorithmEntry entry{
    .name = "all-pairs",
    .summary = "every rank sends to all others, to as many at once as it has ports",
    .source = "Cowan et al. 2023, doi 10.1145/3575693.3575724; CC, BSP",
    .collectives = {Collective::allreduce, Collective::allgather, Collective::reduce_scatter},
    .machines = {"duplex", "kport", "bsp"},
    .parameters = {{.name = "whole",
                    .summary = "allreduce: whole vectors to all ranks at once",
                    .kind = Parameter::Kind::flag}},
    .whole_blocks = true,
    .reason = [](const Request& r) { return refusal(LocalRequest(r)); },
    .wide_reason = refusal,
    .order = always_in_order,
    .agrees = [](const Request& r) { return !whole(r.parameters) || r.problem.ranks == 2; },
    .disagreement = "with whole and more than 2 ranks",
    .kernel = kernel,
    .build = stream_of<kernel>,
    .claim =
        [](const Request& r) {
          const std::uint64_t steps = once(r), P = r.problem.ranks, K = r.problem.chunks;
          const bool one = ports(LocalRequest(r)) == 1;
          if (r.problem.collective != Collective::allreduce || whole(r.parameters)) {
            const std::string_view formula = one ? "P - 1" : "ceil((P - 1)/k)";
            return CostClaim{.steps = steps,
                             .volume = steps * K,
                             .steps_formula = formula,
                             .volume_formula = formula};
          }
          return CostClaim{.steps = 2 * steps,
                           .volume = 2 * steps * ceil_div(K, P),
                           .steps_formula = one ? "2 (P - 1)" : "2 ceil((P - 1)/k)",
                           .volume_formula =
                               one ? "2 (P - 1) ceil(s/P) / s" : "2 ceil((P - 1)/k) ceil(s/P) / s"};
        },
};

}  // namespace schedcc::all_pairs_algorithm
