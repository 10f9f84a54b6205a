// Kogge and Stone's parallel prefix: every rank's interval doubles in every step.
//
// Before step i rank v has the reduction over the last 2^i ranks up to its own (fewer near rank 0);
// it sends that to rank v + 2^i, which combines it with its own, the interval right after it. Rank
// v is done when its interval begins at 0, the last one after ceil(log2 P) steps. The combined
// intervals are always adjacent, as a scan requires.
//
// For an exclusive scan every rank first gives its contribution to the next one, which takes it in
// place of its own; then follows the scan over the ranks 1..P-1: 1 + ceil(log2(P-1)) steps, which
// is lg if P - 1 is a power of two, else lg + 1.
//
// Source: Kogge, Stone 1973, doi 10.1109/TC.1973.5009159; Hillis, Steele 1986, doi
// 10.1145/7902.7903.

#include "algorithm/kernel/scan.hpp"
#include "algorithm/local_terms.hpp"
#include "algorithm/shapes.hpp"

namespace schedcc::kogge_stone_algorithm {

namespace {

using namespace local_terms;

Result kernel(const LocalRequest& r) {
  const bool exclusive = r.problem.collective == Collective::exscan;
  return result(r,
                Term<local::Scan>{{r.problem.ranks, r.problem.chunks, exclusive},
                                  fmt::format("Scan(ranks, chunks, {})", exclusive)},
                {"scan.hpp"});
}

}  // namespace

extern const AlgorithmEntry entry;
const AlgorithmEntry entry{
    .name = "kogge-stone",
    .summary = "every rank's interval doubles in every step",
    .source = "Kogge, Stone 1973, doi 10.1109/TC.1973.5009159",
    .collectives = {Collective::scan, Collective::exscan},
    .machines = {"duplex"},
    .order = always_in_order,
    .kernel = kernel,
    .build = stream_of<kernel>,
    .claim =
        [](const Request& r) {
          const Rank P = r.problem.ranks;
          const bool scan = r.problem.collective == Collective::scan;
          const std::uint64_t steps = scan ? ceil_log2(P) : 1 + ceil_log2(P - 1);
          const std::string_view formula = scan ? "lg" : "1 + log (P - 1)";
          return CostClaim{.steps = steps,
                           .volume = steps * r.problem.chunks,
                           .steps_formula = formula,
                           .volume_formula = formula};
        },
};

}  // namespace schedcc::kogge_stone_algorithm
