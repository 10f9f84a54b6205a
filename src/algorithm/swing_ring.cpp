#include "algorithm/swing_ring.hpp"

#include <algorithm>
#include <bit>

#include <fmt/core.h>

#include "algorithm/kernel/swing.hpp"
#include "algorithm/local_terms.hpp"
#include "algorithm/shapes.hpp"
#include "algorithm/swing_tree.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

SwingRing::SwingRing(std::uint64_t P)
    : P_(P), paired_(P - P % 2), steps_(P > 1 ? ceil_log2(paired_) : 0) {}

SharedTrees SwingRing::trees() const { return swing_trees({static_cast<Rank>(paired_)}, 1); }

std::optional<std::string> SwingRing::refusal(const Request& request) const {
  if (P_ % 2 == 0 || P_ == 1) return std::nullopt;
  const std::uint64_t of_last = ceil_div(paired_, steps_);
  const std::uint64_t needed = std::max<std::uint64_t>(of_last, 2);
  if (ports_of(request) >= needed) return std::nullopt;
  return fmt::format(
      "of an odd number of ranks, {}, the last exchanges with up to {} others in a step, which "
      "needs {} ports; {} has {}",
      P_, of_last, needed, request.machine.spec(), ports_of(request));
}

Steps SwingRing::allgather(std::uint64_t total) const {
  return every_step(
      steps_, [P = P_, steps = steps_, total, all = trees()](std::uint64_t t, Transfers& out) {
        all->copies(t, total, P, out);
        if (P % 2 == 0) return;
        const std::uint64_t last = P - 1;
        for (std::uint64_t b = steps - 1 - t; b < last; b += steps) {
          send_run(out, b, last, vector_block(total, P, b));
          send_run(out, last, b, vector_block(total, P, last));
        }
      });
}

CostClaim SwingRing::claim(const Request& request) const {
  const bool both = request.problem.collective == Collective::allreduce, even = P_ % 2 == 0;
  CostClaim result = torus_claim(
      request, steps_, [&](std::uint64_t blocks) { return blocks * (paired_ - 1); },
      even ? "lg" : "log (P - 1)", even ? "2 lg" : "2 log (P - 1)");
  result.volume_formula = both ? even ? "2 (1 - 1/P)" : "2 (1 - 2/P)" : even ? "P - 1" : "P - 2";
  return result;
}

Steps from_kernel(const local::SwingAllgather& kernel, std::uint64_t P) {
  return SwingRing(P).allgather(kernel.total());
}

void require_closed_swing(std::uint64_t P) {
  if (std::has_single_bit(P)) return;
  throw InputError(fmt::format(
      "only for P = 2^h is there a formula for which ranks have a block already, and {} "
      "is not a power of two",
      P));
}

std::shared_ptr<const LocalSchedule> swing_ring_kernel(const LocalRequest& r) {
  require_closed_swing(r.problem.ranks);
  const local_terms::Vector v(r);
  return local_terms::from_allgather(
      r,
      local_terms::Term<local::SwingAllgather>{{r.problem.ranks, v.total},
                                               fmt::format("SwingAllgather(ranks, {})", v.text)},
      {"blocks.hpp", "flows.hpp", "swing.hpp"});
}

}  // namespace schedcc
