// The circulant broadcast: round-optimal for every P, K - 1 + ceil(log2 P) steps.
//
// In round i, with k = i mod q, rank r sends to r + s_k and receives from r - s_k, in a circulant
// graph with the skips s_q = P, s_k = ceil(s_{k+1} / 2). Which packets is a matter of each rank's
// schedule, q numbers that it computes by itself in O(log P) (circulant_schedule.cpp); with every
// phase of q rounds they rise by q. All ranks' schedules are laid out by k, so that a step is a
// loop over ranks.
//
// Source: Träff, doi 10.1145/3735139.

#include <memory>
#include <vector>

#include "frontend/algorithms/circulant_schedule.hpp"
#include "frontend/algorithms/shapes.hpp"

namespace schedcc {

namespace {

/// What each rank receives: entry r of row k, for the rounds with i mod q = k.
std::vector<std::vector<std::int8_t>> receive_table(const CirculantGraph& graph, std::uint64_t P) {
  std::vector<std::vector<std::int8_t>> rows(static_cast<std::size_t>(graph.q()),
                                             std::vector<std::int8_t>(P));
  for (std::uint64_t r = 1; r < P; ++r) {
    const CirculantSchedule schedule = graph.schedule(r);
    for (std::size_t k = 0; k < rows.size(); ++k) rows[k][r] = schedule.recv[k];
  }
  return rows;
}

Steps broadcast(std::uint64_t P, std::uint64_t n) {
  const auto graph = std::make_shared<const CirculantGraph>(P);
  const auto table =
      std::make_shared<const std::vector<std::vector<std::int8_t>>>(receive_table(*graph, P));
  return every_step(graph->rounds(n), [=](std::uint64_t i, Transfers& out) {
    const CirculantRound round = graph->round(i, n);
    const std::vector<std::int8_t>& receives = (*table)[static_cast<std::size_t>(round.k)];
    const std::uint64_t skip = graph->skip(round.k);
    for (std::uint64_t r = 1; r < P; ++r) {
      const auto block = round.block(receives[r]);
      if (block < 0) continue;
      const std::uint64_t from = r >= skip ? r - skip : r + P - skip;
      out.push_back(copy(static_cast<Rank>(from), static_cast<Rank>(r), static_cast<Chunk>(block)));
    }
  });
}

Steps build(const Request& r) {
  return rooted(r.problem, broadcast(r.problem.ranks, r.problem.chunks));
}

}  // namespace

extern const Algorithm circulant_algorithm;
const Algorithm circulant_algorithm{
    .name = "circulant",
    .summary = "round-optimal for every P, by schedules that each rank computes alone",
    .source = "Träff, doi 10.1145/3735139",
    .collectives = {Collective::broadcast, Collective::reduce},
    .machines = {"duplex"},
    .order = [](const Request& r) { return trees_in_order(r, build); },
    .build = build,
    .promise =
        [](const Request& r) {
          return Promise{r.problem.chunks - 1 + std::uint64_t{ceil_log2(r.problem.ranks)}};
        },
};

}  // namespace schedcc
