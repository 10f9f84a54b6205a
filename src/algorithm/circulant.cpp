// The circulant broadcast: round-optimal for every P, K - 1 + ceil(log2 P) steps.
//
// In round i, with k = i mod q, rank r sends to r + s_k and receives from r - s_k, in a circulant
// graph with the skips s_q = P, s_k = ceil(s_{k+1} / 2). The packets are given by each rank's
// schedule, q numbers that it computes by itself in O(log P)
// (algorithm/kernel/circulant_schedule.hpp); with every phase of q rounds they rise by q. All
// ranks' schedules are laid out by k, so that a step is a loop over ranks.
//
// Every rank's neighbours are those of rank 0, rotated, so P broadcasts run at once, one from each
// rank: a message carries a packet of each of them that has one. That is the allgather, in the same
// K - 1 + ceil(log2 P) rounds. Reversed, they are the reduction and the reduce-scatter; a
// reduction, then a broadcast are the allreduce.
//
// Source: Träff, doi 10.1145/3735139.

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "algorithm/kernel/circulant.hpp"
#include "algorithm/local_terms.hpp"
#include "algorithm/shapes.hpp"
#include "model/algebra.hpp"

namespace schedcc::circulant_algorithm {

namespace {

using local::CirculantGraph, local::CirculantSchedule;

/// The packets that each rank receives: entry r of row k, for the rounds with i mod q = k.
std::vector<std::vector<std::int8_t>> receive_table(const CirculantGraph& graph, std::uint64_t P) {
  require_memory_for_ranks(P, static_cast<std::uint64_t>(graph.q()), "a circulant graph");
  std::vector<std::vector<std::int8_t>> rows(static_cast<std::size_t>(graph.q()),
                                             std::vector<std::int8_t>(P));
  for (std::uint64_t r = 1; r < P; ++r) {
    const CirculantSchedule schedule = graph.schedule(r);
    for (std::size_t k = 0; k < rows.size(); ++k) rows[k][r] = schedule.recv[k];
  }
  return rows;
}

/// The packets under way in round i of a broadcast from rank 0, by receiver.
class Rounds {
 public:
  Rounds(CirculantGraph graph, std::uint64_t P, std::uint64_t n)
      : graph_(std::move(graph)), n_(n), table_(receive_table(graph_, P)) {}

  std::uint64_t count() const { return graph_.rounds(n_); }
  std::uint64_t skip(std::uint64_t i) const { return graph_.skip(static_cast<int>(place(i))); }
  /// Calls f(r, j) for every rank r, of some parts of them, that receives packet j in round i, from
  /// rank r - skip(i).
  template <typename F>
  void each(std::uint64_t i, const RowParts& parts, F f) const {
    const std::uint64_t q = this->q(), k = place(i);
    const std::vector<std::int8_t>& receives = table_[k];
    const std::uint64_t P = receives.size(), end = P * parts.end / parts.of;
    for (std::uint64_t r = std::max<std::uint64_t>(P * parts.first / parts.of, 1); r < end; ++r) {
      const std::uint64_t value_q = q + static_cast<std::uint64_t>(receives[r]);
      if (!local::circulant_sends(value_q, i, k, q)) continue;
      f(r, local::circulant_block(value_q, i, k, n_, q));
    }
  }

 private:
  std::uint64_t q() const { return static_cast<std::uint64_t>(graph_.q()); }
  std::uint64_t place(std::uint64_t i) const { return local::circulant_place(i, n_, q()); }

  CirculantGraph graph_;
  std::uint64_t n_;
  std::vector<std::vector<std::int8_t>> table_;
};

}  // namespace

}  // namespace schedcc::circulant_algorithm

namespace schedcc {

Steps from_kernel(const local::Circulant& kernel, std::uint64_t P) {
  const auto rounds =
      std::make_shared<const circulant_algorithm::Rounds>(kernel.graph(), P, kernel.packets());
  const auto append = [=](std::uint64_t i, const RowParts& parts, Transfers& out) {
    const std::uint64_t back = P - rounds->skip(i);
    rounds->each(i, parts, [&](std::uint64_t r, std::uint64_t j) {
      out.push_back(copy(static_cast<Rank>(local::add_mod(r, back, P)), static_cast<Rank>(r),
                         static_cast<Chunk>(j)));
    });
  };
  return every_step_in_parts(rounds->count(), append);
}

Steps from_kernel(const local::CirculantAllgather& kernel, std::uint64_t P) {
  const local::Circulant& one = kernel.of_rank_zero();
  return Steps::rotations(from_kernel(one, P), static_cast<Rank>(P),
                          static_cast<Chunk>(one.packets()));
}

}  // namespace schedcc

namespace schedcc::circulant_algorithm {

namespace {

using namespace local_terms;

Result kernel(const LocalRequest& r) {
  const Headers headers{"circulant_schedule.hpp", "circulant.hpp"};
  const std::uint64_t P = r.problem.ranks, K = r.problem.chunks;
  if (r.problem.in_blocks()) {
    return from_allgather(
        r, Term<local::CirculantAllgather>{{P, K}, "CirculantAllgather(ranks, chunks)"}, headers);
  }
  const Term<local::Circulant> down{{P, K}, "Circulant(ranks, chunks)"};
  if (r.problem.collective == Collective::allreduce) {
    return result(r, sequence(reverse_reducing(down), down), headers);
  }
  return rooted(r, down, headers);
}

/// A reduce-scatter is a reduction to every rank, an allreduce one to rank 0.
std::optional<std::string> order(const Request& r) {
  Request reduction = r;
  reduction.problem.collective = Collective::reduce;
  const bool to_all = r.problem.collective == Collective::reduce_scatter;
  for (Rank root = 0; root < (to_all ? r.problem.ranks : 1); ++root) {
    if (r.problem.collective != Collective::reduce) reduction.problem.root = root;
    if (auto why = trees_in_order(reduction, stream_of<kernel>)) return why;
  }
  return std::nullopt;
}

}  // namespace

extern const AlgorithmEntry entry;
const AlgorithmEntry entry{
    .name = "circulant",
    .summary = "round-optimal for every P, by schedules that each rank computes alone",
    .source = "Träff, doi 10.1145/3735139",
    .collectives = {Collective::broadcast, Collective::reduce, Collective::allgather,
                    Collective::reduce_scatter, Collective::allreduce},
    .machines = {"duplex"},
    .order = order,
    .kernel = kernel,
    .build = stream_of<kernel>,
    .claim =
        [](const Request& r) {
          const std::uint64_t P = r.problem.ranks, K = r.problem.chunks;
          const std::uint64_t once = K - 1 + ceil_log2(P);
          if (r.problem.in_blocks()) {
            // All ranks are alike, so that each message of a step is the largest.
            return all_blocks_once(r.problem, once, "s - 1 + lg");
          }
          const bool twice = r.problem.collective == Collective::allreduce;
          return CostClaim{.steps = twice ? 2 * once : once,
                           .width = 1,
                           .steps_formula = twice ? "2 (s - 1 + lg)" : "s - 1 + lg"};
        },
};

}  // namespace schedcc::circulant_algorithm
