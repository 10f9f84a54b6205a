// Bruck's algorithms: allgather and total exchange in ceil(log_r P) steps, for any P, with the
// radix r and r - 1 messages a step.
//
// Allgather. Before step i rank v has r^i blocks, its own and those of the next ranks around the
// ring; the ranks v + r^i, v + 2 r^i, ... have the following ones and send them to it. The last
// step brings the remaining ones: to radix 3 and more, their messages may be of very different
// sizes (P = 5, r = 3: two blocks in one, none in the other). `balanced` cuts the remaining blocks
// into r - 1 runs of nearly equal size, each of which some rank has; then the largest messages of
// the steps have ceil((P-1)/(r-1)) blocks together, the least for r - 1 ports. The reduce-scatter
// is the reverse. It keeps the order of operands if every rank's contribution goes straight to the
// block's rank.
//
// Total exchange. The block of rank o for rank d has to move by d - o ranks (modulo P). In step i
// every rank sends those of its blocks by j r^i ranks for which digit i of this distance, to base
// r, is j: lg messages a rank for r = 2 instead of P - 1, but each block is sent as often as its
// distance has digits that are not 0.
//
// Source: Bruck, Ho, Kipnis, Upfal, Weathersby 1997, doi 10.1109/71.642949.

#include "algorithm/blocks.hpp"
#include "algorithm/kernel/balanced.hpp"

namespace schedcc::bruck_algorithm {

namespace {

using namespace local_terms;

bool balanced(const Parameters& given) { return given.has("balanced"); }

/// The radix, but no more than there are ranks.
std::uint64_t radix(const Request& r) {
  return std::min<std::uint64_t>(r.parameters.integer("radix"), r.problem.ranks);
}

Result kernel(const LocalRequest& r) {
  const std::uint64_t given = r.parameters.integer("radix"), P = r.problem.ranks;
  const std::uint64_t least = std::max<std::uint64_t>(std::min(given, P), 2);
  const std::string text =
      given == 2 ? "2" : fmt::format("std::clamp<std::uint64_t>(ranks, 2, {})", given);
  if (!balanced(r.parameters)) return circular(r, least, text);
  require_product(least, P, "the radix times P");
  const Vector v(r);
  return from_allgather(
      r,
      Term<local::BalancedAllgather>{{P, v.total, least},
                                     fmt::format("BalancedAllgather(ranks, {}, {})", v.text, text)},
      {"blocks.hpp", "skips.hpp", "balanced.hpp"});
}

std::optional<std::string> reason(const Request& r) {
  if (!balanced(r.parameters) || r.problem.collective != Collective::alltoall) return std::nullopt;
  return "the steps of a total exchange are not balanced";
}

std::optional<std::string> order(const Request& r) {
  const std::uint64_t P = r.problem.ranks, least = radix(r);
  // The last of two steps has 2r - 1 - r runs of one block each, or fewer.
  if (balanced(r.parameters) && P <= 2 * least - 1) return std::nullopt;
  return circular_order(P, least);
}

CostClaim claim(const Request& r) {
  const std::uint64_t P = r.problem.ranks, K = r.problem.chunks, least = radix(r);
  const bool two = r.parameters.integer("radix") == 2;
  const std::uint64_t steps = ceil_log(least, P);
  const std::string_view lg = two ? "lg" : "log_r P";
  if (r.problem.collective == Collective::alltoall) {
    return {.steps = steps,
            .volume = K * exchange_volume(P, least),
            .steps_formula = lg,
            .volume_formula =
                two ? "number of 1 bits in 1..P-1" : "number of digits 1 in 1..P-1 to base r"};
  }
  if (balanced(r.parameters)) {
    return {.steps = steps,
            .volume = K * ceil_div(P - 1, least - 1),
            .steps_formula = lg,
            .volume_formula = "ceil((P - 1)/(r - 1))"};
  }
  return {.steps = steps,
          .volume = K * allgather_volume(P, least),
          .steps_formula = lg,
          .volume_formula = two ? "P - 1" : "sum of min(r^i, P - r^i)"};
}

}  // namespace

extern const AlgorithmEntry entry;
const AlgorithmEntry entry{
    .name = "bruck",
    .summary = "blocks move around the ring by powers of the radix",
    .source = "Bruck et al. 1997, doi 10.1109/71.642949",
    .collectives = {Collective::allgather, Collective::alltoall, Collective::reduce_scatter},
    .machines = {"duplex", "kport:k={radix-1}"},
    .parameters = {{.name = "radix",
                    .summary = "a rank sends to radix - 1 others in a step",
                    .min = 2,
                    .max = (std::uint64_t{1} << 31) - 1,
                    .default_value = "2"},
                   {.name = "balanced",
                    .summary = "messages of the last step have the same size, up to a block",
                    .kind = Parameter::Kind::flag}},
    .reason = reason,
    .order = order,
    .kernel = kernel,
    .scaling = larger_blocks,
    .build = stream_of<kernel>,
    .claim = claim,
};

}  // namespace schedcc::bruck_algorithm
