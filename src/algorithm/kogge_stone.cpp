// Kogge and Stone's parallel prefix: every rank's interval doubles in every step.
//
// Before step i rank v has the reduction over the last 2^i ranks up to its own (fewer near rank 0);
// it sends that to rank v + 2^i, which combines it with its own, the interval that comes right
// after. Rank v is done when its interval begins at 0, the last one after ceil(log2 P) steps. What
// is combined are always neighbouring intervals, as a scan must.
//
// For an exclusive scan every rank first gives its contribution to the next one, which takes it in
// place of its own; what follows is the scan over the ranks 1..P-1: 1 + ceil(log2(P-1)) steps,
// which is lg if P - 1 is a power of two, else lg + 1.
//
// Source: Kogge, Stone 1973, doi 10.1109/TC.1973.5009159; Hillis, Steele 1986, doi
// 10.1145/7902.7903.

#include "algorithm/shapes.hpp"
#include "model/algebra.hpp"

namespace schedcc {

namespace {

Steps scan(Rank P, std::uint32_t K) {
  return every_step(ceil_log2(P), [=](std::uint64_t i, Transfers& out) {
    const Rank far = Rank{1} << i;
    for (Rank v = 0; v < P - far; ++v) out.push_back(transfer(v, v + far, 0, K, true));
  });
}

/// Everybody's contribution to the next rank.
Steps shift(Rank P, std::uint32_t K) {
  return every_step(1, [=](std::uint64_t, Transfers& out) {
    for (Rank v = 0; v < P - 1; ++v) out.push_back(copy(v, v + 1, 0, K));
  });
}

Steps build(const Request& r) {
  const Rank P = r.problem.ranks;
  const std::uint32_t K = r.problem.chunks;
  if (r.problem.collective == Collective::scan) return scan(P, K);
  return sequence(shift(P, K), relabel(scan(P - 1, K), [](Rank v) { return v + 1; }));
}

}  // namespace

extern const Algorithm kogge_stone_algorithm;
const Algorithm kogge_stone_algorithm{
    .name = "kogge-stone",
    .summary = "every rank's interval doubles in every step",
    .source = "Kogge, Stone 1973, doi 10.1109/TC.1973.5009159",
    .collectives = {Collective::scan, Collective::exscan},
    .machines = {"duplex"},
    .order = always_in_order,
    .build = build,
    .promise =
        [](const Request& r) {
          const Rank P = r.problem.ranks;
          const bool scan = r.problem.collective == Collective::scan;
          const std::uint64_t steps = scan ? ceil_log2(P) : 1 + ceil_log2(P - 1);
          const std::string_view formula = scan ? "lg" : "1 + log (P - 1)";
          return Promise{.steps = steps,
                         .volume = steps * r.problem.chunks,
                         .steps_formula = formula,
                         .volume_formula = formula};
        },
};

}  // namespace schedcc
